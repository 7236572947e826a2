//! The client's commands: which ones are passed on together, and those that need care of their own.

use crate::packet::{self, Header, Malformed, HEADER, MAX_PAYLOAD};
use crate::refusal;
use crate::relay::{End, Flow, Relay, Side};
use crate::request::{self, Request};

/// How many commands of a client that does not wait are passed on at once.
const PIPELINED: usize = 64;

/// A command that is not passed on together with others.
pub(crate) type Single = (Header, Request);

/// The commands that are there as a whole.
pub(crate) struct Commands {
    /// Each with how many bytes its packet has.
    requests: [(Request, usize); PIPELINED],
    count: usize,
    /// How many bytes of them can be passed on together.
    pub passed: usize,
    /// The command after them that cannot.
    pub single: Option<Single>,
}

impl Default for Commands {
    fn default() -> Self {
        Self { requests: [(Request::Simple, 0); PIPELINED], count: 0, passed: 0, single: None }
    }
}

impl Commands {
    pub fn requests(&self) -> &[(Request, usize)] {
        &self.requests[..self.count]
    }

    /// Read what is there.
    pub fn read(&mut self, relay: &Relay) -> Flow {
        let (unread, usual) = (relay.unread(Side::Client), relay.usual(Side::Client));
        (self.count, self.passed, self.single) = (0, 0, None);
        while self.count < PIPELINED {
            let rest = &unread[self.passed..];
            let Some(header) = packet::header(rest) else { break };
            let large = header.total() > usual;
            // Of a large one the beginning is enough.
            let end = header.total().min(usual);
            if rest.len() < end {
                break;
            }
            let request =
                request::read(&rest[HEADER..end]).map_err(|Malformed| End::Refused(refusal::COMMAND, 1))?;
            let alone = matches!(request, Request::ChangeUser | Request::Quit | Request::Refused);
            if large || alone {
                self.single = Some((header, request));
                break;
            }
            self.requests[self.count] = (request, header.total());
            self.count += 1;
            self.passed += header.total();
        }
        Ok(())
    }
}

/// Keep a command from the server, and answer it with an error.
pub(crate) async fn refuse(relay: &mut Relay, header: Header) -> Flow {
    relay.skip(Side::Client, header.total()).await?;
    let refused = refusal::COMMAND.packet(header.sequence.wrapping_add(1), true);
    Ok(relay.send(Side::Client, &refused).await?)
}

/// The same for a command of several packets, of which `first` is the first.
pub(crate) async fn refuse_large(relay: &mut Relay, first: Header, request: Request) -> Flow {
    let mut header = first;
    loop {
        relay.skip(Side::Client, header.total()).await?;
        if header.length < MAX_PAYLOAD {
            break;
        }
        header = loop {
            if let Some(header) = packet::header(relay.unread(Side::Client)) {
                break header;
            }
            relay.await_client().await?;
        };
    }
    let sequence = header.sequence.wrapping_add(1);
    if let Request::Silent { .. } = request {
        // The client awaits no answer to it, and without the data the statement is another.
        return Err(End::Refused(refusal::LARGE_COMMAND, sequence));
    }
    Ok(relay.send(Side::Client, &refusal::LARGE_COMMAND.packet(sequence, true)).await?)
}
