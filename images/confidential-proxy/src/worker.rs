//! A worker: a thread that runs many connections in turns.
//!
//! It waits for all of their sockets at once, in a Tokio runtime of its own. A thread for each connection
//! would sleep and be woken for every command and every answer, which is most of what a hop costs; several
//! connections that are ready at the same moment cost one waking here. docs/design/0009 has the figures.

use std::io;
use std::net::TcpStream;
use std::sync::Arc;

use tokio::runtime::{Builder, Handle};

use crate::background;
use crate::connection::{self, Shared};

/// The accepting thread's end of a worker.
pub struct Worker {
    runtime: Handle,
    shared: Arc<Shared>,
    /// Each connection holds it once, and so does the worker.
    load: Arc<()>,
}

impl Worker {
    pub fn start(shared: Arc<Shared>) -> io::Result<Self> {
        let runtime = background::driven(Builder::new_current_thread().enable_io())?;
        Ok(Self { runtime, shared, load: Arc::default() })
    }

    /// How many connections it has.
    pub fn load(&self) -> usize {
        Arc::strong_count(&self.load) - 1
    }

    /// Give it a client. A fault ends the connection that has it and no other one, because Tokio catches
    /// a task's panic.
    pub fn give(&self, client: TcpStream) {
        let (shared, held) = (self.shared.clone(), self.load.clone());
        self.runtime.spawn(async move {
            let _held = held;
            connection::serve(client, shared).await;
        });
    }
}
