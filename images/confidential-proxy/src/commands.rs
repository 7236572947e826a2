//! The client's commands: which ones are passed on together, and those that need care of their own.

use std::ops::ControlFlow;

use crate::connection::{stream, Connection, End, Flow};
use crate::inbox::Inbox;
use crate::packet::{self, Header, Malformed, HEADER, MAX_PAYLOAD};
use crate::refusal;
use crate::request::{self, Request};
use crate::rules::Rules;

/// How many commands of a client that does not wait are passed on at once.
const PIPELINED: usize = 64;

/// A command that is not passed on together with others.
pub(crate) type Single = (Header, Request);

/// The commands that are there as a whole.
pub(crate) struct Commands {
    requests: [Request; PIPELINED],
    count: usize,
    /// How many bytes of them can be passed on together.
    pub passed: usize,
    /// The command after them that cannot.
    pub single: Option<Single>,
}

impl Default for Commands {
    fn default() -> Self {
        Self { requests: [Request::Simple; PIPELINED], count: 0, passed: 0, single: None }
    }
}

impl Commands {
    pub fn requests(&self) -> &[Request] {
        &self.requests[..self.count]
    }

    /// Read what is there.
    pub fn read(&mut self, inbox: &Inbox, rules: &Rules) -> Flow {
        let unread = inbox.unread();
        (self.count, self.passed, self.single) = (0, 0, None);
        while self.count < PIPELINED {
            let rest = &unread[self.passed..];
            let Some(header) = packet::header(rest) else { break };
            let large = header.total() > inbox.usual();
            if rest.len() < header.total() && !(large && rest.len() >= HEADER + 5) {
                break;
            }
            let end = header.total().min(rest.len());
            let request = request::read(&rest[HEADER..end], !large, rules)
                .map_err(|Malformed| End::Told(refusal::COMMAND, 1))?;
            let alone = matches!(request, Request::ChangeUser | Request::Quit | Request::Refused);
            if large || alone {
                self.single = Some((header, request));
                break;
            }
            self.requests[self.count] = request;
            self.count += 1;
            self.passed += header.total();
        }
        Ok(())
    }
}

impl Connection {
    pub async fn send_commands(&mut self, length: usize) {
        // If the server is gone, it may have said why: the answer is read first.
        let _ = self.server.write_all(&self.commands.unread()[..length]).await;
        self.commands.consume(length);
    }

    pub async fn single(&mut self, (header, request): Single) -> Flow<ControlFlow<()>> {
        if header.length == MAX_PAYLOAD {
            self.refuse_large(header, request).await?;
            return Ok(ControlFlow::Continue(()));
        }
        match request {
            Request::Refused => {
                self.skip_command(header).await?;
                let refused = refusal::COMMAND.packet(header.sequence.wrapping_add(1), true);
                self.client.write_all(&refused).await?;
            }
            Request::Quit => {
                let _ = self.server.write_all(&self.commands.unread()[..header.total()]).await;
                return Ok(ControlFlow::Break(()));
            }
            Request::ChangeUser => {
                if header.total() > self.commands.usual() {
                    return Err(End::Told(refusal::HANDSHAKE, header.sequence.wrapping_add(1)));
                }
                self.send_commands(header.total()).await;
                self.responder.forget();
                self.authenticate().await?;
            }
            request => {
                let Self { commands, client, server, .. } = self;
                // A server that takes no more of it says why.
                let _ = stream(commands, client, header.total(), Some(server)).await?;
                self.answer(request).await?;
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Read a command over all its packets and answer it with an error.
    async fn refuse_large(&mut self, first: Header, request: Request) -> Flow {
        let mut header = first;
        loop {
            self.skip_command(header).await?;
            if header.length < MAX_PAYLOAD {
                break;
            }
            header = loop {
                if let Some(header) = packet::header(self.commands.unread()) {
                    break header;
                }
                self.await_client().await?;
            };
        }
        let sequence = header.sequence.wrapping_add(1);
        if let Request::Silent { .. } = request {
            // Nobody awaits an answer to it, and without the data the statement is another.
            return Err(End::Told(refusal::LARGE_COMMAND, sequence));
        }
        self.client.write_all(&refusal::LARGE_COMMAND.packet(sequence, true)).await?;
        Ok(())
    }

    async fn skip_command(&mut self, header: Header) -> Flow {
        stream(&mut self.commands, &self.client, header.total(), None).await.map(|_| ())
    }
}
