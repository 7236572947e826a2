//! Bytes to and fro on one thread, as epoll finds them. A hop that knows no protocol and has one thread
//! cannot cost much less, so this is the limit that the benchmark holds the proxy to.
//!
//! usage: one_thread_relay LISTEN UPSTREAM

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};

const LISTENER: u64 = u64::MAX;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(listen), Some(upstream)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: one_thread_relay LISTEN UPSTREAM");
        std::process::exit(64);
    };
    let listener = TcpListener::bind(listen)?;
    println!("listening at {}", listener.local_addr()?);
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(&epoll, &listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
    // The two ends of a connection stand side by side: that of `n` is `n ^ 1`.
    let mut ends: Vec<Option<TcpStream>> = Vec::new();
    let mut data = vec![0; 16 << 10];
    let mut events = Vec::with_capacity(256);
    loop {
        events.clear();
        epoll::wait(&epoll, spare_capacity(&mut events), None)?;
        for event in &events {
            let number = event.data.u64();
            if number == LISTENER {
                let (client, _) = listener.accept()?;
                for end in [client, TcpStream::connect(&upstream)?] {
                    end.set_nodelay(true)?;
                    epoll::add(&epoll, &end, EventData::new_u64(ends.len() as u64), EventFlags::IN)?;
                    ends.push(Some(end));
                }
            } else if !relay(&ends, number as usize, &mut data) {
                // What is closed leaves the epoll by itself.
                ends[number as usize] = None;
                ends[number as usize ^ 1] = None;
            }
        }
    }
}

/// Pass on what one end has, without waiting for more; whether the connection goes on.
fn relay(ends: &[Option<TcpStream>], number: usize, data: &mut [u8]) -> bool {
    let (Some(mut source), Some(mut target)) = (ends[number].as_ref(), ends[number ^ 1].as_ref()) else {
        return false;
    };
    match source.read(data) {
        Ok(count @ 1..) => target.write_all(&data[..count]).is_ok(),
        _ => false,
    }
}
