//! The beginning and the end of a connection's sockets.

use std::io;
use std::net::{self, SocketAddr};
use std::time::Duration;

use rustix::net::sockopt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

const CONNECT: Duration = Duration::from_secs(10);
const FAREWELL: Duration = Duration::from_secs(1);
/// How much is read at a time of what is ignored, and how often.
const IGNORED: usize = 8 << 10;
const READS: usize = 1024;

/// A client that was accepted.
pub fn client(stream: net::TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    // A machine that has gone away without a word is noticed some time.
    sockopt::set_socket_keepalive(&stream, true)?;
    TcpStream::from_std(stream)
}

/// A connection to the server, unless it cannot be had or takes too long.
pub async fn server(address: SocketAddr) -> Option<TcpStream> {
    let stream = timeout(CONNECT, TcpStream::connect(address)).await.ok()?.ok()?;
    stream.set_nodelay(true).ok()?;
    Some(stream)
}

/// Send a client a last packet and close. What it still sends is read, or it would never see the packet.
pub async fn dismiss(client: &mut TcpStream, packet: &[u8]) {
    let sent = timeout(FAREWELL, client.write_all(packet)).await;
    if !matches!(sent, Ok(Ok(()))) || client.shutdown().await.is_err() {
        return;
    }
    let mut ignored = vec![0; IGNORED];
    for _ in 0..READS {
        if !matches!(timeout(FAREWELL, client.read(&mut ignored)).await, Ok(Ok(1..))) {
            return;
        }
    }
}
