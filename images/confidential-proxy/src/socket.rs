//! A socket that does not block: whoever waits for it gives the worker's thread back.

use std::future::poll_fn;
use std::io::{self, Read};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{self, RecvFlags, SendFlags, SocketFlags, SocketType};

use crate::inbox::Inbox;
use crate::signals::{Readiness, Side, Signals};

const CONNECT: Duration = Duration::from_secs(10);
const FAREWELL: Duration = Duration::from_secs(1);
/// What is read at a time of what is ignored, and how often.
const LAST: usize = 8 << 10;
const LAST_READS: usize = 1024;

/// Where a connection's sockets are watched, and under which numbers.
pub struct Place {
    pub epoll: Rc<OwnedFd>,
    pub client: EventData,
    pub server: EventData,
    pub signals: Rc<Signals>,
}

impl Place {
    /// The client's socket.
    pub fn client(&self, stream: TcpStream) -> io::Result<Socket> {
        stream.set_nodelay(true)?;
        // A machine that has gone away without a word is noticed some time.
        net::sockopt::set_socket_keepalive(&stream, true)?;
        self.watch(stream, Side::Client)
    }

    /// A connection to the server, unless it cannot be had or takes too long.
    pub async fn server(&self, address: SocketAddr) -> Option<Socket> {
        let server = self.signals.within(CONNECT, self.connect(address)).await?.ok()?;
        server.stream.set_nodelay(true).ok()?;
        Some(server)
    }

    /// Watch a socket. The kernel tells of each change once.
    fn watch(&self, stream: TcpStream, side: Side) -> io::Result<Socket> {
        let data = match side {
            Side::Client => self.client,
            Side::Server => self.server,
        };
        let changes = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        epoll::add(&self.epoll, &stream, data, changes)?;
        Ok(Socket { stream, side, signals: self.signals.clone() })
    }

    async fn connect(&self, address: SocketAddr) -> io::Result<Socket> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let family = match address {
            SocketAddr::V4(_) => net::AddressFamily::INET,
            SocketAddr::V6(_) => net::AddressFamily::INET6,
        };
        let socket = net::socket_with(family, SocketType::STREAM, flags, None)?;
        match net::connect(&socket, &address) {
            Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let socket = self.watch(socket.into(), Side::Server)?;
        socket.writable().await;
        net::sockopt::socket_error(&socket.stream)??;
        Ok(socket)
    }
}

pub struct Socket {
    stream: TcpStream,
    side: Side,
    signals: Rc<Signals>,
}

impl Socket {
    fn readiness(&self) -> &Readiness {
        self.signals.of(self.side)
    }

    /// Whether reading may give something.
    pub fn is_readable(&self) -> bool {
        self.readiness().readable.get() && !self.signals.is_over()
    }

    async fn readable(&self) {
        poll_fn(|_| if self.is_readable() { Poll::Ready(()) } else { Poll::Pending }).await
    }

    async fn writable(&self) {
        poll_fn(|_| if self.readiness().writable.get() { Poll::Ready(()) } else { Poll::Pending }).await
    }

    /// Read what there is, once, as soon as there is something; 0 at the end.
    pub async fn fill(&self, inbox: &mut Inbox) -> io::Result<usize> {
        loop {
            self.readable().await;
            match inbox.fill(&mut &*self) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                done => return done,
            }
        }
    }

    pub async fn write_all(&self, mut data: &[u8]) -> io::Result<()> {
        while !data.is_empty() {
            match net::send(&self.stream, data, SendFlags::NOSIGNAL) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => data = &data[count..],
                Err(Errno::AGAIN) => {
                    self.readiness().writable.set(false);
                    self.writable().await;
                }
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Send a last packet and close. What the other side still sends is read, or it would never see the
    /// packet.
    pub async fn dismiss(&self, packet: &[u8]) {
        let sent = self.signals.within(FAREWELL, self.write_all(packet)).await;
        if !matches!(sent, Some(Ok(()))) || self.stream.shutdown(Shutdown::Write).is_err() {
            return;
        }
        let mut ignored = Inbox::new(LAST);
        for _ in 0..LAST_READS {
            if !matches!(self.signals.within(FAREWELL, self.fill(&mut ignored)).await, Some(Ok(1..))) {
                return;
            }
            ignored.consume(ignored.unread().len());
        }
    }
}

impl Read for &Socket {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let wanted = space.len();
        let result = net::recv(&self.stream, space, RecvFlags::empty());
        let readiness = self.readiness();
        match result {
            Ok((_, count)) => {
                // The kernel had no more, and tells of what comes after; of the end it has told already.
                if count < wanted && !readiness.ended.get() {
                    readiness.readable.set(false);
                }
                self.signals.count(count);
                Ok(count)
            }
            Err(error) => {
                if error == Errno::AGAIN {
                    readiness.readable.set(false);
                }
                Err(error.into())
            }
        }
    }
}

/// The one of them that can be read, the first if both can.
pub async fn either(first: &Socket, second: &Socket) -> Side {
    poll_fn(|_| match () {
        () if first.is_readable() => Poll::Ready(first.side),
        () if second.is_readable() => Poll::Ready(second.side),
        () => Poll::Pending,
    })
    .await
}
