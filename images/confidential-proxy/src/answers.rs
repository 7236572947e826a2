//! The server's answers on their way to the client.

use std::sync::Arc;

use crate::clock;
use crate::packet::{self, Header, Malformed, HEADER, MAX_PAYLOAD};
use crate::refusal;
use crate::relay::{End, Flow, Relay, Side};
use crate::request::Request;
use crate::responder::{Fate, Responder};
use crate::room::{Held, Room};

/// How much is collected before it is sent.
const BURST: usize = 32 << 10;
/// How much of that space a connection keeps that waits for its client.
const KEPT: usize = 4 << 10;
/// How long a packet may be that is no row: an OK with a list of transactions, or a definition with a
/// default value.
const LONGEST_OTHER: usize = 1 << 20;

/// What to do after the packets that are there.
enum Next {
    Look,
    /// Of the next packet there have to be that many bytes first.
    Await(usize),
    /// A row needs more memory than the connection has.
    Hold(Header),
    /// A row that is not held is there in part.
    Stream(Header),
    /// The server waits for a file of the client's and gets an empty packet of this number.
    SendNoFile(u8),
    /// It is no packet that belongs there.
    Unreadable,
}

/// Packets that have been dealt with.
struct Batch {
    /// How many bytes of them pass as they are; none if anything stands in `out`.
    direct: usize,
    /// How many bytes of them there are.
    all: usize,
    next: Next,
}

pub(crate) struct Answers {
    responder: Responder,
    /// Packets in place of others, until they are sent.
    out: Vec<u8>,
    room: Arc<Room>,
    /// Memory for the long row that comes next.
    held: Option<Held>,
}

impl Answers {
    pub fn new(responder: Responder, room: Arc<Room>) -> Self {
        Self { responder, out: Vec::new(), room, held: None }
    }

    /// What client and server agreed on.
    pub fn agreed(&mut self, deprecate_eof: bool) {
        self.responder.agreed(deprecate_eof);
    }

    /// Another user has no prepared statements.
    pub fn forget(&mut self) {
        self.responder.forget();
    }

    /// Await the answer to a request; `Responder::begin` says which text goes with it.
    pub fn begin(&mut self, request: Request, text: &[u8]) {
        self.responder.begin(request, text);
    }

    /// The same with no more than the text's beginning.
    pub fn begin_long(&mut self, request: Request, beginning: &[u8]) {
        self.responder.begin_long(request, beginning);
    }

    /// Pass the server's answer on to the client.
    pub async fn pass(&mut self, relay: &mut Relay) -> Flow {
        // Our own error would follow the last packet that the client was sent.
        let mut sequence = 1;
        while !self.responder.is_done() {
            if packet::header(relay.unread(Side::Server)).is_none() {
                read_on(relay, sequence).await?;
            }
            let batch = self.batch(relay, &mut sequence);
            match batch.direct {
                0 => self.send(relay).await?,
                direct => relay.pass(Side::Server, direct).await?,
            }
            self.out.clear();
            relay.consume(Side::Server, batch.all - batch.direct);
            if batch.all > 0 && self.held.is_some() {
                self.out = Vec::new();
                self.held = None;
            }
            match batch.next {
                Next::Look => {}
                Next::Await(length) => {
                    relay.reserve(Side::Server, length);
                    read_on(relay, sequence).await?;
                }
                Next::Hold(header) => {
                    let bytes = header.total() + self.responder.sealed_length(header.length);
                    self.held = self.room.take(bytes).await;
                    if self.held.is_none() {
                        self.stream_row(relay, header, &mut sequence).await?;
                    }
                }
                Next::Stream(header) => self.stream_row(relay, header, &mut sequence).await?,
                Next::SendNoFile(number) => {
                    let _ = relay.send(Side::Server, &packet::header_bytes(0, number)).await;
                }
                Next::Unreadable if self.responder.is_awaited() => return relay.unasked(sequence).await,
                Next::Unreadable => return Err(End::Refused(refusal::UNREADABLE, sequence)),
            }
        }
        if self.out.capacity() > KEPT {
            self.out = Vec::new();
        }
        Ok(())
    }

    /// Send what is collected. A client that does not read a row in time that has memory gives it back by
    /// its end.
    async fn send(&self, relay: &mut Relay) -> Flow {
        let sending = relay.send(Side::Client, &self.out);
        let sent = match self.held {
            Some(_) => clock::within(self.room.lent(), sending).await.ok_or(End::Gone)?,
            None => sending.await,
        };
        Ok(sent?)
    }

    /// Deal with packets that are there as a whole.
    fn batch(&mut self, relay: &Relay, sequence: &mut u8) -> Batch {
        let Self { responder, out, held, .. } = self;
        let unread = relay.unread(Side::Server);
        let (mut at, mut direct) = (0, 0);
        let next = loop {
            if responder.is_done() || out.len() >= BURST {
                break Next::Look;
            }
            let rest = &unread[at..];
            let Some(header) = packet::header(rest) else { break Next::Look };
            let usual = relay.usual(Side::Server);
            let large = header.total() > usual;
            let row = match rest.get(HEADER) {
                Some(first) => responder.is_row(header, *first),
                None if large => break Next::Await(HEADER + 1),
                None => false,
            };
            let long = row && responder.needs_whole() && responder.sealed_length(header.total()) > usual;
            if long && header.length == MAX_PAYLOAD {
                break Next::Stream(header);
            }
            if long && held.is_none() {
                break Next::Hold(header);
            }
            if rest.len() < header.total() {
                break if row && large && !long {
                    Next::Stream(header)
                } else if !row && header.total() > LONGEST_OTHER {
                    Next::Unreadable
                } else {
                    Next::Await(header.total())
                };
            }
            let payload = &rest[HEADER..header.total()];
            let Ok(fate) = responder.packet(header.sequence, payload, out) else { break Next::Unreadable };
            *sequence = header.sequence.wrapping_add(1);
            let end = at + header.total();
            match fate {
                Fate::Forward if at == direct && out.is_empty() => direct = end,
                Fate::Forward => out.extend_from_slice(&unread[at..end]),
                Fate::Replaced | Fate::SendNoFile(_) => {}
            }
            at = end;
            if direct > 0 && !out.is_empty() {
                // What has passed before comes first; moving it is cheaper than another system call.
                out.extend_from_slice(&unread[..direct]);
                out.rotate_right(direct);
                direct = 0;
            }
            if let Fate::SendNoFile(number) = fate {
                break Next::SendNoFile(number);
            }
            if long {
                // Another long row needs memory of its own.
                break Next::Look;
            }
        };
        Batch { direct, all: at, next }
    }

    /// Pass on, or keep from the client, a row that is too large to be held.
    async fn stream_row(&mut self, relay: &mut Relay, header: Header, sequence: &mut u8) -> Flow {
        let Self { responder, out, .. } = self;
        let fate =
            responder.large(header, out).map_err(|Malformed| End::Refused(refusal::UNREADABLE, *sequence))?;
        *sequence = header.sequence.wrapping_add(1);
        relay.send(Side::Client, out).await?;
        out.clear();
        match fate {
            Fate::Forward => Ok(relay.stream(Side::Server, header.total()).await??),
            Fate::Replaced | Fate::SendNoFile(_) => relay.skip(Side::Server, header.total()).await,
        }
    }
}

/// Read more of an answer. If the server is gone, the client's next packet, of that number, says so.
async fn read_on(relay: &mut Relay, sequence: u8) -> Flow {
    match relay.fill(Side::Server).await {
        Ok(1..) => Ok(()),
        _ => Err(End::Refused(refusal::LOST, sequence)),
    }
}
