//! A proxy of one worker in front of a server of this file's: connections do not stand in each other's
//! way, and what cannot be sent is not kept.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use confidential_proxy::capabilities::DEPRECATE_EOF;
use confidential_proxy::connection::{Shared, GREETING};
use confidential_proxy::envelope::{Algorithm, Master, OVERHEAD};
use confidential_proxy::packet::{header_bytes, put_string, HEADER};
use confidential_proxy::room::{Room, LENT};
use confidential_proxy::rules::Rules;
use confidential_proxy::upstream::Upstream;
use confidential_proxy::{key, server};

/// More than it takes; a test that waits as long fails.
const PATIENCE: Duration = Duration::from_secs(20);
/// At once, on a machine that has other things to do.
const SOON: Duration = Duration::from_secs(10);
const ROW: usize = 1000;
const ROW_MEMORY: usize = 1 << 20;
const EOF: [u8; 5] = [0xFE, 0, 0, 2, 0];
/// What ends rows without EOF packets.
const END: [u8; 7] = [0xFE, 0, 0, 2, 0, 0, 0];
/// More than what is kept of a server's bytes.
const LONG: usize = 20_000;
const FIELD_LIST: u8 = 0x04;
const CHANGE_USER: u8 = 0x11;
const OK: [u8; 7] = [0, 0, 0, 2, 0, 0, 0];
/// What a client asks for: protocol 4.1 and what MySQL calls a long password, long flags, transactions and a
/// secure connection.
const CAPABILITIES: u32 = 0xA205;
/// What is left of an answer: a row by the binary protocol, which begins like an OK, and an error.
const LEFT_ROW: &[u8] = b"\0\0\x06Marker";
const LEFT_ERROR: &[u8] = b"\xff\x26\x04#23000Marker of a statement";
/// A statement that is not trusted.
const SELECTED: &[u8] = b"\x03SELECT c FROM t UNION SELECT 1";
/// A user whose password the server does not remember.
const UNKNOWN: &[u8] = b"stranger";
/// What `caching_sha2_password` says to that.
const FULL_AUTHENTICATION: [u8; 2] = [1, 4];
/// A user whose password it remembers, and whom the server lets in no sooner than for ever.
const FORGOTTEN: &[u8] = b"forgotten";
const FAST_AUTHENTICATION: [u8; 2] = [1, 3];

/// Start a proxy with these rules and one worker.
fn proxy(upstream: impl Into<Upstream>, rules: &str) -> SocketAddr {
    proxy_of(shared(upstream, rules))
}

fn shared(upstream: impl Into<Upstream>, rules: &str) -> Shared {
    let key = key::parse(b"00112233445566778899aabbccddeeff").unwrap();
    Shared {
        upstream: upstream.into(),
        rules: Arc::new(Rules::parse(rules, true).unwrap()),
        master: Arc::new(Master::new(Algorithm::Aes128Gcm, key)),
        room: Arc::new(Room::new(ROW_MEMORY, LENT)),
        greeting: GREETING,
    }
}

/// The same whose connections share this.
fn proxy_of(shared: Shared) -> SocketAddr {
    let shared = Arc::new(shared);
    let listener = server::listen("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = listener.local_addr().unwrap();
    let workers = server::workers(1, &shared).unwrap();
    thread::spawn(move || server::accept(&listener, &workers));
    address
}

fn send(stream: &mut impl Write, sequence: u8, payload: &[u8]) -> io::Result<()> {
    stream.write_all(&[&header_bytes(payload.len(), sequence), payload].concat())
}

fn receive(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut header = [0; 4];
    stream.read_exact(&mut header)?;
    let length = u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize;
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload)?;
    Ok(payload)
}

/// A packet that says more than is looked at.
fn padded(start: &[u8], length: usize) -> Vec<u8> {
    let mut payload = start.to_vec();
    payload.resize(length, 0);
    payload
}

