//! Accepting clients: each goes to the worker that has the fewest connections.

use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::SocketFlags;

use crate::clock;
use crate::connection::Shared;
use crate::open_files;
use crate::worker::Worker;

/// Clients that connect at the same moment; as many as a server of a benchmark is given.
const BACKLOG: i32 = 4096;
/// How long to wait when no file descriptor is to be had.
const PAUSE: Duration = Duration::from_millis(50);

/// On Linux `[::]` takes IPv4 too. Where the kernel has no IPv6, it is IPv4 alone.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let any = SocketAddr::from((Ipv4Addr::UNSPECIFIED, address.port()));
    let listener = match TcpListener::bind(address) {
        Err(error) if has_no_ipv6(&error) && address.ip() == Ipv6Addr::UNSPECIFIED => TcpListener::bind(any)?,
        bound => bound?,
    };
    rustix::net::listen(&listener, BACKLOG)?;
    Ok(listener)
}

fn has_no_ipv6(error: &io::Error) -> bool {
    let code = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(code, Some(Errno::AFNOSUPPORT | Errno::ADDRNOTAVAIL))
}

/// Start so many workers.
pub fn workers(count: usize, shared: &Arc<Shared>) -> io::Result<Vec<Worker>> {
    clock::start();
    (0..count).map(|_| Worker::start(shared.clone())).collect()
}

/// Accept for ever. That no file may be opened any more is said once.
pub fn accept(listener: &TcpListener, workers: &[Worker]) -> ! {
    let mut said = false;
    loop {
        let accepted = rustix::net::accept_with(listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC);
        match (accepted, workers.iter().min_by_key(|worker| worker.load())) {
            (Ok(client), Some(worker)) => worker.give(TcpStream::from(client)),
            (accepted, _) => {
                if !said && accepted.is_err_and(|error| open_files::are_used_up(&error.into())) {
                    said = true;
                    let _ = writeln!(io::stderr(), "{}", open_files::USED_UP);
                }
                thread::sleep(PAUSE);
            }
        }
    }
}
