//! How many files the process may have open: each connection has two sockets.
//!
//! Many container runtimes give a process 1,024 until it asks for more. They give it no more by themselves
//! because `select` cannot wait for a descriptor above that, but nothing here uses it.

use std::io;

use rustix::io::Errno;
use rustix::process::{getrlimit, setrlimit, Resource, Rlimit};

/// The most to ask for, which is enough for the 100,000 clients that a testbed may have.
const MOST: u64 = 1 << 18;

/// What to say when there are no more.
pub const USED_UP: &str = "confidential-proxy may open no more files, of which each client takes two; raise \
     the limit of open files (nofile) of its container";

/// Ask for as many as the process may have. A process that gets no more goes on with what it has.
pub fn ask_for_more() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(MOST, |maximum| maximum.min(MOST));
    if current.is_some_and(|current| current < wanted) {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}

/// Whether an error says that the process, or the machine, may open no more.
pub fn are_used_up(error: &io::Error) -> bool {
    let code = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(code, Some(Errno::MFILE | Errno::NFILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_told_from_others() {
        assert!(are_used_up(&Errno::MFILE.into()) && are_used_up(&Errno::NFILE.into()));
        assert!(!are_used_up(&Errno::CONNREFUSED.into()));
        assert!(!are_used_up(&io::Error::from(io::ErrorKind::WouldBlock)));
    }
}
