//! The server's answers on their way to the client.

use crate::connection::{stream, Connection, End, Flow};
use crate::packet::{self, Header, Malformed, HEADER, MAX_PAYLOAD};
use crate::refusal;
use crate::request::Request;
use crate::responder::Fate;

/// How much is collected before it is sent.
const BURST: usize = 32 << 10;
/// How much of that space a connection keeps that waits for its client.
const KEPT: usize = 4 << 10;

/// What to do after the packets that are there.
enum Next {
    Look,
    /// A packet of that many bytes is there in part.
    Await(usize),
    /// One that is not held is there in part.
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

impl Connection {
    /// Pass the server's answer to a request on to the client.
    pub async fn answer(&mut self, request: Request) -> Flow {
        self.responder.begin(request);
        // Our own error would follow the last packet that the client was sent.
        let mut sequence = 1;
        while !self.responder.is_done() {
            if packet::header(self.answers.unread()).is_none() {
                self.read_on(sequence).await?;
            }
            let batch = self.batch(&mut sequence);
            match batch.direct {
                0 => self.client.write_all(&self.out).await?,
                direct => self.client.write_all(&self.answers.unread()[..direct]).await?,
            }
            self.out.clear();
            self.answers.consume(batch.all);
            match batch.next {
                Next::Look => {}
                Next::Await(length) => {
                    self.answers.reserve(length);
                    self.read_on(sequence).await?;
                }
                Next::Stream(header) => self.stream_row(header, &mut sequence).await?,
                Next::SendNoFile(number) => {
                    let _ = self.server.write_all(&packet::header_bytes(0, number)).await;
                }
                Next::Unreadable => return Err(End::Told(refusal::UNREADABLE, sequence)),
            }
        }
        if self.out.capacity() > KEPT {
            self.out = Vec::new();
        }
        Ok(())
    }

    /// Deal with packets that are there as a whole.
    fn batch(&mut self, sequence: &mut u8) -> Batch {
        let Self { answers, out, responder, .. } = self;
        let unread = answers.unread();
        let (mut at, mut direct) = (0, 0);
        let next = loop {
            if responder.is_done() || out.len() >= BURST {
                break Next::Look;
            }
            let rest = &unread[at..];
            let Some(header) = packet::header(rest) else { break Next::Look };
            if rest.len() < header.total() {
                let held = responder.needs_whole() && header.length < MAX_PAYLOAD;
                if held || header.total() <= answers.usual() {
                    break Next::Await(header.total());
                }
                break Next::Stream(header);
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
        };
        Batch { direct, all: at, next }
    }

    /// Pass on, or keep from the client, a row that is too large to be held.
    async fn stream_row(&mut self, header: Header, sequence: &mut u8) -> Flow {
        let Self { answers, client, server, out, responder, .. } = self;
        let fate =
            responder.large(header, out).map_err(|Malformed| End::Told(refusal::UNREADABLE, *sequence))?;
        *sequence = header.sequence.wrapping_add(1);
        client.write_all(out).await?;
        out.clear();
        let target = (fate == Fate::Forward).then_some(&*client);
        stream(answers, server, header.total(), target).await??;
        Ok(())
    }

    /// Read more of an answer. A server that is gone is the client's next packet, of that number.
    async fn read_on(&mut self, sequence: u8) -> Flow {
        match self.server.fill(&mut self.answers).await {
            Ok(1..) => Ok(()),
            _ => Err(End::Told(refusal::LOST, sequence)),
        }
    }
}
