//! The beginning and the end of a client's socket.

use std::future::poll_fn;
use std::io;
use std::net::TcpStream;
use std::time::Duration;

use rustix::net::sockopt;

use crate::clock;
use crate::stream::Stream;

/// How long a client may take to read its last packet and to go.
const FAREWELL: Duration = Duration::from_secs(1);
/// How much is read at a time of what is ignored, and how often.
const IGNORED: usize = 8 << 10;
const READS: usize = 1024;

/// A client that was accepted.
pub fn client(stream: TcpStream) -> io::Result<Stream> {
    stream.set_nodelay(true)?;
    // A machine that has gone away without a word is noticed some time.
    sockopt::set_socket_keepalive(&stream, true)?;
    Stream::new(stream)
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
