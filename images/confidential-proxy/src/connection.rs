//! One connection: it waits for the client, then for the server, in turns.
//!
//! A server of this protocol does not read a command before it has answered the last one, and neither
//! does this. What a client sends without waiting is passed on at once, as long as it is certain to fit
//! into the socket's buffers; the answers are awaited one after the other. What cannot be sent yet is
//! waited for before anything else is read: a slow side slows the other one down, and takes no memory.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use crate::commands::Commands;
use crate::envelope::{self, Cipher, Sealer};
use crate::inbox::Inbox;
use crate::packet::{self, Header};
use crate::refusal::{self, Refusal};
use crate::responder::Responder;
use crate::rules::Rules;
use crate::signals::{Side, Signals};
use crate::socket::{either, Place, Socket};

/// What is kept of the client's bytes. A statement that does not fit in is not trusted.
const COMMANDS: usize = 8 << 10;
const ANSWERS: usize = 16 << 10;
const CONNECT: Duration = Duration::from_secs(10);
const FAREWELL: Duration = Duration::from_secs(1);

/// What all connections share.
pub struct Shared {
    pub upstream: SocketAddr,
    pub rules: Arc<Rules>,
    pub cipher: Arc<Cipher>,
}

/// Why a connection ends before its client ends it.
pub(crate) enum End {
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

pub(crate) type Flow<T = ()> = Result<T, End>;

/// Serve a client until one side ends.
pub(crate) async fn serve(client: TcpStream, place: Place, shared: Arc<Shared>) {
    let Ok(client) = place.watch(client, Side::Client) else { return };
    if client.no_delay().and_then(|()| client.keep_alive()).is_err() {
        return;
    }
    let connected = place.signals.within(CONNECT, place.connect(shared.upstream)).await;
    let server = match connected {
        Some(Ok(server)) if server.no_delay().is_ok() => server,
        _ => return dismiss(&client, &place.signals, refusal::UNREACHABLE, 0, false).await,
    };
    let sealer = Sealer::new(shared.cipher.clone(), envelope::random);
    let mut connection = Connection {
        client,
        server,
        commands: Inbox::new(COMMANDS),
        answers: Inbox::new(ANSWERS),
        out: Vec::new(),
        responder: Responder::new(shared.rules.clone(), sealer),
        rules: shared.rules.clone(),
        greeted: false,
    };
    if let Err(End::Told(refusal, sequence)) = connection.run().await {
        let Connection { client, greeted, .. } = &connection;
        dismiss(client, &place.signals, refusal, sequence, *greeted).await;
    }
}

/// Say why and close. What the client still sends is read, or it would never see the message.
async fn dismiss(client: &Socket, signals: &Signals, refusal: Refusal, sequence: u8, greeted: bool) {
    let packet = refusal.packet(sequence, greeted);
    let told = signals.within(FAREWELL, client.write_all(&packet)).await;
    if !matches!(told, Some(Ok(()))) || client.end().is_err() {
        return;
    }
    let mut ignored = Inbox::new(COMMANDS);
    let mut reads = 0;
    while reads < 1024 && matches!(signals.within(FAREWELL, client.fill(&mut ignored)).await, Some(Ok(1..))) {
        ignored.consume(ignored.unread().len());
        reads += 1;
    }
}

pub(crate) struct Connection {
    pub client: Socket,
    pub server: Socket,
    pub commands: Inbox,
    pub answers: Inbox,
    /// Packets in place of others, until they are sent.
    pub out: Vec<u8>,
    pub responder: Responder,
    pub rules: Arc<Rules>,
    pub greeted: bool,
}

impl Connection {
    async fn run(&mut self) -> Flow {
        self.handshake().await?;
        self.authenticate().await?;
        let mut commands = Commands::default();
        loop {
            commands.read(&self.commands, &self.rules)?;
            if commands.passed > 0 {
                self.send_commands(commands.passed).await;
            }
            for request in commands.requests() {
                self.answer(*request).await?;
            }
            if let Some(single) = commands.single {
                if self.single(single).await?.is_break() {
                    return Ok(());
                }
            } else if commands.passed == 0 {
                self.await_client().await?;
            }
        }
    }

    /// Wait for the client.
    pub async fn await_client(&mut self) -> Flow {
        match either(&self.client, &self.server).await {
            Side::Client => match self.commands.fill(&mut &self.client) {
                Ok(0) => Err(End::Gone),
                Ok(_) => Ok(()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
                Err(_) => Err(End::Gone),
            },
            Side::Server => self.hear_server().await,
        }
    }

    /// What a server says that was not asked is why it ends the connection.
    async fn hear_server(&mut self) -> Flow {
        match self.answers.fill(&mut &self.server) {
            Ok(1..) => {
                if let Some(header) = whole(&self.answers)? {
                    self.client.write_all(&self.answers.unread()[..header.total()]).await?;
                }
                Err(End::Gone)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            _ => Err(End::Told(refusal::LOST, 0)),
        }
    }
}

/// A packet that is too large for where it stands. Unless somebody says so, the connection just ends.
pub(crate) struct Large(pub Header);

impl From<Large> for End {
    fn from(_: Large) -> Self {
        Self::Gone
    }
}

/// The first packet's header if it is there as a whole.
pub(crate) fn whole(inbox: &Inbox) -> Result<Option<Header>, Large> {
    match packet::header(inbox.unread()) {
        Some(header) if header.total() > inbox.usual() => Err(Large(header)),
        Some(header) if header.total() <= inbox.unread().len() => Ok(Some(header)),
        _ => Ok(None),
    }
}

/// Take so many bytes and send them on to `target`, if there is one, reading on where they are not there
/// yet. Whether `target` takes them is returned; all are read in any case.
pub(crate) async fn stream(
    inbox: &mut Inbox,
    source: &Socket,
    length: usize,
    target: Option<&Socket>,
) -> Flow<io::Result<()>> {
    let mut left = length;
    let mut sent = Ok(());
    loop {
        let there = inbox.unread().len().min(left);
        if let (Some(target), Ok(())) = (target, &sent) {
            sent = target.write_all(&inbox.unread()[..there]).await;
        }
        inbox.consume(there);
        left -= there;
        if left == 0 {
            return Ok(sent);
        }
        if source.fill(inbox).await? == 0 {
            return Err(End::Gone);
        }
    }
}