/// An OK, or an end like one, with a text of that length.
fn wordy(start: &[u8], length: usize) -> Vec<u8> {
    let mut payload = start.to_vec();
    put_string(&mut payload, &vec![b'x'; length]);
    payload
}

/// That of the column `t.c`.
fn definition() -> Vec<u8> {
    let mut definition = Vec::new();
    for name in ["def", "db", "t", "t", "c", "c"] {
        put_string(&mut definition, name.as_bytes());
    }
    definition.extend_from_slice(&[12, 45, 0, 160, 0, 0, 0, 0xFD, 0, 0, 0, 0, 0]);
    definition
}

/// A server whose statements say what it does.
#[derive(Clone, Default)]
struct Server {
    /// Rows that it has sent.
    rows: Arc<AtomicUsize>,
    /// Connections that have come, and those that have gone again.
    begun: Arc<AtomicUsize>,
    ended: Arc<AtomicUsize>,
    /// Whether it does not even greet.
    mute: bool,
}

impl Server {
    fn start(&self) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = self.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let server = server.clone();
                thread::spawn(move || {
                    server.begun.fetch_add(1, Ordering::SeqCst);
                    let _ = server.serve(stream.unwrap());
                    server.ended.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        address
    }

    /// The same at a socket of that name.
    fn start_at_socket(&self, name: &str) -> Socket {
        let (socket, listener) = Socket::bind(name);
        self.start_with(listener);
        socket
    }

    fn start_with(&self, listener: UnixListener) {
        let server = self.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let server = server.clone();
                thread::spawn(move || server.serve(stream.unwrap()));
            }
        });
    }

    fn serve(&self, mut stream: impl Read + Write) -> io::Result<()> {
        if self.mute {
            return io::copy(&mut stream, &mut io::sink()).map(drop);
        }
        let mut greeting = b"\x0a8.0.0\0\x01\0\0\0scramble\0\xff\xf7\x2d\x02\0\xff\x01\x15".to_vec();
        greeting.extend_from_slice(b"\0\0\0\0\0\0\0\0\0\0and the rest\0");
        send(&mut stream, 0, &greeting)?;
        let response = receive(&mut stream)?;
        if response.windows(UNKNOWN.len()).any(|part| part == UNKNOWN) {
            send(&mut stream, 2, &FULL_AUTHENTICATION)?;
            assert_eq!(receive(&mut stream)?, [2], "the question for the server's key");
            send(&mut stream, 4, b"\x01-----BEGIN PUBLIC KEY-----")?;
            receive(&mut stream)?;
            return send(&mut stream, 6, &OK);
        }
        if response.windows(FORGOTTEN.len()).any(|part| part == FORGOTTEN) {
            send(&mut stream, 2, &FAST_AUTHENTICATION)?;
            return io::copy(&mut stream, &mut io::sink()).map(drop);
        }
        send(&mut stream, 2, &OK)?;
        loop {
            let payload = receive(&mut stream)?;
            if payload[0] == CHANGE_USER {
                send(&mut stream, 1, b"\xfeplugin\0")?;
                receive(&mut stream)?;
                send(&mut stream, 3, &OK)?;
                continue;
            }
            if payload[0] == FIELD_LIST {
                let mut listed = definition();
                put_string(&mut listed, &padded(b"a default value", LONG));
                send(&mut stream, 1, &listed)?;
                send(&mut stream, 2, &EOF)?;
                continue;
            }
            let command = String::from_utf8(payload[1..].to_vec()).unwrap();
            match command.split_once(' ') {
                Some(("rows", count)) => self.rows(&mut stream, count.parse().unwrap(), ROW)?,
                Some(("long", length)) => self.rows(&mut stream, 2, length.parse().unwrap())?,
                Some(("ok", length)) => send(&mut stream, 1, &wordy(&OK, length.parse().unwrap()))?,
                Some(("end", length)) => Self::row_without_eof(&mut stream, length.parse().unwrap())?,
                // The rest of the answer comes at once, or after the next command has.
                Some(("go", rest)) => {
                    send(&mut stream, 1, &OK)?;
                    if rest.starts_with("late") {
                        receive(&mut stream)?;
                    }
                    send(&mut stream, 2, if rest.ends_with("row") { LEFT_ROW } else { LEFT_ERROR })?;
                }
                _ if command.starts_with("SELECT ") => self.rows(&mut stream, 1, ROW)?,
                _ if command == "silence" => {}
                _ if command == "end" => return Ok(()),
                _ if command == "answer and end" => return send(&mut stream, 1, &OK),
                _ if command == "answer and be killed" => {
                    send(&mut stream, 1, &OK)?;
                    return send(&mut stream, 0, b"\xff\x87\x07#70100Marker of a statement");
                }
                _ if command == "answer twice" => {
                    send(&mut stream, 1, &OK)?;
                    send(&mut stream, 1, b"\x06Marker")?;
                }
                _ => send(&mut stream, 1, &OK)?,
            }
        }
    }

    fn rows(&self, stream: &mut impl Write, count: usize, length: usize) -> io::Result<()> {
        send(stream, 1, &[1])?;
        send(stream, 2, &definition())?;
        send(stream, 3, &EOF)?;
        let mut row = Vec::new();
        put_string(&mut row, &vec![b'x'; length]);
        for number in 0..count {
            send(stream, number as u8, &row)?;
            self.rows.fetch_add(1, Ordering::SeqCst);
        }
        send(stream, 4, &EOF)
    }

    /// One row for a client that does without EOF packets, and an end with a text of that length.
    fn row_without_eof(stream: &mut impl Write, length: usize) -> io::Result<()> {
        let mut row = Vec::new();
        put_string(&mut row, &[b'x'; ROW]);
        send(stream, 1, &[1])?;
        send(stream, 2, &definition())?;
        send(stream, 3, &row)?;
        send(stream, 4, &wordy(&END, length))
    }
}

