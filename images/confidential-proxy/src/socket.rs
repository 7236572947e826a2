//! The beginning and the end of a client's socket.

use std::io;
use std::net;
use std::time::Duration;

use rustix::net::sockopt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::upstream::Stream;

const FAREWELL: Duration = Duration::from_secs(1);
/// How much is read at a time of what is ignored, and how often.
const IGNORED: usize = 8 << 10;
const READS: usize = 1024;

/// A client that was accepted.
pub fn client(stream: net::TcpStream) -> io::Result<Stream> {
    stream.set_nodelay(true)?;
    // A machine that has gone away without a word is noticed some time.
    sockopt::set_socket_keepalive(&stream, true)?;
    TcpStream::from_std(stream).map(Stream::Tcp)
}

/// Send a client a last packet and close. What it still sends is read, or it would never see the packet.
pub async fn dismiss(client: &mut Stream, packet: &[u8]) {
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
