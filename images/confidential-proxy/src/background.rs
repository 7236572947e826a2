//! A Tokio runtime that a thread of its own drives, for as long as the process lives.

use std::future::pending;
use std::io;
use std::thread;

use tokio::runtime::{Builder, Handle};

pub(crate) fn driven(builder: &mut Builder) -> io::Result<Handle> {
    let runtime = builder.build()?;
    let handle = runtime.handle().clone();
    thread::Builder::new().spawn(move || runtime.block_on(pending::<()>()))?;
    Ok(handle)
}
