//! Accepting clients: each goes to the worker that has the fewest connections.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustix::net::SocketFlags;

use crate::clock;
use crate::connection::Shared;
use crate::worker::Worker;

/// Clients that connect at the same moment; as many as a server of a benchmark is given.
const BACKLOG: i32 = 4096;
/// How long to wait when no file descriptor is to be had.
const PAUSE: Duration = Duration::from_millis(50);

pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    rustix::net::listen(&listener, BACKLOG)?;
    Ok(listener)
}

/// Start so many workers.
pub fn workers(count: usize, shared: &Arc<Shared>) -> io::Result<Vec<Worker>> {
    clock::start();
    (0..count).map(|_| Worker::start(shared.clone())).collect()
}

/// Accept for ever.
pub fn accept(listener: &TcpListener, workers: &[Worker]) -> ! {
    loop {
        let accepted = rustix::net::accept_with(listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC);
        match (accepted, workers.iter().min_by_key(|worker| worker.load())) {
            (Ok(client), Some(worker)) => worker.give(TcpStream::from(client)),
            _ => thread::sleep(PAUSE),
        }
    }
}
