//! `turnstile`: the parent of an unmodified load tool. It lets the tool run in its slices of a block's
//! timetable, stops it in between, and writes down what the tool did in each.

mod clock;
mod counters;
mod summary;
mod timetable;
mod tool;
mod turns;

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use counters::Counters;
use lexopt::prelude::*;
use signal_hook::consts::{SIGINT, SIGTERM};
use tool::Tool;

const HELP: &str = "\
turnstile install FILE
    Copies this program to FILE, for a container whose image lacks it.

turnstile run [--threads N --counters FILE] --timetable FILE --summary FILE -- COMMAND...
    Runs COMMAND by the timetable, writes what it did in each slice into the summary, and ends with its
    exit code. With --counters it makes that file for N threads, in which COMMAND counts its events.

turnstile --help
    Prints this, and so does --help after install and run.

exit codes: that of COMMAND, or 128 and the signal's number where a signal has ended it; 64 wrong usage;
70 what was asked for cannot be done, such as a file that cannot be read or written
";
const USAGE: u8 = 64;
const BROKEN: u8 = 70;

/// What `run` was asked for.
#[derive(Debug, PartialEq)]
struct Options {
    timetable: PathBuf,
    summary: PathBuf,
    counters: Option<(PathBuf, u64)>,
    command: Vec<OsString>,
}

#[derive(Debug, PartialEq)]
enum Order {
    Help,
    Install(PathBuf),
    Run(Options),
}

fn main() -> ExitCode {
    let done = match parse(std::env::args_os().skip(1)) {
        Ok(Order::Help) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Ok(Order::Install(target)) => install(&target).map(|()| 0),
        Ok(Order::Run(options)) => run(&options),
        Err(usage) => {
            eprintln!("turnstile: {usage}");
            return USAGE.into();
        }
    };
    match done {
        Ok(code) => u8::try_from(code).unwrap_or(BROKEN).into(),
        Err(said) => {
            eprintln!("turnstile: {said}");
            BROKEN.into()
        }
    }
}

fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Order, String> {
    let mut parser = lexopt::Parser::from_args(arguments);
    let verb = match parser.next().map_err(text)? {
        None | Some(Long("help") | Short('h')) => return Ok(Order::Help),
        Some(Value(verb)) => verb,
        Some(other) => return Err(text(other.unexpected())),
    };
    match verb.to_str() {
        Some("install") => parse_install(parser),
        Some("run") => parse_run(parser),
        _ => Err(format!("{} is neither install nor run", verb.to_string_lossy())),
    }
}

fn parse_install(mut parser: lexopt::Parser) -> Result<Order, String> {
    let mut target = None;
    while let Some(argument) = parser.next().map_err(text)? {
        match argument {
            Long("help") | Short('h') => return Ok(Order::Help),
            Value(file) if target.is_none() => target = Some(PathBuf::from(file)),
            Value(_) => return Err("install takes one FILE".into()),
            other => return Err(text(other.unexpected())),
        }
    }
    target.map(Order::Install).ok_or_else(|| "there is no FILE to install to".into())
}

fn parse_run(mut parser: lexopt::Parser) -> Result<Order, String> {
    let (mut timetable, mut summary, mut counters, mut threads) = (None, None, None, None);
    let mut command = Vec::new();
    while let Some(argument) = parser.next().map_err(text)? {
        match argument {
            Long("timetable") => timetable = Some(parser.value().map_err(text)?.into()),
            Long("summary") => summary = Some(parser.value().map_err(text)?.into()),
            Long("counters") => counters = Some(PathBuf::from(parser.value().map_err(text)?)),
            Long("help") | Short('h') => return Ok(Order::Help),
            Long("threads") => threads = Some(parser.value().and_then(|it| it.parse()).map_err(text)?),
            Value(program) => {
                command.push(program);
                command.extend(parser.raw_args().map_err(text)?);
            }
            other => return Err(text(other.unexpected())),
        }
    }
    if command.is_empty() {
        return Err("there is no command to run; write it after --".into());
    }
    Ok(Order::Run(Options {
        timetable: timetable.ok_or("--timetable is missing")?,
        summary: summary.ok_or("--summary is missing")?,
        counters: counters
            .map(|file| threads.map(|n| (file, n)).ok_or("--counters needs --threads"))
            .transpose()?,
        command,
    }))
}

