//! Bytes to and fro, a blocking thread for each direction: a hop as it is most simply written. The
//! benchmark runs it beside the proxy.
//!
//! usage: raw_relay LISTEN UPSTREAM

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(listen), Some(upstream)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: raw_relay LISTEN UPSTREAM");
        std::process::exit(64);
    };
    let listener = TcpListener::bind(listen)?;
    println!("listening at {}", listener.local_addr()?);
    loop {
        let (client, _) = listener.accept()?;
        let server = TcpStream::connect(&upstream)?;
        for stream in [&client, &server] {
            stream.set_nodelay(true)?;
        }
        let (back, forth) = (server.try_clone()?, client.try_clone()?);
        thread::spawn(move || relay(client, server));
        thread::spawn(move || relay(back, forth));
    }
}

fn relay(mut source: TcpStream, mut target: TcpStream) {
    let mut data = vec![0; 16 << 10];
    while let Ok(count @ 1..) = source.read(&mut data) {
        if target.write_all(&data[..count]).is_err() {
            break;
        }
    }
    let _ = source.shutdown(Shutdown::Both);
    let _ = target.shutdown(Shutdown::Both);
}
