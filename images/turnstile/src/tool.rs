//! The tool as a group of processes that can be stopped as one.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{killpg, Signal};
use nix::sys::wait::{waitpid, WaitPidFlag, WaitStatus};
use nix::time::ClockId;
use nix::unistd::Pid;

use crate::clock;

/// How often to look whether a tool has ended that nothing is measured of any more.
const LOOK: Duration = Duration::from_millis(50);
/// How often to look whether it has stopped.
const POLL: Duration = Duration::from_micros(50);
/// How long a stop may take of a tool that its CPU limit holds back: two periods of 100 ms and more.
const PATIENCE: Duration = Duration::from_millis(250);
/// How long a tool continues that could not stop.
const ANEW: Duration = Duration::from_millis(10);

/// A running tool. The group's number is that of its first process.
#[derive(Debug)]
pub struct Tool {
    first: Pid,
    members: Vec<Pid>,
    code: Option<i32>,
}

impl Tool {
    /// Starts a command in a process group of its own.
    pub fn start(command: &[OsString]) -> io::Result<Self> {
        let child = Command::new(&command[0]).args(&command[1..]).process_group(0).spawn()?;
        let first = Pid::from_raw(i32::try_from(child.id()).expect("a process id"));
        Ok(Self { first, members: vec![first], code: None })
    }

    /// Stops the group and waits until its first process has stopped; false if it has ended.
    ///
    /// A process that has called vfork stops only once its child has begun a program, and the child may
    /// have stopped before that. So they continue for a moment where the stop takes too long.
    pub fn stop(&mut self) -> Result<bool, Errno> {
        loop {
            self.send(Signal::SIGSTOP)?;
            if let Some(is_there) = self.stops_in_time()? {
                return Ok(is_there);
            }
            self.resume()?;
            thread::sleep(ANEW);
        }
    }

    /// Looks whether it has ended.
    pub fn has_ended(&mut self) -> Result<bool, Errno> {
        Ok(!self.is_there()?)
    }

    pub fn resume(&self) -> Result<(), Errno> {
        self.send(Signal::SIGCONT)
    }

    /// Has the tool end. A stopped process takes the signal when it continues.
    pub fn end(&self) -> Result<(), Errno> {
        self.send(Signal::SIGTERM)?;
        self.resume()
    }

    /// The exit code, as a shell has it: 128 and the signal's number for a tool that a signal has ended.
    /// Once `interrupted` says that we were asked to end, so is the tool.
    ///
    /// It looks again and again, because a signal does not end a waitpid: its handler restarts that.
    pub fn wait_for_its_end(&mut self, interrupted: impl Fn() -> bool) -> Result<i32, Errno> {
        let mut told = false;
        loop {
            if let Some(code) = self.code {
                return Ok(code);
            }
            if !self.is_there()? {
                continue;
            }
            if !told && interrupted() {
                self.end()?;
                told = true;
            }
            thread::sleep(LOOK);
        }
    }

    /// Looks once which processes are in the group.
    pub fn find_members(&mut self) -> io::Result<()> {
        self.members = fs::read_dir("/proc")?
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(|pid| group_of(*pid) == Some(self.first.as_raw()))
            .map(Pid::from_raw)
            .collect();
        Ok(())
    }

    /// CPU seconds of the group so far; those of a process that has ended are missing.
    pub fn cpu_seconds(&self) -> f64 {
        self.members.iter().filter_map(|pid| clock::now(ClockId::pid_cpu_clock_id(*pid).ok()?).ok()).sum()
    }

    fn send(&self, signal: Signal) -> Result<(), Errno> {
        match killpg(self.first, signal) {
            Err(Errno::ESRCH) => Ok(()),
            other => other,
        }
    }

    /// Whether it is there, once it has stopped or ended; None if it does neither in time.
    fn stops_in_time(&mut self) -> Result<Option<bool>, Errno> {
        let until = Instant::now() + PATIENCE;
        loop {
            match waitpid(self.first, Some(WaitPidFlag::WUNTRACED | WaitPidFlag::WNOHANG))? {
                WaitStatus::StillAlive if Instant::now() < until => thread::sleep(POLL),
                WaitStatus::StillAlive => return Ok(None),
                status => return Ok(Some(self.note(status))),
            }
        }
    }

    /// Whether it has not ended.
    fn is_there(&mut self) -> Result<bool, Errno> {
        let status = waitpid(self.first, Some(WaitPidFlag::WNOHANG))?;
        Ok(self.note(status))
    }

    fn note(&mut self, status: WaitStatus) -> bool {
        match status {
            WaitStatus::Exited(_, code) => self.code = Some(code),
            WaitStatus::Signaled(_, signal, _) => self.code = Some(128 + signal as i32),
            _ => return true,
        }
        false
    }
}

/// The process group in `/proc/<pid>/stat`; the name before it may hold spaces and brackets.
fn group_of(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(2)?.parse().ok()
}
