//! Both sides of a connection: their sockets, and the bytes that each side has sent and that have not
//! been dealt with yet.
//!
//! What cannot be sent yet is waited for before anything else is read. So a slow side slows the other
//! one down, and takes no memory.

use std::future::poll_fn;
use std::io;
use std::task::{ready, Context, Poll};

use tokio::task::yield_now;

use crate::inbox::Inbox;
use crate::packet::{self, Header, ERR, HEADER};
use crate::refusal::{self, Refusal};
use crate::socket;
use crate::stream::Stream;

/// How many of the client's bytes are kept. A statement that does not fit in is not trusted.
const COMMANDS: usize = 8 << 10;
const ANSWERS: usize = 16 << 10;
/// How many bytes a connection reads before the worker's other connections have their turns.
const TURN: usize = 128 << 10;

/// The sides of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Server,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

/// Why a connection ends before its client ends it.
pub(crate) enum End {
    /// One side is gone, or nothing more can be said.
    Gone,
    /// The client gets this refusal, as a packet of this number.
    Refused(Refusal, u8),
}

impl From<io::Error> for End {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

pub(crate) type Flow<T = ()> = Result<T, End>;

/// A packet that is too large for where it stands.
pub(crate) struct Large(pub Header);

struct Peer {
    stream: Stream,
    inbox: Inbox,
}

pub(crate) struct Relay {
    client: Peer,
    server: Peer,
    /// Bytes that were read since others had their turns.
    read: usize,
}

impl Relay {
    pub fn new(client: Stream, server: Stream) -> Self {
        Self {
            client: Peer { stream: client, inbox: Inbox::new(COMMANDS) },
            server: Peer { stream: server, inbox: Inbox::new(ANSWERS) },
            read: 0,
        }
    }

    fn peer(&self, side: Side) -> &Peer {
        match side {
            Side::Client => &self.client,
            Side::Server => &self.server,
        }
    }

    fn peer_mut(&mut self, side: Side) -> &mut Peer {
        match side {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        }
    }

    /// What a side has sent and what has not been dealt with.
    pub fn unread(&self, from: Side) -> &[u8] {
        self.peer(from).inbox.unread()
    }

    pub fn unread_mut(&mut self, from: Side) -> &mut [u8] {
        self.peer_mut(from).inbox.unread_mut()
    }

    /// How long a side's packet may be that fits in without more space being taken.
    pub fn usual(&self, from: Side) -> usize {
        self.peer(from).inbox.usual()
    }

    /// Have space for so many bytes of a side, from the first unread one on.
    pub fn reserve(&mut self, from: Side, length: usize) {
        self.peer_mut(from).inbox.reserve(length);
    }

    /// So many bytes of a side have been dealt with.
    pub fn consume(&mut self, from: Side, length: usize) {
        self.peer_mut(from).inbox.consume(length);
    }

    /// The header of a side's first packet, if the packet is there as a whole.
    pub fn whole(&self, from: Side) -> Result<Option<Header>, Large> {
        match packet::header(self.unread(from)) {
            Some(header) if header.total() > self.usual(from) => Err(Large(header)),
            Some(header) if header.total() <= self.unread(from).len() => Ok(Some(header)),
            _ => Ok(None),
        }
    }

    /// Wait for more bytes of a side; 0 at their end.
    pub async fn fill(&mut self, from: Side) -> io::Result<usize> {
        self.take_turns().await;
        poll_fn(|context| self.poll_fill(from, context)).await
    }

    /// Wait for more bytes of either side: of `first`, if both have sent some.
    async fn fill_either(&mut self, first: Side) -> (Side, io::Result<usize>) {
        self.take_turns().await;
        poll_fn(|context| {
            for side in [first, first.other()] {
                if let Poll::Ready(read) = self.poll_fill(side, context) {
                    return Poll::Ready((side, read));
                }
            }
            Poll::Pending
        })
        .await
    }

    fn poll_fill(&mut self, from: Side, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let Peer { stream, inbox } = self.peer_mut(from);
        let count = ready!(stream.poll_read(context, inbox.space()))?;
        inbox.filled(count);
        self.read += count;
        Poll::Ready(Ok(count))
    }

    /// Let other connections go on, if this one has read enough.
    async fn take_turns(&mut self) {
        if self.read >= TURN {
            self.read = 0;
            yield_now().await;
        }
    }

    /// Wait for more bytes of a side, which has to send them.
    pub async fn read_on(&mut self, from: Side) -> Flow {
        match self.fill(from).await? {
            0 => Err(End::Gone),
            _ => Ok(()),
        }
    }