/// The path of a server's socket, which goes with its test.
struct Socket(PathBuf);

impl Socket {
    /// One of that name, which is in no one's way.
    fn bind(name: &str) -> (Self, UnixListener) {
        let path = std::env::temp_dir().join(format!("encbench-{name}-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(&path).unwrap();
        (Self(path), listener)
    }

    fn upstream(&self) -> Upstream {
        Upstream::Unix(self.0.clone())
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

struct Client(TcpStream);

impl Client {
    fn connect(proxy: SocketAddr) -> Self {
        let mut client = Self::greeted(proxy, b"user");
        assert_eq!(client.receive(), OK);
        client
    }

    /// One that has said who it is and has no answer yet.
    fn greeted(proxy: SocketAddr, user: &[u8]) -> Self {
        Self::greeted_with(proxy, user, &[])
    }

    /// The same, which has sent more packets in one go with that.
    fn greeted_with(proxy: SocketAddr, user: &[u8], more: &[(u8, &[u8])]) -> Self {
        Self::asking(CAPABILITIES, proxy, user, more)
    }

    /// The same with other capabilities.
    fn asking(capabilities: u32, proxy: SocketAddr, user: &[u8], more: &[(u8, &[u8])]) -> Self {
        let mut stream = TcpStream::connect(proxy).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        receive(&mut stream).unwrap();
        let mut response = capabilities.to_le_bytes().to_vec();
        response.extend_from_slice(&[0; 28]);
        response.extend_from_slice(user);
        response.extend_from_slice(b"\0\0");
        let mut client = Self(stream);
        client.send_at_once(&[&[(1, response.as_slice())], more].concat());
        client
    }

    /// Packets, each with its number.
    fn send_at_once(&mut self, packets: &[(u8, &[u8])]) {
        let mut sent = Vec::new();
        for (number, payload) in packets {
            send(&mut sent, *number, payload).unwrap();
        }
        self.0.write_all(&sent).unwrap();
    }

    /// The one row of `SELECTED` is an envelope.
    fn receive_encrypted(&mut self) {
        assert_eq!([(); 5].map(|()| self.receive().len())[3], 3 + ROW + OVERHEAD);
    }

    fn ask(&mut self, statement: &str) {
        send(&mut self.0, 0, &[b"\x03", statement.as_bytes()].concat()).unwrap();
    }

    fn receive(&mut self) -> Vec<u8> {
        receive(&mut self.0).unwrap()
    }

    fn do_nothing(&mut self) {
        self.ask("nothing");
        assert_eq!(self.receive(), OK);
    }
}

/// The number when it has not changed for a while.
fn settled(number: &AtomicUsize) -> usize {
    let mut before = number.load(Ordering::SeqCst);
    loop {
        thread::sleep(Duration::from_millis(300));
        let now = number.load(Ordering::SeqCst);
        if now == before && now > 0 {
            return now;
        }
        before = now;
    }
}

fn eventually(condition: impl Fn() -> bool) -> bool {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end && !condition() {
        thread::sleep(Duration::from_millis(10));
    }
    condition()
}

#[test]
fn a_client_that_does_not_read_stops_its_server_and_nobody_else() {
    for rules in ["", "t.c\n"] {
        let server = Server::default();
        let proxy = proxy(server.start(), rules);
        let (mut slow, mut other) = (Client::connect(proxy), Client::connect(proxy));
        let count = 40_000;
        slow.ask(&format!("rows {count}"));
        let held = settled(&server.rows);
        assert!(held < count / 2, "{held} rows of {ROW} bytes were taken from the server");
        for _ in 0..100 {
            other.do_nothing();
        }
        assert_eq!(slow.receive(), [1]);
        assert!(slow.receive().starts_with(b"\x03def"));
        assert_eq!(slow.receive(), EOF);
        let row = HEADER + 3 + ROW + if rules.is_empty() { 0 } else { OVERHEAD };
        let rows = io::copy(&mut (&slow.0).take((count * row) as u64), &mut io::sink()).unwrap();
        assert_eq!(rows as usize, count * row);
        assert_eq!(slow.receive(), EOF);
    }
}

#[test]
fn a_long_row_takes_no_more_than_there_is() {
    let server = Server::default();
    let proxy = proxy(server.start(), "t.c\n");
    let mut client = Client::connect(proxy);
    for length in [20_000, ROW_MEMORY / 2 - 1000, ROW_MEMORY / 2, 2 * ROW_MEMORY] {
        client.ask(&format!("long {length}"));
        for _ in 0..3 {
            client.receive();
        }
        if length < ROW_MEMORY / 2 {
            for _ in 0..2 {
                assert_eq!(client.receive().len(), length + OVERHEAD + if length > 0xFFFF { 4 } else { 3 });
            }
            assert_eq!(client.receive(), EOF);
        } else {
            let said = client.receive();
            assert!(said.starts_with(b"\xff\x81\x04#08S01confidential-proxy has no memory"), "{said:?}");
        }
        client.do_nothing();
    }
}

#[test]
fn what_is_long_and_no_row_passes_too() {
    for rules in ["", "other.column\nt\n"] {
        let mut client = Client::connect(proxy(Server::default().start(), rules));
        client.ask(&format!("ok {LONG}"));
        assert_eq!(client.receive(), wordy(&OK, LONG));
        client.do_nothing();
        send(&mut client.0, 0, &[FIELD_LIST, b't', 0]).unwrap();
        assert!(client.receive().len() > LONG);
        assert_eq!(client.receive(), EOF);
        client.do_nothing();
        client.ask("ok 2000000");
        let said = client.receive();
        assert!(said.starts_with(b"\xff\x2b\x07#HY000confidential-proxy cannot read"), "{said:?}");
        assert_eq!(client.0.read(&mut [0]).unwrap(), 0, "up to a limit");
    }
}

#[test]
fn a_long_end_of_rows_is_no_row() {
    for (rules, row) in [("", 3 + ROW), ("t.c\n", 3 + ROW + OVERHEAD)] {
        let proxy = proxy(Server::default().start(), rules);
        let mut client = Client::asking(CAPABILITIES | DEPRECATE_EOF, proxy, b"user", &[]);
        assert_eq!(client.receive(), OK);
        client.ask(&format!("end {LONG}"));
        assert_eq!(client.receive(), [1]);
        assert!(client.receive().starts_with(b"\x03def"));
        assert_eq!(client.receive().len(), row);
        assert_eq!(client.receive(), wordy(&END, LONG));
        client.do_nothing();
    }
}

#[test]
fn a_client_that_does_not_read_a_long_row_gives_its_memory_back() {
    let server = Server::default();
    let room = Arc::new(Room::new(30 << 20, Duration::from_secs(4)));
    let proxy = proxy_of(Shared { room, ..shared(server.start(), "t.c\n") });
    let (mut slow, mut other) = (Client::connect(proxy), Client::connect(proxy));
    // More than the buffers on the way take.
    slow.ask(&format!("long {}", 13 << 20));
    assert!(eventually(|| server.rows.load(Ordering::SeqCst) > 0));
    let length = 4 << 20;
    other.ask(&format!("long {length}"));
    for _ in 0..3 {
        other.receive();
    }
    assert_eq!(other.receive().len(), length + OVERHEAD + 4);
    assert!(eventually(|| server.ended.load(Ordering::SeqCst) == 1), "and the slow one's connection ends");
}

#[test]
fn each_answer_is_judged_by_its_own_statement() {
    let proxy = proxy(Server::default().start(), "other.column\nt\n");
    let mut client = Client::connect(proxy);
    let commands = ["SELECT c FROM t", "nothing", "SELECT c FROM t UNION SELECT 1", "SELECT c FROM t"];
    let mut sent = Vec::new();
    for command in commands {
        send(&mut sent, 0, &[b"\x03", command.as_bytes()].concat()).unwrap();
    }
    client.0.write_all(&sent).unwrap();
    let mut row_lengths = Vec::new();
    for command in commands {
        if command == "nothing" {
            assert_eq!(client.receive(), OK);
            continue;
        }
        row_lengths.push([(); 5].map(|()| client.receive().len())[3]);
    }
    assert_eq!(row_lengths, [3 + ROW, 3 + ROW + OVERHEAD, 3 + ROW]);
}

#[test]
fn a_client_that_does_not_stop_asking_stops_nobody() {
    let server = Server::default();
    let proxy = proxy(server.start(), "");
    let (mut greedy, mut other) = (Client::connect(proxy), Client::connect(proxy));
    let mut sender = greedy.0.try_clone().unwrap();
    let command = [&header_bytes(8, 0), b"\x03nothing".as_slice()].concat();
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = sent.clone();
    thread::spawn(move || {
        // Until the buffers on the way are full, because the client does not read the answers.
        while sender.write_all(&command.repeat(100)).is_ok() {
            counted.fetch_add(100, Ordering::SeqCst);
        }
    });
    settled(&sent);
    for _ in 0..100 {
        other.do_nothing();
    }
    for _ in 0..1000 {
        assert_eq!(greedy.receive(), OK);
    }
}

#[test]
fn an_endless_answer_leaves_others_their_turns() {
    let server = Server::default();
    let proxy = proxy(server.start(), "t.c\n");
    let (mut busy, mut other) = (Client::connect(proxy), Client::connect(proxy));
    busy.ask("rows 1000000000");
    let mut reader = busy.0.try_clone().unwrap();
    thread::spawn(move || {
        let mut space = vec![0; 1 << 20];
        while matches!(reader.read(&mut space), Ok(1..)) {}
    });
    while server.rows.load(Ordering::SeqCst) < 10_000 {
        thread::sleep(Duration::from_millis(1));
    }
    let before = server.rows.load(Ordering::SeqCst);
    for _ in 0..50 {
        other.do_nothing();
    }
    assert!(server.rows.load(Ordering::SeqCst) > before, "it goes on meanwhile");
    busy.0.shutdown(std::net::Shutdown::Both).unwrap();
}

#[test]
fn a_silent_server_stops_nobody() {
    let server = Server::default();
    let proxy = proxy(server.start(), "");
    let mut waiting: Vec<Client> = (0..20).map(|_| Client::connect(proxy)).collect();
    for client in &mut waiting {
        client.ask("silence");
    }
    let mut other = Client::connect(proxy);
    for _ in 0..100 {
        other.do_nothing();
    }
}

#[test]
fn a_server_that_ends_is_told_at_once() {
    let server = Server::default();
    let proxy = proxy(server.start(), "");
    let mut client = Client::connect(proxy);
    client.do_nothing();
    let began = Instant::now();
    client.ask("end");
    let said = client.receive();
    assert!(said.starts_with(b"\xff\x87\x04#08S01"), "{said:?}");
    assert!(began.elapsed() < SOON);
    assert_eq!(client.0.read(&mut [0]).unwrap(), 0, "and the connection ends");
}

#[test]
fn a_client_that_goes_on_sending_after_its_end_is_cut_off() {
    let mut client = Client::connect(proxy(Server::default().start(), ""));
    client.ask("end");
    let said = client.receive();
    assert!(said.starts_with(b"\xff\x87\x04#08S01"), "{said:?}");
    let began = Instant::now();
    while client.0.write_all(&[0]).is_ok() {
        assert!(began.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn an_idle_client_is_told_too() {
    let server = Server::default();
    let mut client = Client::connect(proxy(server.start(), ""));
    client.ask("answer and end");
    assert_eq!(client.receive(), OK);
    let began = Instant::now();
    let said = client.receive();
    assert!(said.starts_with(b"\xff\x87\x04#08S01"), "{said:?}");
    assert!(began.elapsed() < SOON);
    assert_eq!(client.0.read(&mut [0]).unwrap(), 0, "and the connection ends");
}

#[test]
fn clients_that_go_leave_no_connection_behind() {
    let server = Server::default();
    let proxy = proxy(server.start(), "");
    let mut busy = Client::connect(proxy);
    busy.ask("rows 1000000000");
    for number in 1..=200 {
        let mut client = Client::connect(proxy);
        client.do_nothing();
        drop(client);
        if number % 50 == 0 {
            assert!(eventually(|| server.ended.load(Ordering::SeqCst) == number));
        }
    }
    assert_eq!(server.begun.load(Ordering::SeqCst), 201);
    drop(busy);
    assert!(eventually(|| server.ended.load(Ordering::SeqCst) == 201), "also in the middle of an answer");
}

#[test]
fn clients_that_go_before_a_silent_server_has_let_them_in_leave_none_either() {
    let mute = Server { mute: true, ..Server::default() };
    let client = TcpStream::connect(proxy(mute.start(), "")).unwrap();
    assert!(eventually(|| mute.begun.load(Ordering::SeqCst) == 1));
    drop(client);
    assert!(eventually(|| mute.ended.load(Ordering::SeqCst) == 1), "without a greeting");

    let server = Server::default();
    let mut client = Client::greeted_with(proxy(server.start(), ""), FORGOTTEN, &[(0, SELECTED)]);
    assert_eq!(client.receive(), FAST_AUTHENTICATION);
    drop(client);
    assert!(eventually(|| server.ended.load(Ordering::SeqCst) == 1), "in the middle of the login");
}

#[test]
fn a_server_that_does_not_greet_is_as_good_as_none() {
    let mute = Server { mute: true, ..Server::default() };
    let greeting = Duration::from_millis(200);
    let proxy = proxy_of(Shared { greeting, ..shared(mute.start(), "") });
    let mut client = TcpStream::connect(proxy).unwrap();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    let said = receive(&mut client).unwrap();
    assert!(said.starts_with(b"\xff\x86\x04confidential-proxy does not reach"), "{said:?}");
    assert_eq!(client.read(&mut [0]).unwrap(), 0);
    assert!(eventually(|| mute.ended.load(Ordering::SeqCst) == 1));
}

#[test]
fn a_client_may_become_another_user() {
    let server = Server::default();
    let mut client = Client::connect(proxy(server.start(), ""));
    for _ in 0..3 {
        client.do_nothing();
        send(&mut client.0, 0, &[CHANGE_USER]).unwrap();
        assert_eq!(client.receive(), b"\xfeplugin\0");
        send(&mut client.0, 2, b"proof").unwrap();
        assert_eq!(client.receive(), OK);
    }
}

#[test]
fn a_server_that_is_not_there_is_told() {
    // A port without a listener: the one that it had is closed.
    let upstream = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let proxy = proxy(upstream, "");
    for _ in 0..3 {
        let mut stream = TcpStream::connect(proxy).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let said = receive(&mut stream).unwrap();
        assert!(said.starts_with(b"\xff\x86\x04confidential-proxy does not reach"), "{said:?}");
        assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    }
}

#[test]
fn a_server_may_be_reached_by_its_socket() {
    let server = Server::default();
    let socket = server.start_at_socket("serves");
    let proxy = proxy(socket.upstream(), "t.c\n");
    let mut client = Client::connect(proxy);
    client.do_nothing();
    client.ask("rows 3");
    for _ in 0..3 {
        client.receive();
    }
    for _ in 0..3 {
        assert_eq!(client.receive().len(), 3 + ROW + OVERHEAD);
    }
    assert_eq!(client.receive(), EOF);
    client.ask("end");
    assert!(client.receive().starts_with(b"\xff\x87\x04#08S01"));
}

/// By TCP the kernel waits for a place in the queue; by a socket that is left to the program.
#[test]
fn a_full_queue_at_a_socket_is_waited_for() {
    let (socket, listener) = Socket::bind("queues");
    rustix::net::listen(&listener, 0).unwrap();
    let proxy = proxy(socket.upstream(), "");
    let clients: Vec<TcpStream> = (0..8).map(|_| TcpStream::connect(proxy).unwrap()).collect();
    thread::sleep(Duration::from_millis(300));
    Server::default().start_with(listener);
    for mut client in clients {
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        assert!(receive(&mut client).unwrap().starts_with(b"\x0a8.0.0"));
    }
}

#[test]
fn no_password_goes_to_a_socket() {
    let server = Server::default();
    let socket = server.start_at_socket("asks");
    let proxy = proxy(socket.upstream(), "");
    let mut client = Client::greeted(proxy, UNKNOWN);
    let said = client.receive();
    assert!(said.starts_with(b"\xff\xe3\x04#08004confidential-proxy reaches the server by"), "{said:?}");
    assert_eq!(client.0.read(&mut [0]).unwrap(), 0, "and the connection ends");
    Client::connect(proxy).do_nothing();
}

#[test]
fn by_tcp_the_password_is_between_client_and_server() {
    let mut client = Client::greeted(proxy(Server::default().start(), ""), UNKNOWN);
    assert_eq!(client.receive(), FULL_AUTHENTICATION);
    send(&mut client.0, 3, &[2]).unwrap();
    assert!(client.receive().starts_with(b"\x01-----BEGIN"));
    send(&mut client.0, 5, &[7; 256]).unwrap();
    assert_eq!(client.receive(), OK);
}

/// Passed on with the login, they would be answered in the place of what is asked afterwards.
#[test]
fn commands_that_come_with_a_login_are_answered_as_commands() {
    let proxy = proxy(Server::default().start(), "other.column\nt\n");
    let mut client = Client::greeted_with(proxy, b"user", &[(0, SELECTED), (0, SELECTED)]);
    assert_eq!(client.receive(), OK);
    client.receive_encrypted();
    client.receive_encrypted();
    client.send_at_once(&[(0, &[CHANGE_USER]), (2, b"proof"), (0, SELECTED)]);
    assert_eq!(client.receive(), b"\xfeplugin\0");
    assert_eq!(client.receive(), OK);
    client.receive_encrypted();
    client.do_nothing();
}

#[test]
fn what_has_another_number_is_no_answer_to_a_login_s_question() {
    for number in [0, 1, 4] {
        let proxy = proxy(Server::default().start(), "");
        let mut client = Client::greeted_with(proxy, UNKNOWN, &[(number, &[2])]);
        assert_eq!(client.receive(), FULL_AUTHENTICATION);
        let said = client.receive();
        assert!(said.starts_with(b"\xff\x13\x04#08S01confidential-proxy cannot read this"), "{said:?}");
    }
}

#[test]
fn a_login_packet_that_is_too_long_is_refused_in_a_sentence() {
    let proxy = proxy(Server::default().start(), "");
    let mut client = Client::greeted_with(proxy, UNKNOWN, &[(3, padded(&[2], 9000).as_slice())]);
    assert_eq!(client.receive(), FULL_AUTHENTICATION);
    let said = client.receive();
    assert!(said.starts_with(b"\xff\x13\x04#08S01confidential-proxy cannot read this"), "{said:?}");
}

/// More of them than the proxy keeps do not look like the client's end.
#[test]
fn many_commands_may_come_with_a_login() {
    let mut client = Client::greeted_with(
        proxy(Server::default().start(), "other.column\nt\n"),
        b"user",
        &[(0, SELECTED); 500],
    );
    assert_eq!(client.receive(), OK);
    for _ in 0..500 {
        client.receive_encrypted();
    }
}

#[test]
fn what_a_server_says_unasked_loses_its_text() {
    let mut client = Client::connect(proxy(Server::default().start(), "t.c\n"));
    client.ask("answer and be killed");
    assert_eq!(client.receive(), OK);
    let said = client.receive();
    assert!(said.starts_with(b"\xff\x87\x07#70100confidential-proxy withholds"), "{said:?}");
    assert_eq!(client.0.read(&mut [0]).unwrap(), 0, "and the connection ends");
}

#[test]
fn an_answer_that_was_not_asked_for_ends_the_connection() {
    let mut client = Client::connect(proxy(Server::default().start(), "t.c\n"));
    client.ask("answer twice");
    assert_eq!(client.receive(), OK);
    let said = client.receive();
    assert!(said.starts_with(b"\xff\x2b\x07#HY000confidential-proxy cannot read"), "{said:?}");
    assert_eq!(client.0.read(&mut [0]).unwrap(), 0);
}

#[test]
fn what_is_left_of_an_answer_is_none_to_the_next_command() {
    let proxy = proxy(Server::default().start(), "t.c\n");
    for rest in ["row", "error", "late row", "late error"] {
        for next in [[CHANGE_USER].as_slice(), b"\x03nothing"] {
            let mut client = Client::connect(proxy);
            let first = format!("\x03go {rest}");
            client.send_at_once(&[(0, first.as_bytes()), (0, next)]);
            assert_eq!(client.receive(), OK);
            let said = client.receive();
            let start: &[u8] = match rest.ends_with("row") {
                true => b"\xff\x2b\x07#HY000confidential-proxy cannot read",
                false => b"\xff\x26\x04#23000confidential-proxy withholds",
            };
            assert!(said.starts_with(start), "{rest} {next:?}: {said:?}");
            assert_eq!(client.0.read(&mut [0]).unwrap(), 0, "and the connection ends");
        }
    }
}