/// By way of another name: nothing ever runs half of the program.
fn install(target: &Path) -> Result<(), String> {
    let half = target.with_extension("half");
    let own = std::env::current_exe().map_err(text)?;
    fs::copy(own, &half).and_then(|_| fs::rename(&half, target)).map_err(named(target))
}

fn run(options: &Options) -> Result<i32, String> {
    let asked_to_end = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT] {
        signal_hook::flag::register(signal, Arc::clone(&asked_to_end)).map_err(text)?;
    }
    let interrupted = || asked_to_end.load(Ordering::Relaxed);
    let written = fs::read_to_string(&options.timetable).map_err(named(&options.timetable))?;
    let timetable = timetable::parse(&written)?;
    let counters = options
        .counters
        .as_ref()
        .map(|(file, threads)| Counters::create(file, *threads).map_err(named(file)))
        .transpose()?;
    let mut tool = Tool::start(&options.command).map_err(named(Path::new(&options.command[0])))?;
    let turns = turns::take(&mut tool, &timetable, counters.as_ref(), interrupted);
    if turns.is_err() {
        tool.end().map_err(text)?;
    }
    let content = turns.and_then(|turns| summary::json(&turns, counters.as_ref()));
    let code = tool.wait_for_its_end(interrupted).map_err(text)?;
    fs::write(&options.summary, content.map_err(text)?).map_err(named(&options.summary))?;
    Ok(code)
}

fn named(path: &Path) -> impl FnOnce(io::Error) -> String + '_ {
    move |error| format!("{}: {error}", path.display())
}

fn text(error: impl Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<Order, String> {
        parse(words.iter().map(OsString::from))
    }

    #[test]
    fn reads_its_arguments() {
        let line = ["run", "--threads", "4", "--counters", "c", "--timetable", "t", "--summary", "s"];
        let found = parsed(&[&line[..], &["--", "sysbench", "--time=5", "run"]].concat()).unwrap();
        let Order::Run(options) = found else { panic!("{found:?}") };
        assert_eq!(options.counters, Some(("c".into(), 4)));
        assert_eq!(options.command, ["sysbench", "--time=5", "run"].map(OsString::from));
        assert_eq!(parsed(&["install", "to"]), Ok(Order::Install("to".into())));
        assert_eq!(parsed(&[]), Ok(Order::Help));
        for line in [&["--help"][..], &["install", "--help"], &["install", "to", "-h"], &["run", "--help"]] {
            assert_eq!(parsed(line), Ok(Order::Help), "{line:?}");
        }
        let line = ["run", "--timetable", "t", "--summary", "s", "--", "sysbench", "--help"];
        let Ok(Order::Run(options)) = parsed(&line) else { panic!("it is the tool's") };
        assert_eq!(options.command, ["sysbench", "--help"].map(OsString::from));
    }

    #[test]
    fn says_what_is_missing() {
        for (line, why) in [
            (
                &["run", "--timetable", "t", "--summary", "s"][..],
                "there is no command to run; write it after --",
            ),
            (&["run", "--summary", "s", "--", "true"], "--timetable is missing"),
            (&["run", "--timetable", "t", "--", "true"], "--summary is missing"),
            (
                &["run", "--timetable", "t", "--summary", "s", "--counters", "c", "--", "true"],
                "--counters needs --threads",
            ),
            (&["walk"], "walk is neither install nor run"),
            (&["install"], "there is no FILE to install to"),
            (&["install", "a", "b"], "install takes one FILE"),
            (&["install", "--force", "a"], "invalid option '--force'"),
        ] {
            assert_eq!(parsed(line).unwrap_err(), why);
        }
    }
}
