//! The program with real tools: what runs when, what is counted, and how it ends.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Writes down when it runs, by a process that is not the group's first.
const WRITING: &str = "end=$(($(date +%s) + $1))
while [ $(date +%s) -lt $end ]; do date +%s%N >>stamps; sleep 0.02; done & wait";

/// Uses a core until its time is over, and then ends with code 7.
const BUSY: &str = "end=$(($(date +%s) + $1)); while [ $(date +%s) -lt $end ]; do
    i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done
done; exit 7";

struct Run {
    folder: PathBuf,
    child: Child,
    begun: Instant,
}

impl Run {
    /// Slices in seconds from now.
    fn start(name: &str, stop: f64, slices: &[(f64, f64, f64)], go: f64, tool: &[&str]) -> Self {
        let folder = std::env::temp_dir().join(format!("turnstile-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let begun = Instant::now();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
        let mut text = format!("stop {}\n", now + stop);
        for (number, (begin, counted, end)) in slices.iter().enumerate() {
            text += &format!("slice {} {} {} {}\n", 3 * number, now + begin, now + counted, now + end);
        }
        text += &format!("go {}\n", now + go);
        fs::write(folder.join("timetable"), text).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_turnstile"))
            .arg("run")
            .arg("--timetable")
            .arg(folder.join("timetable"))
            .arg("--summary")
            .arg(folder.join("slices.json"))
            .arg("--")
            .args(tool)
            .current_dir(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self { folder, child, begun }
    }

    fn code(&mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap()
    }

    /// A field of every slice.
    fn field(&self, name: &str) -> Vec<f64> {
        let text = fs::read_to_string(self.folder.join("slices.json")).unwrap();
        let key = format!("\"{name}\": ");
        text.split(&key).skip(1).map(|rest| rest.split([',', '}']).next().unwrap().parse().unwrap()).collect()
    }

    /// What `WRITING` has written, in Unix seconds.
    fn stamps(&self) -> Vec<f64> {
        let text = fs::read_to_string(self.folder.join("stamps")).unwrap();
        text.lines().map(|line| line.parse::<f64>().unwrap() / 1e9).collect()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn what_a_tool_does_in_its_slices_is_measured() {
    let slices = [(0.5, 0.7, 2.2), (2.9, 3.1, 4.6)];
    let mut run = Run::start("slices", 0.2, &slices, 4.9, &["sh", "-c", BUSY, "busy", "6"]);
    assert_eq!(run.code(), 7);
    assert!(run.begun.elapsed() >= Duration::from_millis(4800));
    assert_eq!(run.field("slice"), [0.0, 3.0]);
    let (counted, end) = (run.field("counted"), run.field("end"));
    for (place, cpu) in run.field("cpuSeconds").into_iter().enumerate() {
        let seconds = end[place] - counted[place];
        // On a busy machine each moment may come late.
        assert!(seconds > 0.5 && seconds < 2.5, "{seconds}");
        // Where all cores are taken a busy tool has a small share, a stopped one none.
        assert!(cpu > 0.01 && cpu <= seconds + 0.05, "{cpu} of {seconds}");
    }
}

#[test]
fn no_process_of_the_tool_runs_between_its_slices() {
    let slices = [(0.5, 0.7, 1.5), (4.2, 4.4, 5.2)];
    let mut run = Run::start("group", 0.2, &slices, 5.4, &["sh", "-c", WRITING, "writing", "7"]);
    assert_eq!(run.code(), 0);
    let (begin, end, stamps) = (run.field("begin"), run.field("end"), run.stamps());
    let between = |from: f64, to: f64| stamps.iter().filter(|stamp| (from..to).contains(*stamp)).count();
    for (begin, end) in begin.iter().zip(&end) {
        assert!(between(*begin, *end) > 0, "it runs in them");
    }
    // The others stop a moment after the first process, and continue before the begin is noted: a long
    // moment where the machine is busy.
    assert_eq!(between(end[0] + 0.7, begin[1] - 0.7), 0);
}

#[test]
fn a_tool_that_ends_early_gives_its_code_and_the_slices_so_far() {
    let slices = [(0.3, 0.4, 0.8), (4.0, 4.3, 6.0)];
    let mut run = Run::start("early", 0.1, &slices, 6.2, &["sh", "-c", BUSY, "busy", "3"]);
    assert_eq!(run.code(), 7);
    assert_eq!(run.field("slice").len(), 1);
}

#[test]
fn a_tool_that_ends_while_it_warms_up_is_not_waited_for() {
    let tool = ["sh", "-c", "sleep 0.2; exit 7"];
    let mut run = Run::start("warm-up", 20.0, &[(21.0, 22.0, 23.0)], 24.0, &tool);
    assert_eq!(run.code(), 7);
    assert!(run.begun.elapsed() < Duration::from_secs(15));
    assert!(run.field("slice").is_empty());
}

/// Ends with code 5 when it is asked to.
const WAITING: [&str; 3] = ["sh", "-c", "trap 'exit 5' TERM; while :; do sleep 0.05; done"];

fn ended_by_a_signal(mut run: Run) -> Vec<f64> {
    assert!(Command::new("kill").arg(run.child.id().to_string()).status().unwrap().success());
    assert_eq!(run.code(), 5);
    assert!(run.begun.elapsed() < Duration::from_secs(15));
    run.field("slice")
}

#[test]
fn a_signal_ends_a_stopped_tool() {
    let run = Run::start("signal", 2.0, &[(20.0, 21.0, 22.0)], 23.0, &WAITING);
    sleep(Duration::from_millis(3000));
    assert!(ended_by_a_signal(run).is_empty());
}

#[test]
fn a_signal_ends_a_tool_that_has_had_all_its_turns() {
    let run = Run::start("late", 0.1, &[(0.2, 0.3, 0.5)], 0.7, &WAITING);
    sleep(Duration::from_millis(3000));
    assert_eq!(ended_by_a_signal(run), [0.0]);
}

/// Most of the time it waits for a child that has not begun its program yet, and the two stop together.
#[test]
fn a_tool_that_begins_other_programs_is_stopped_all_the_same() {
    let slices: Vec<_> =
        (0..30).map(|slot| 0.2 + 0.05 * f64::from(slot)).map(|at| (at, at + 0.01, at + 0.03)).collect();
    let tool = ["sh", "-c", "trap 'exit 5' TERM; while :; do /bin/true; done"];
    let mut run = Run::start("vfork", 0.1, &slices, 2.0, &tool);
    sleep(Duration::from_millis(2500));
    assert!(Command::new("kill").arg(run.child.id().to_string()).status().unwrap().success());
    assert_eq!(run.code(), 5);
    assert!(run.begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let mut run = Run::start("absent", 1.0, &[], 2.0, &["/no/such/tool"]);
    assert_eq!(run.code(), 70);
    let mut said = String::new();
    run.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("/no/such/tool"), "{said}");
}
