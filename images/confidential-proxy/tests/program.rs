//! The program itself, which a shell starts with few open files.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use confidential_proxy::packet::{self, header_bytes, HEADER};

/// A client that has nothing by then has to wait.
const PATIENCE: Duration = Duration::from_secs(5);
const VERSION: &[u8] = b"\x0a8.0.0\0";
const GREETING: &[u8] = b"\x0a8.0.0\0\x01\0\0\0scramble\0\xff\xf7\x2d\x02\0\xff\x00\x15\
    \0\0\0\0\0\0\0\0\0\0and the rest\0";

/// A server that greets and says no more.
fn server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let mut greeted = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.write_all(&[&header_bytes(GREETING.len(), 0), GREETING].concat());
            greeted.push(stream);
        }
    });
    address
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
        let first = first_packet(&mut stream);
        (stream, first)
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

fn first_packet(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut header = [0; HEADER];
    stream.read_exact(&mut header).ok()?;
    let mut payload = vec![0; packet::header(&header)?.length];
    stream.read_exact(&mut payload).ok()?;
    Some(payload)
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