    /// Wait for more bytes of either side.
    pub async fn await_either(&mut self) -> Flow {
        match self.fill_either(Side::Server).await {
            (_, Ok(1..)) => Ok(()),
            _ => Err(End::Gone),
        }
    }

    /// Wait for more bytes of the server, or for what the client says meanwhile; `false` where the server
    /// has ended the connection. A client that ends it ends it here too, unless what it has said before
    /// leaves no space.
    pub async fn await_server(&mut self) -> Flow<bool> {
        if self.client.inbox.is_full() {
            return Ok(matches!(self.fill(Side::Server).await, Ok(1..)));
        }
        match self.fill_either(Side::Server).await {
            (Side::Server, read) => Ok(matches!(read, Ok(1..))),
            (Side::Client, Ok(1..)) => Ok(true),
            (Side::Client, _) => Err(End::Gone),
        }
    }

    /// Wait for the client. A server that ends the connection meanwhile ends it here too.
    pub async fn await_client(&mut self) -> Flow {
        match self.fill_either(Side::Client).await {
            (Side::Client, Ok(1..)) => Ok(()),
            (Side::Client, _) => Err(End::Gone),
            (Side::Server, Ok(1..)) => self.unasked(0).await,
            (Side::Server, _) => Err(End::Refused(refusal::LOST, 0)),
        }
    }

    /// What a server says without being asked is why it ends the connection: the client gets its number.
    /// Anything else would answer a command that was not seen; the client is told so by a packet of the
    /// number that it awaits.
    pub async fn unasked(&mut self, awaited: u8) -> Flow {
        let header = match self.whole(Side::Server) {
            Ok(Some(header)) => header,
            Ok(None) => return Err(End::Refused(refusal::LOST, awaited)),
            Err(Large(_)) => return Err(End::Refused(refusal::UNREADABLE, awaited)),
        };
        let payload = &self.unread(Side::Server)[HEADER..header.total()];
        let mut error = Vec::new();
        if payload.first() != Some(&ERR)
            || refusal::append_withheld(&mut error, header.sequence, payload).is_err()
        {
            return Err(End::Refused(refusal::UNREADABLE, awaited));
        }
        self.send(Side::Client, &error).await?;
        Err(End::Gone)
    }

    /// Send a side bytes of ours.
    pub async fn send(&mut self, to: Side, data: &[u8]) -> io::Result<()> {
        self.peer_mut(to).stream.send(data).await
    }

    /// Send so many of a side's unread bytes to the other one.
    pub async fn show(&mut self, from: Side, length: usize) -> io::Result<()> {
        let (source, target) = match from {
            Side::Client => (&self.client, &mut self.server),
            Side::Server => (&self.server, &mut self.client),
        };
        target.stream.send(&source.inbox.unread()[..length]).await
    }

    /// The same, and they are dealt with, even if the other side does not take them.
    pub async fn pass(&mut self, from: Side, length: usize) -> io::Result<()> {
        let sent = self.show(from, length).await;
        self.consume(from, length);
        sent
    }

    /// Pass so many bytes on to the other side, and read on where they are not there yet. Whether the
    /// other side takes them is returned; all are read in any case.
    pub async fn stream(&mut self, from: Side, length: usize) -> Flow<io::Result<()>> {
        let mut left = length;
        loop {
            let there = self.unread(from).len().min(left);
            left -= there;
            if let Err(error) = self.pass(from, there).await {
                self.skip(from, left).await?;
                return Ok(Err(error));
            }
            if left == 0 {
                return Ok(Ok(()));
            }
            self.read_on(from).await?;
        }
    }

    /// Keep so many bytes from the other side, and read on where they are not there yet.
    pub async fn skip(&mut self, from: Side, length: usize) -> Flow {
        let mut left = length;
        loop {
            let there = self.unread(from).len().min(left);
            self.consume(from, there);
            left -= there;
            if left == 0 {
                return Ok(());
            }
            self.read_on(from).await?;
        }
    }

    /// Say why the connection ends, if there is anything to say, before it is closed. The server need not
    /// wait for that.
    pub async fn dismiss(self, end: End, greeted: bool) {
        let Self { mut client, server, .. } = self;
        drop(server);
        if let End::Refused(refusal, sequence) = end {
            socket::dismiss(&mut client.stream, &refusal.packet(sequence, greeted)).await;
        }
    }
}
