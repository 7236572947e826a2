//! Accepting clients: one thread each.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::session::{self, Shared};

/// Clients that connect at the same moment; as many as a server of a benchmark is given.
const BACKLOG: i32 = 4096;
/// A connection needs a tenth of it; only what is touched takes memory.
const STACK: usize = 256 << 10;
/// How long to wait when no file descriptor or thread is to be had.
const PAUSE: Duration = Duration::from_millis(50);

pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    rustix::net::listen(&listener, BACKLOG)?;
    Ok(listener)
}

/// Accept for ever.
pub fn accept(listener: &TcpListener, shared: &Arc<Shared>) -> ! {
    loop {
        let Ok((client, _)) = listener.accept() else {
            thread::sleep(PAUSE);
            continue;
        };
        let shared = shared.clone();
        // Where no thread can be had the client is dropped: it sees the connection end.
        let started = thread::Builder::new().stack_size(STACK).spawn(move || session::serve(client, &shared));
        if started.is_err() {
            thread::sleep(PAUSE);
        }
    }
}
