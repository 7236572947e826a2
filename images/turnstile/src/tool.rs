//! The tool as a group of processes that can be stopped as one.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{killpg, Signal};
use nix::sys::wait::{waitpid, WaitPidFlag, WaitStatus};
use nix::time::ClockId;
use nix::unistd::Pid;

use crate::clock;

/// How often to look whether a tool has ended that nothing is measured of any more.
const LOOK: Duration = Duration::from_millis(50);

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
    pub fn stop(&mut self) -> Result<bool, Errno> {
        self.send(Signal::SIGSTOP)?;
        self.wait(WaitPidFlag::WUNTRACED)
    }

    /// Looks whether it has ended.
    pub fn has_ended(&mut self) -> Result<bool, Errno> {
        Ok(!self.wait(WaitPidFlag::WNOHANG)?)
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
            if !self.wait(WaitPidFlag::WNOHANG)? {
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

    fn wait(&mut self, flags: WaitPidFlag) -> Result<bool, Errno> {
        match waitpid(self.first, Some(flags))? {
            WaitStatus::Exited(_, code) => self.code = Some(code),
            WaitStatus::Signaled(_, signal, _) => self.code = Some(128 + signal as i32),
            _ => return Ok(true),
        }
        Ok(false)
    }
}

/// The process group in `/proc/<pid>/stat`; the name before it may hold spaces and brackets.
fn group_of(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(2)?.parse().ok()
}
