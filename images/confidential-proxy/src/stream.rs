//! A connected socket, by TCP or by a path, as a worker's runtime waits for it.
//!
//! Tokio's own streams wait for reading and for room at once, on the edge, and look for room in their books
//! before each write. A command or an answer nearly always fits into the socket's buffer, so here it is
//! sent at once, and room is waited for only after a write that found none. For a server that is reached by
//! its socket it matters more: a unix socket tells its writer of each read of the peer, where TCP does so
//! after a full buffer only, and the worker would wake once more for each command.

use std::io;
use std::os::fd::OwnedFd;
use std::task::{ready, Context, Poll};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{self, RecvFlags, SendFlags, Shutdown};
use tokio::io::unix::AsyncFd;
use tokio::io::Interest;

use crate::clock;
use crate::open_files;

/// How long to wait for room where no file may be opened to be told of it.
const PAUSE: Duration = Duration::from_millis(5);

pub(crate) struct Stream(AsyncFd<OwnedFd>);

impl Stream {
    /// Of a socket that does not block.
    pub fn new(socket: impl Into<OwnedFd>) -> io::Result<Self> {
        registered(socket.into(), Interest::READABLE).map(Self)
    }

    /// So many bytes of the peer's; 0 at their end.
    pub fn poll_read(&mut self, context: &mut Context<'_>, space: &mut [u8]) -> Poll<io::Result<usize>> {
        loop {
            let mut readable = ready!(self.0.poll_read_ready(context))?;
            match net::recv(readable.get_inner(), &mut *space, RecvFlags::empty()) {
                Ok((_, count)) => {
                    // More bytes are a new edge, so what has filled less than there was is all.
                    if count > 0 && count < space.len() {
                        readable.clear_ready();
                    }
                    return Poll::Ready(Ok(count));
                }
                Err(Errno::AGAIN) => readable.clear_ready(),
                Err(Errno::INTR) => {}
                Err(error) => return Poll::Ready(Err(error.into())),
            }
        }
    }

    /// Send all of it, waiting for room where there is none.
    pub async fn send(&mut self, mut data: &[u8]) -> io::Result<()> {
        while !data.is_empty() {
            match net::send(self.0.get_ref(), data, SendFlags::NOSIGNAL) {
                Ok(count) => data = &data[count..],
                Err(Errno::AGAIN) => self.room().await?,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Wait until there may be room.
    async fn room(&self) -> io::Result<()> {
        let again = match self.0.get_ref().try_clone() {
            Err(error) if open_files::are_used_up(&error) => {
                clock::pause(PAUSE).await;
                return Ok(());
            }
            again => again?,
        };
        let _ = registered(again, Interest::WRITABLE)?.writable().await?;
        Ok(())
    }

    /// Nothing more will be sent.
    pub fn finish(&self) -> io::Result<()> {
        Ok(net::shutdown(self.0.get_ref(), Shutdown::Write)?)
    }
}

/// Deprecated because what is registered might exchange its descriptor. An `OwnedFd` cannot, and the
/// successor is unsafe code, which this crate forbids.
#[allow(deprecated)]
fn registered(socket: OwnedFd, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(socket, interest)
}

#[cfg(test)]
mod tests {
    use std::future::{poll_fn, Future};
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;
    use std::thread;
    use std::time::Duration;

    use tokio::runtime::Builder;

    use super::*;

    const MUCH: usize = 4 << 20;

    /// What runs in a worker's kind of runtime, and a socket's other end, which blocks.
    fn run<F: Future>(test: impl FnOnce(Stream, UnixStream) -> F) -> F::Output {
        let runtime = Builder::new_current_thread().enable_io().build().unwrap();
        runtime.block_on(async {
            let (ours, theirs) = UnixStream::pair().unwrap();
            ours.set_nonblocking(true).unwrap();
            test(Stream::new(ours).unwrap(), theirs).await
        })
    }

    async fn read(stream: &mut Stream, space: &mut [u8]) -> io::Result<usize> {
        poll_fn(|context| stream.poll_read(context, space)).await
    }

    #[test]
    fn more_than_there_is_room_for_arrives_whole_both_ways() {
        let sent: Vec<u8> = (0..MUCH).map(|number| (number % 251) as u8).collect();
        let expected = sent.clone();
        run(|mut ours, mut theirs| async move {
            let echo = thread::spawn(move || {
                thread::sleep(Duration::from_millis(50)); // so that there is no room by then
                let mut got = vec![0; MUCH];
                theirs.read_exact(&mut got).unwrap();
                assert!(got == expected);
                theirs.write_all(&got).unwrap();
            });
            ours.send(&sent).await.unwrap();
            let (mut answer, mut space) = (Vec::new(), vec![0; 16 << 10]);
            loop {
                match read(&mut ours, &mut space).await.unwrap() {
                    0 => break,
                    count => answer.extend_from_slice(&space[..count]),
                }
            }
            assert!(answer == sent);
            echo.join().unwrap();
        });
    }

    #[test]
    fn each_of_many_small_answers_is_seen() {
        run(|mut ours, mut theirs| async move {
            let server = thread::spawn(move || {
                let mut command = [0; 7];
                while theirs.read_exact(&mut command).is_ok() {
                    theirs.write_all(b"answer").unwrap();
                }
            });
            // Spaces that an answer fills exactly, and that it does not.
            for turn in 0..1000 {
                ours.send(b"command").await.unwrap();
                let mut got = 0;
                while got < 6 {
                    let mut space = vec![0; [6, 3, 4, 64][turn % 4]];
                    got += read(&mut ours, &mut space).await.unwrap();
                }
                assert_eq!(got, 6);
            }
            ours.finish().unwrap();
            assert_eq!(read(&mut ours, &mut [0; 8]).await.unwrap(), 0);
            server.join().unwrap();
        });
    }

    #[test]
    fn a_peer_that_is_gone_is_an_error_and_an_end() {
        run(|mut ours, theirs| async move {
            drop(theirs);
            assert_eq!(ours.send(b"command").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
            assert_eq!(read(&mut ours, &mut [0; 8]).await.unwrap(), 0);
        });
    }
}
