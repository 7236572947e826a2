//! One connection: a thread that waits for the client, then for the server, in turns.
//!
//! A server of this protocol does not read a command before it has answered the last one, and neither
//! does this. What a client sends without waiting is passed on at once, as long as it is certain to fit
//! into the socket's buffers; the answers are awaited one after the other.

use std::io::{self, IoSlice, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{poll, PollFd, PollFlags};
use rustix::net::{recv, RecvFlags};

use crate::capabilities::{self, Refused, DEPRECATE_EOF};
use crate::envelope::{self, Cipher, Sealer};
use crate::inbox::Inbox;
use crate::packet::{self, Header, Malformed, ERR, HEADER, MAX_PAYLOAD, OK};
use crate::refusal::{self, Refusal};
use crate::request::{self, Request};
use crate::responder::{Fate, Responder};
use crate::rules::Rules;

/// What is kept of the client's bytes. A statement that does not fit in is not trusted.
const COMMANDS: usize = 8 << 10;
const ANSWERS: usize = 16 << 10;
/// How much is collected before it is sent.
const BURST: usize = 32 << 10;
/// How much of that space a connection keeps that waits for its client.
const KEPT: usize = 4 << 10;
/// How many commands of a client that does not wait are passed on at once.
const PIPELINED: usize = 64;
/// How often a thread that waits for its client looks whether the server is still there.
const WATCH: Duration = Duration::from_secs(5);
const CONNECT: Duration = Duration::from_secs(10);
const FAREWELL: Duration = Duration::from_secs(1);

/// What all connections share.
pub struct Shared {
    pub upstream: SocketAddr,
    pub rules: Arc<Rules>,
    pub cipher: Arc<Cipher>,
}

/// Why a connection ends before its client ends it.
enum End {
    /// One side is gone, or nothing more can be said.
    Gone,
    /// The client is told.
    Told(Refusal, u8),
}

impl From<io::Error> for End {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

type Flow<T = ()> = Result<T, End>;

/// A command that is not passed on together with others.
type Single = (Header, Request);

/// Serve a client until one side ends.
pub fn serve(mut client: TcpStream, shared: &Shared) {
    let prepared = client.set_nodelay(true).and_then(|()| keep_alive(&client));
    if prepared.is_err() {
        return;
    }
    let server = TcpStream::connect_timeout(&shared.upstream, CONNECT)
        .and_then(|server| server.set_nodelay(true).map(|()| server));
    let Ok(server) = server else {
        dismiss(&mut client, refusal::UNREACHABLE, 0, false);
        return;
    };
    let sealer = Sealer::new(shared.cipher.clone(), envelope::random);
    let mut session = Session {
        client,
        server,
        commands: Inbox::new(COMMANDS),
        answers: Inbox::new(ANSWERS),
        out: Vec::new(),
        responder: Responder::new(shared.rules.clone(), sealer),
        rules: shared.rules.clone(),
        greeted: false,
    };
    if let Err(End::Told(refusal, sequence)) = session.run() {
        dismiss(&mut session.client, refusal, sequence, session.greeted);
    }
}

/// A client whose machine has gone away without a word is noticed some time.
fn keep_alive(stream: &TcpStream) -> io::Result<()> {
    Ok(rustix::net::sockopt::set_socket_keepalive(stream, true)?)
}

/// Say why and close. What the client still sends is read, or it would never see the message.
fn dismiss(client: &mut TcpStream, refusal: Refusal, sequence: u8, greeted: bool) {
    let told = client
        .write_all(&refusal.packet(sequence, greeted))
        .and_then(|()| client.shutdown(std::net::Shutdown::Write))
        .and_then(|()| client.set_read_timeout(Some(FAREWELL)));
    let mut ignored = [0; 1024];
    let mut reads = 0;
    while told.is_ok() && reads < 4096 && matches!(client.read(&mut ignored), Ok(1..)) {
        reads += 1;
    }
}

struct Session {
    client: TcpStream,
    server: TcpStream,
    commands: Inbox,
    answers: Inbox,
    /// Packets in place of others, until they are sent.
    out: Vec<u8>,
    responder: Responder,
    rules: Arc<Rules>,
    greeted: bool,
}

impl Session {
    fn run(&mut self) -> Flow {
        self.handshake()?;
        self.authenticate()?;
        self.client.set_read_timeout(Some(WATCH))?;
        let mut requests = [Request::Simple; PIPELINED];
        loop {
            let (passed, count, next) = self.commands(&mut requests)?;
            if passed > 0 {
                self.send_commands(passed)?;
            }
            for request in &requests[..count] {
                self.answer(*request)?;
            }
            if let Some(single) = next {
                if self.single(single)?.is_break() {
                    return Ok(());
                }
            } else if passed == 0 {
                self.await_client()?;
            }
        }
    }

    /// The server's greeting and the client's answer, without what is not understood.
    fn handshake(&mut self) -> Flow {
        let greeting = loop {
            if let Some(header) = packet::header(self.answers.unread()) {
                if header.total() > self.answers.usual() {
                    return Err(End::Told(refusal::HANDSHAKE, 0));
                }
                if self.answers.unread().len() >= header.total() {
                    break header;
                }
            }
            if self.answers.fill(&mut self.server)? == 0 {
                return Err(End::Told(refusal::UNREACHABLE, 0));
            }
        };
        let packet = &mut self.answers.unread_mut()[..greeting.total()];
        let refused = packet.get(HEADER) == Some(&ERR);
        let offered = match capabilities::mask_greeting(&mut packet[HEADER..]) {
            Ok(offered) => offered,
            Err(Malformed) if refused => 0,
            Err(Malformed) => return Err(End::Told(refusal::HANDSHAKE, 0)),
        };
        self.client.write_all(packet)?;
        self.answers.consume(greeting.total());
        if refused {
            return Err(End::Gone);
        }
        self.greeted = true;
        let response = loop {
            if let Some(header) = packet::header(self.commands.unread()) {
                let sequence = header.sequence.wrapping_add(1);
                if header.total() > self.commands.usual() {
                    return Err(End::Told(refusal::HANDSHAKE, sequence));
                }
                if self.commands.unread().len() >= header.total() {
                    break header;
                }
            }
            // A silent client is the server's to send away.
            self.await_either()?;
        };
        let packet = &mut self.commands.unread_mut()[..response.total()];
        let granted = capabilities::mask_response(&mut packet[HEADER..]).map_err(|refused| {
            let refusal = match refused {
                Refused::Tls => refusal::TLS,
                Refused::Malformed => refusal::HANDSHAKE,
            };
            End::Told(refusal, response.sequence.wrapping_add(1))
        })?;
        self.responder.agreed(granted & offered & DEPRECATE_EOF != 0);
        self.server.write_all(packet)?;
        self.commands.consume(response.total());
        Ok(())
    }

    /// Pass packets both ways until the server has let the client in, or has not.
    fn authenticate(&mut self) -> Flow {
        loop {
            while let Some(length) = whole(&self.answers)? {
                let packet = &self.answers.unread()[..length];
                let first = packet.get(HEADER).copied();
                self.client.write_all(packet)?;
                self.answers.consume(length);
                match first {
                    Some(OK) => return Ok(()),
                    Some(ERR) => return Err(End::Gone),
                    _ => {}
                }
            }
            while let Some(length) = whole(&self.commands)? {
                self.server.write_all(&self.commands.unread()[..length])?;
                self.commands.consume(length);
            }
            self.await_either()?;
        }
    }

    /// Wait until there is something of either side, and read it.
    fn await_either(&mut self) -> Flow {
        let (from_client, from_server) = {
            let mut both =
                [PollFd::new(&self.client, PollFlags::IN), PollFd::new(&self.server, PollFlags::IN)];
            loop {
                match poll(&mut both, None) {
                    Ok(_) => break,
                    Err(rustix::io::Errno::INTR) => {}
                    Err(_) => return Err(End::Gone),
                }
            }
            (!both[0].revents().is_empty(), !both[1].revents().is_empty())
        };
        if from_server && self.answers.fill(&mut self.server)? == 0 {
            return Err(End::Gone);
        }
        if from_client && !from_server && self.commands.fill(&mut self.client)? == 0 {
            return Err(End::Gone);
        }
        Ok(())
    }

    /// Wait for the client. A server that ends meanwhile is noticed by and by.
    fn await_client(&mut self) -> Flow {
        loop {
            match self.commands.fill(&mut self.client) {
                Ok(0) => return Err(End::Gone),
                Ok(_) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.watch_server()?,
                Err(_) => return Err(End::Gone),
            }
        }
    }

    /// What a server says that was not asked is why it ends the connection.
    fn watch_server(&mut self) -> Flow {
        let mut byte = [0];
        let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        match recv(&self.server, &mut byte, flags) {
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(()),
            Ok((_, 1..)) => {
                self.answers.fill(&mut self.server)?;
                if let Some(length) = whole(&self.answers)? {
                    self.client.write_all(&self.answers.unread()[..length])?;
                }
                Err(End::Gone)
            }
            _ => Err(End::Told(refusal::LOST, 0)),
        }
    }

    /// Read the commands that are there as a whole: how many bytes of them can be passed on together, how
    /// many answers they get, and the command after them that needs care of its own.
    fn commands(&self, requests: &mut [Request; PIPELINED]) -> Flow<(usize, usize, Option<Single>)> {
        let unread = self.commands.unread();
        let (mut passed, mut count) = (0, 0);
        while count < PIPELINED {
            let rest = &unread[passed..];
            let Some(header) = packet::header(rest) else { break };
            let large = header.total() > self.commands.usual();
            if rest.len() < header.total() && !(large && rest.len() >= HEADER + 5) {
                break;
            }
            let end = header.total().min(rest.len());
            let request = request::read(&rest[HEADER..end], !large, &self.rules)
                .map_err(|Malformed| End::Told(refusal::COMMAND, 1))?;
            let alone = matches!(request, Request::ChangeUser | Request::Quit | Request::Refused);
            if large || alone {
                return Ok((passed, count, Some((header, request))));
            }
            requests[count] = request;
            count += 1;
            passed += header.total();
        }
        Ok((passed, count, None))
    }

    fn send_commands(&mut self, length: usize) -> Flow {
        // If the server is gone, it may have said why: the answer is read first.
        let _ = self.server.write_all(&self.commands.unread()[..length]);
        self.commands.consume(length);
        Ok(())
    }

    fn single(&mut self, (header, request): Single) -> Flow<ControlFlow<()>> {
        if header.length == MAX_PAYLOAD {
            return self.refuse_large(header, request);
        }
        match request {
            Request::Refused => {
                self.skip_command(header)?;
                let refused = refusal::COMMAND.packet(header.sequence.wrapping_add(1), true);
                self.client.write_all(&refused)?;
            }
            Request::Quit => {
                let _ = self.server.write_all(&self.commands.unread()[..header.total()]);
                return Ok(ControlFlow::Break(()));
            }
            Request::ChangeUser => {
                if header.total() > self.commands.usual() {
                    return Err(End::Told(refusal::HANDSHAKE, header.sequence.wrapping_add(1)));
                }
                self.send_commands(header.total())?;
                self.responder.forget();
                self.authenticate()?;
            }
            request => {
                let Self { commands, client, server, .. } = self;
                stream(commands, client, header.total(), |part| {
                    let _ = server.write_all(part);
                    Ok(())
                })?;
                self.answer(request)?;
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Read a command over all its packets and answer it with an error.
    fn refuse_large(&mut self, first: Header, request: Request) -> Flow<ControlFlow<()>> {
        let mut header = first;
        loop {
            self.skip_command(header)?;
            if header.length < MAX_PAYLOAD {
                break;
            }
            header = loop {
                if let Some(header) = packet::header(self.commands.unread()) {
                    break header;
                }
                self.await_client()?;
            };
        }
        let sequence = header.sequence.wrapping_add(1);
        if let Request::Silent { .. } = request {
            // Nobody awaits an answer to it, and without the data the statement is another.
            return Err(End::Told(refusal::LARGE_COMMAND, sequence));
        }
        self.client.write_all(&refusal::LARGE_COMMAND.packet(sequence, true))?;
        Ok(ControlFlow::Continue(()))
    }

    fn skip_command(&mut self, header: Header) -> Flow {
        stream(&mut self.commands, &mut self.client, header.total(), |_| Ok(()))
    }

    /// Pass the server's answer to a request on to the client.
    fn answer(&mut self, request: Request) -> Flow {
        self.responder.begin(request);
        // Our own error would follow the last packet that the client was sent.
        let mut sequence = 1;
        while !self.responder.is_done() {
            if packet::header(self.answers.unread()).is_none() {
                read_on(&mut self.answers, &mut self.server, sequence)?;
            }
            let Self { client, server, answers, out, responder, .. } = self;
            // What is read passes as it is up to `direct`, and then what stands in `out`.
            let (mut at, mut direct) = (0, 0);
            let mut large = None;
            let mut wanted = 0;
            while !responder.is_done() && out.len() < BURST {
                let rest = &answers.unread()[at..];
                let Some(header) = packet::header(rest) else { break };
                if rest.len() < header.total() {
                    let held = responder.needs_whole() && header.length < MAX_PAYLOAD;
                    if held || header.total() <= answers.usual() {
                        wanted = header.total();
                    } else {
                        large = Some(header);
                    }
                    break;
                }
                let payload = &rest[HEADER..header.total()];
                let Ok(fate) = responder.packet(header.sequence, payload, out) else {
                    send(client, &answers.unread()[..direct], out)?;
                    return Err(End::Told(refusal::UNREADABLE, sequence));
                };
                sequence = header.sequence.wrapping_add(1);
                let end = at + header.total();
                match fate {
                    Fate::Forward if out.is_empty() && direct == at => direct = end,
                    Fate::Forward => out.extend_from_slice(&answers.unread()[at..end]),
                    Fate::Replaced => {}
                    Fate::SendNoFile(number) => {
                        let _ = server.write_all(&packet::header_bytes(0, number));
                    }
                }
                at = end;
            }
            send(client, &answers.unread()[..direct], out)?;
            answers.consume(at);
            if wanted > 0 {
                answers.reserve(wanted);
                read_on(answers, server, sequence)?;
            }
            if let Some(header) = large {
                let fate = responder
                    .large(header, out)
                    .map_err(|Malformed| End::Told(refusal::UNREADABLE, sequence))?;
                sequence = header.sequence.wrapping_add(1);
                send(client, &[], out)?;
                stream(answers, server, header.total(), |part| match fate {
                    Fate::Forward => client.write_all(part),
                    Fate::Replaced | Fate::SendNoFile(_) => Ok(()),
                })?;
            }
        }
        if self.out.capacity() > KEPT {
            self.out = Vec::new();
        }
        Ok(())
    }
}

/// Read more of an answer. A server that is gone is the client's next packet, of that number.
fn read_on(answers: &mut Inbox, server: &mut TcpStream, sequence: u8) -> Flow {
    match answers.fill(server) {
        Ok(1..) => Ok(()),
        _ => Err(End::Told(refusal::LOST, sequence)),
    }
}

/// The length of the first packet if it is there as a whole. During authentication none is large.
fn whole(inbox: &Inbox) -> Flow<Option<usize>> {
    match packet::header(inbox.unread()) {
        Some(header) if header.total() > inbox.usual() => Err(End::Gone),
        Some(header) if header.total() <= inbox.unread().len() => Ok(Some(header.total())),
        _ => Ok(None),
    }
}

/// Send both, and empty the second.
fn send(client: &mut TcpStream, direct: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    let mut sent = 0;
    while !direct.is_empty() && !out.is_empty() && sent < direct.len() {
        match client.write_vectored(&[IoSlice::new(&direct[sent..]), IoSlice::new(out)]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => sent += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    if out.is_empty() {
        return client.write_all(direct);
    }
    client.write_all(&out[sent.saturating_sub(direct.len())..])?;
    out.clear();
    Ok(())
}

/// Hand so many bytes to `take` in parts, reading on where they are not there yet.
fn stream(
    inbox: &mut Inbox,
    source: &mut TcpStream,
    length: usize,
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> Flow {
    let mut left = length;
    loop {
        let there = inbox.unread().len().min(left);
        take(&inbox.unread()[..there])?;
        inbox.consume(there);
        left -= there;
        if left == 0 {
            return Ok(());
        }
        match inbox.fill(source) {
            Ok(0) => return Err(End::Gone),
            Ok(_) => {}
            // A client may take its time over a long command.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return Err(End::Gone),
        }
    }
}
