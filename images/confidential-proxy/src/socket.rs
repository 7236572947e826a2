//! The beginning and the end of a client's socket, and how a lost peer is missed.

use std::future::poll_fn;
use std::io;
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::net::sockopt;

use crate::clock;
use crate::stream::Stream;

/// How long a client may take to read its last packet and to go.
const FAREWELL: Duration = Duration::from_secs(1);
/// How much is read at a time of what is ignored, and how often.
const IGNORED: usize = 8 << 10;
const READS: usize = 1024;

/// How long a machine says nothing until it is asked whether it is there, how long between two questions,
/// and how many stay without an answer until it is given up.
const IDLE: Duration = Duration::from_secs(60);
const INTERVAL: Duration = Duration::from_secs(15);
const PROBES: u32 = 4;

/// A client that was accepted.
pub fn client(stream: TcpStream) -> io::Result<Stream> {
    stream.set_nodelay(true)?;
    keep_alive(&stream)?;
    Stream::new(stream)
}

/// Have a machine that has gone away without a word missed in two minutes. By the kernel's own times it
/// takes two hours, in which the server's session holds its locks. `TCP_USER_TIMEOUT` would end a client too
/// that is alive and does not read, such as one that is stopped for a while.
pub fn keep_alive(socket: impl AsFd) -> io::Result<()> {
    let socket = socket.as_fd();
    sockopt::set_tcp_keepidle(socket, IDLE)?;
    sockopt::set_tcp_keepintvl(socket, INTERVAL)?;
    sockopt::set_tcp_keepcnt(socket, PROBES)?;
    Ok(sockopt::set_socket_keepalive(socket, true)?)
}

/// Send a client a last packet and close. What it still sends is read, or it would never see the packet; a
/// client that goes on sending is not waited for.
pub async fn dismiss(client: &mut Stream, packet: &[u8]) {
    clock::within(FAREWELL, say_and_ignore(client, packet)).await;
}

async fn say_and_ignore(client: &mut Stream, packet: &[u8]) {
    if client.send(packet).await.is_err() || client.finish().is_err() {
        return;
    }
    let mut ignored = vec![0; IGNORED];
    for _ in 0..READS {
        let read = poll_fn(|context| client.poll_read(context, &mut ignored));
        if !matches!(read.await, Ok(1..)) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use tokio::runtime::Builder;

    use super::*;

    #[test]
    fn a_machine_that_is_lost_is_missed_in_two_minutes() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let _theirs = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (ours, _) = listener.accept().unwrap();
        ours.set_nonblocking(true).unwrap();
        let seen = ours.try_clone().unwrap();
        let runtime = Builder::new_current_thread().enable_io().build().unwrap();
        let _client = runtime.block_on(async { client(ours) }).unwrap();
        assert!(sockopt::socket_keepalive(&seen).unwrap());
        let probes = sockopt::tcp_keepcnt(&seen).unwrap();
        let asked = sockopt::tcp_keepintvl(&seen).unwrap() * probes;
        assert_eq!(sockopt::tcp_keepidle(&seen).unwrap() + asked, Duration::from_secs(120));
    }
}
