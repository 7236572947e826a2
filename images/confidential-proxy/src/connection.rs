//! One connection: it waits for the client, then for the server, in turns.
//!
//! A server of this protocol does not read a command before it has answered the last one, and neither
//! does this. What a client sends without waiting is passed on at once, as long as it is certain to fit
//! into the socket's buffers; the answers are awaited one after the other.

use std::net::TcpStream;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use crate::answers::Answers;
use crate::commands::{self, Commands, Single};
use crate::envelope::{self, Master, Sealer};
use crate::handshake;
use crate::packet::{HEADER, MAX_PAYLOAD};
use crate::refusal;
use crate::relay::{End, Flow, Relay, Side};
use crate::request::Request;
use crate::responder::Responder;
use crate::room::Room;
use crate::rules::Rules;
use crate::socket;
use crate::upstream::Upstream;

/// How long a server may usually take to greet a client. Thousands may come at once.
pub const GREETING: Duration = Duration::from_secs(30);

/// What all connections share.
pub struct Shared {
    pub upstream: Upstream,
    pub rules: Arc<Rules>,
    pub master: Arc<Master>,
    pub room: Arc<Room>,
    /// How long the server may take to greet a client.
    pub greeting: Duration,
}

/// Serve a client until one side ends.
pub(crate) async fn serve(client: TcpStream, shared: Arc<Shared>) {
    let Ok(mut client) = socket::client(client) else { return };
    let server = match shared.upstream.connect().await {
        Ok(server) => server,
        Err(refusal) => return socket::dismiss(&mut client, &refusal.packet(0, false)).await,
    };
    let mut relay = Relay::new(client, server);
    let offered = match handshake::greet(&mut relay, shared.greeting).await {
        Ok(offered) => offered,
        Err(end) => return relay.dismiss(end, false).await,
    };
    let sealer = Sealer::new(shared.master.clone(), envelope::random);
    let answers = Answers::new(Responder::new(shared.rules.clone(), sealer), shared.room.clone());
    let by_socket = matches!(shared.upstream, Upstream::Unix(_));
    let mut connection = Connection { relay, answers, rules: shared.rules.clone(), by_socket };
    if let Err(end) = connection.run(offered).await {
        let Connection { relay, answers, .. } = connection;
        // Others may wait for the memory of its long row.
        drop(answers);
        relay.dismiss(end, true).await;
    }
}

struct Connection {
    relay: Relay,
    answers: Answers,
    rules: Arc<Rules>,
    /// Whether the server is reached by its socket, which it takes for secure.
    by_socket: bool,
}

impl Connection {
    /// Serve a client that the server has greeted with these capabilities.
    async fn run(&mut self, offered: u32) -> Flow {
        let (deprecate_eof, answered) = handshake::agree(&mut self.relay, offered, &self.rules).await?;
        self.answers.agreed(deprecate_eof);
        handshake::authenticate(&mut self.relay, answered, self.by_socket).await?;
        let mut commands = Commands::default();
        loop {
            // All that was asked has been answered.
            if !self.relay.unread(Side::Server).is_empty() {
                return self.relay.unasked(0).await;
            }
            commands.read(&self.relay)?;
            if commands.passed > 0 {
                self.send_commands(commands.passed).await;
            }
            for (request, length) in commands.requests() {
                let text = &self.relay.unread(Side::Client)[HEADER + 1..*length];
                self.answers.begin(*request, text);
                self.relay.consume(Side::Client, *length);
                self.answers.pass(&mut self.relay).await?;
            }
            if commands.passed > 0 {
                // Only then is it known that nothing stands in front of the next command's answer.
                continue;
            }
            match commands.single {
                Some(single) if self.single(single).await?.is_break() => return Ok(()),
                Some(_) => {}
                None => self.relay.await_client().await?,
            }
        }
    }

    /// Send the server what the client has sent, which stays unread.
    async fn send_commands(&mut self, length: usize) {
        // If the server is gone, it may have said why: the answer is read first.
        let _ = self.relay.show(Side::Client, length).await;
    }

    async fn single(&mut self, (header, request): Single) -> Flow<ControlFlow<()>> {
        let Self { relay, answers, .. } = self;
        if header.length == MAX_PAYLOAD {
            commands::refuse_large(relay, header, request).await?;
            return Ok(ControlFlow::Continue(()));
        }
        match request {
            Request::Refused => commands::refuse(relay, header).await?,
            Request::Quit => {
                let _ = relay.stream(Side::Client, header.total()).await;
                return Ok(ControlFlow::Break(()));
            }
            Request::ChangeUser => {
                if header.total() > relay.usual(Side::Client) {
                    return Err(End::Refused(refusal::HANDSHAKE, header.sequence.wrapping_add(1)));
                }
                self.send_commands(header.total()).await;
                self.relay.consume(Side::Client, header.total());
                let answered = header.sequence.wrapping_add(1);
                handshake::authenticate(&mut self.relay, answered, self.by_socket).await?;
                self.answers.forget();
            }
            request => {
                answers.begin_long(request, &relay.unread(Side::Client)[HEADER + 1..]);
                // A server that takes no more of it says why.
                let _ = relay.stream(Side::Client, header.total()).await?;
                answers.pass(relay).await?;
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
