//! The program itself, which a shell starts with few open files.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use confidential_proxy::packet::{self, header_bytes, HEADER};
use rustix::process::{prlimit, Pid, Resource, Rlimit};

/// A client that has nothing by then has to wait.
const PATIENCE: Duration = Duration::from_secs(5);
const VERSION: &[u8] = b"\x0a8.0.0\0";
const GREETING: &[u8] = b"\x0a8.0.0\0\x01\0\0\0scramble\0\xff\xf7\x2d\x02\0\xff\x00\x15\
    \0\0\0\0\0\0\0\0\0\0and the rest\0";
const OK: [u8; 7] = [0, 0, 0, 2, 0, 0, 0];
const EOF: [u8; 5] = [0xFE, 0, 0, 2, 0];
/// What a client asks for: protocol 4.1, long flags, transactions and a secure connection.
const CAPABILITIES: u32 = 0xA205;
/// More than the buffers of two sockets hold.
const ROWS: usize = 400;
static ROW: [u8; 60_000] = [b'x'; 60_000];

/// A server that greets, takes any login, and answers a command with many rows.
fn server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || serve(stream.unwrap()));
        }
    });
    address
}

/// Until the other side is gone.
fn serve(mut stream: TcpStream) -> Option<()> {
    send(&mut stream, 0, GREETING).ok()?;
    receive(&mut stream)?;
    send(&mut stream, 2, &OK).ok()?;
    receive(&mut stream)?;
    for (sequence, payload) in [[1].as_slice(), b"a definition", &EOF].into_iter().enumerate() {
        send(&mut stream, sequence as u8 + 1, payload).ok()?;
    }
    for _ in 0..ROWS {
        send(&mut stream, 4, &ROW).ok()?;
    }
    send(&mut stream, 5, &EOF).ok()?;
    receive(&mut stream).map(drop)
}

fn send(stream: &mut TcpStream, sequence: u8, payload: &[u8]) -> io::Result<()> {
    stream.write_all(&[&header_bytes(payload.len(), sequence), payload].concat())
}

struct Program {
    folder: PathBuf,
    child: Child,
    address: SocketAddr,
}

impl Program {
    /// One whose shell first runs this command.
    fn start(name: &str, before: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("confidential-proxy-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("mek"), "00112233445566778899aabbccddeeff").unwrap();
        fs::write(folder.join("columns"), "").unwrap();
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(format!("{before} && exec \"$0\" \"$@\""))
            .arg(env!("CARGO_BIN_EXE_confidential-proxy"))
            .args(["--listen", "127.0.0.1:0", "--algorithm", "AES_128_GCM", "--workers", "1"])
            .arg("--upstream")
            .arg(server().to_string())
            .arg("--mek-file")
            .arg(folder.join("mek"))
            .arg("--columns")
            .arg(folder.join("columns"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut announced = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut announced).unwrap();
        let address = announced.split(' ').nth(2).unwrap().parse().unwrap();
        Self { folder, child, address }
    }

    /// A client, and what it gets first.
    fn client(&self) -> (TcpStream, Option<Vec<u8>>) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let first = receive(&mut stream);
        (stream, first)
    }

    /// Let it open no more files than it has.
    fn allow_no_more(&self) {
        let files = format!("/proc/{}/fd", self.child.id());
        let next = (0..).find(|number: &u64| !Path::new(&files).join(number.to_string()).exists());
        let limit = Rlimit { current: next, maximum: next };
        prlimit(Some(Pid::from_child(&self.child)), Resource::Nofile, limit).unwrap();
    }

    /// End it; what it has said on standard error.
    fn end(&mut self) -> String {
        self.child.kill().unwrap();
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn receive(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut header = [0; HEADER];
    stream.read_exact(&mut header).ok()?;
    let mut payload = vec![0; packet::header(&header)?.length];
    stream.read_exact(&mut payload).ok()?;
    Some(payload)
}

/// A key that was given where its file belongs is not written into a log.
#[test]
fn it_does_not_say_what_is_no_file_of_a_key() {
    let key = "00112233445566778899aabbccddeeff";
    let done = Command::new(env!("CARGO_BIN_EXE_confidential-proxy"))
        .args(["--listen", "127.0.0.1:0", "--upstream", "127.0.0.1:1", "--algorithm", "AES_128_GCM"])
        .args(["--mek-file", key, "--columns", "/dev/null"])
        .output()
        .unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.starts_with("confidential-proxy: --mek-file: No such file"), "{said}");
    assert!(!said.contains(key) && done.stdout.is_empty() && done.status.code() == Some(66), "{said}");
}

#[test]
fn it_asks_for_as_many_open_files_as_it_may_have() {
    let program = Program::start("many", "ulimit -S -n 64");
    let mut clients = Vec::new();
    for _ in 0..100 {
        let (client, first) = program.client();
        let greeted = first.is_some_and(|first| first.starts_with(VERSION));
        assert!(greeted, "after {} clients", clients.len());
        clients.push(client);
    }
}

#[test]
fn it_says_that_it_may_open_no_more() {
    let mut program = Program::start("few", "ulimit -n 32");
    let mut clients = Vec::new();
    let refused = loop {
        assert!(clients.len() < 16);
        match program.client() {
            (client, Some(first)) if first.starts_with(VERSION) => clients.push(client),
            (_, first) => break first,
        }
    };
    let said = program.end();
    match refused {
        Some(first) => {
            assert!(first.starts_with(b"\xff\x10\x04confidential-proxy may open no more"), "{first:?}");
        }
        // The client before has got the last one, so that this one is not accepted.
        None => assert!(said.starts_with("confidential-proxy may open no more"), "{said}"),
    }
    assert!(said.lines().count() <= 1, "{said}");
}

/// Its connection has begun, so that others' files are none of its business.
#[test]
fn a_client_that_reads_late_gets_all_when_no_more_may_be_opened() {
    let program = Program::start("late", "true");
    let (mut client, _) = program.client();
    let login = [&CAPABILITIES.to_le_bytes(), [0; 28].as_slice(), b"user\0\0"].concat();
    send(&mut client, 1, &login).unwrap();
    assert_eq!(receive(&mut client).unwrap(), OK);
    program.allow_no_more();
    send(&mut client, 0, b"\x03SELECT 1").unwrap();
    thread::sleep(Duration::from_millis(500)); // so that there is no room by then
    let mut got = Vec::new();
    while got.len() < 3 + ROWS + 1 {
        got.push(receive(&mut client).expect("the connection goes on").len());
    }
    assert_eq!(got[3..], [vec![ROW.len(); ROWS], vec![EOF.len()]].concat());
}
