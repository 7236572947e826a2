//! A socket that does not block: whoever waits for it gives the worker's thread back.

use std::future::poll_fn;
use std::io::{self, Read};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::task::Poll;

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{self, RecvFlags, SendFlags, SocketFlags, SocketType};

use crate::inbox::Inbox;
use crate::signals::{Readiness, Side, Signals};

/// Where a connection's sockets are watched, and under which numbers.
pub struct Place {
    pub epoll: Rc<OwnedFd>,
    pub client: EventData,
    pub server: EventData,
    pub signals: Rc<Signals>,
}

impl Place {
    /// Watch a socket. Each change is told once.
    pub fn watch(&self, stream: TcpStream, side: Side) -> io::Result<Socket> {
        let data = match side {
            Side::Client => self.client,
            Side::Server => self.server,
        };
        let changes = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        epoll::add(&self.epoll, &stream, data, changes)?;
        Ok(Socket { stream, side, signals: self.signals.clone() })
    }

    /// Connect to a server.
    pub async fn connect(&self, address: SocketAddr) -> io::Result<Socket> {
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

    pub fn no_delay(&self) -> io::Result<()> {
        self.stream.set_nodelay(true)
    }

    /// A machine that has gone away without a word is noticed some time.
    pub fn keep_alive(&self) -> io::Result<()> {
        Ok(net::sockopt::set_socket_keepalive(&self.stream, true)?)
    }

    /// Nothing more is sent.
    pub fn end(&self) -> io::Result<()> {
        self.stream.shutdown(Shutdown::Write)
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
