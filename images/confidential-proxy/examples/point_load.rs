//! Point queries at an offered rate: an open loop, in which a query is due whether or not those before it
//! have been answered. The benchmark compares builds of the proxy with it: those that listen at PORT…
//! get the same load in slices that take turns, so that what else the machine does meets all of them.
//! One thread serves all clients, so that the load itself takes little of the machine.
//!
//! usage: point_load CLIENTS RATE WARMUP SECONDS PORT…
//!
//! There are so many CLIENTS at each port. RATE is in queries a second over all clients of a port; with 0
//! each client asks as soon as it has its answer. WARMUP and SECONDS are of each port. The user `reader`
//! needs no password, and the table `sbtest.points` has the rows 1 to 10000.
//!
//! `begin` is printed when the warm-up is over, and `turn N` after each slice of the Nth port. After
//! either, it waits for a line, so that whoever started it can read what CPU time the slice took of other
//! programs. At the end there is a line a port: how many queries were answered, in how many seconds, and
//! microseconds from when a query was due to its answer: the median and the 95th of a hundred.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use confidential_proxy::packet::{header, header_bytes, EOF, ERR, HEADER, OK};
use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::Timespec;
use rustix::net::{send, SendFlags};

const ROWS: u64 = 10_000;
/// How long one port has the load before the next one has it.
const SLICE: Duration = Duration::from_millis(100);
const PATIENCE: Duration = Duration::from_secs(10);
/// Packets of an answer: the number of columns, one definition, EOF, one row, EOF.
const ANSWER: usize = 5;

struct Client {
    stream: TcpStream,
    answer: Vec<u8>,
    due: Instant,
}

impl Client {
    fn connect(port: u16) -> io::Result<Self> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_nodelay(true)?;
        if receive(&mut stream)?.first() == Some(&ERR) {
            return Err(io::Error::other("the server takes no more connections"));
        }
        // PROTOCOL_41, SECURE_CONNECTION and PLUGIN_AUTH.
        let mut response = 0x0008_8200u32.to_le_bytes().to_vec();
        response.extend_from_slice(&(1u32 << 24).to_le_bytes());
        response.push(45);
        response.extend_from_slice(&[0; 23]);
        response.extend_from_slice(b"reader\0\0mysql_native_password\0");
        stream.write_all(&[&header_bytes(response.len(), 1), response.as_slice()].concat())?;
        match receive(&mut stream)?.first() {
            Some(&OK) => {}
            _ => return Err(io::Error::other("the server does not let the user `reader` in")),
        }
        Ok(Self { stream, answer: Vec::with_capacity(1 << 10), due: Instant::now() })
    }

    fn ask(&mut self, id: u64, due: Instant) -> io::Result<()> {
        let statement = format!("\x03SELECT c FROM sbtest.points WHERE id={id}");
        let packet = [&header_bytes(statement.len(), 0), statement.as_bytes()].concat();
        self.answer.clear();
        self.due = due;
        match send(&self.stream, &packet, SendFlags::NOSIGNAL)? {
            sent if sent == packet.len() => Ok(()),
            _ => Err(io::ErrorKind::WriteZero.into()),
        }
    }

    /// Read what there is: whether the answer is complete.
    fn read(&mut self) -> io::Result<bool> {
        let mut space = [0; 4 << 10];
        match self.stream.read(&mut space) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => self.answer.extend_from_slice(&space[..count]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        }
        let (mut rest, mut packets) = (self.answer.as_slice(), 0);
        while let Some(packet) = header(rest).filter(|header| header.total() <= rest.len()) {
            if rest.get(HEADER) == Some(&ERR) {
                return Err(io::Error::other("the server answers with an error"));
            }
            packets += 1;
            if packets == ANSWER && rest.get(HEADER) != Some(&EOF) {
                return Err(io::Error::other("the answer is not one row"));
            }
            rest = &rest[packet.total()..];
        }
        Ok(packets == ANSWER)
    }
}

fn receive(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut start = [0; HEADER];
    stream.read_exact(&mut start)?;
    let mut payload = vec![0; header(&start).expect("four bytes").length];
    stream.read_exact(&mut payload)?;
    Ok(payload)
}

/// SplitMix64: the same queries at the same times in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn row(&mut self) -> u64 {
        self.next() % ROWS + 1
    }

    /// The time to the next query of a Poisson process.
    fn gap(&mut self, rate: f64) -> Duration {
        let uniform = ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        Duration::from_secs_f64(-uniform.ln() / rate)
    }
}

/// The clients of a port.
struct Target {
    clients: Vec<Client>,
    idle: VecDeque<usize>,
    waits: Vec<f64>,
    seconds: f64,
}

fn main() -> io::Result<()> {
    let numbers: Vec<f64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let [clients, rate, warmup, seconds, ports @ ..] = &numbers[..] else {
        eprintln!("usage: point_load CLIENTS RATE WARMUP SECONDS PORT...");
        std::process::exit(64);
    };
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    let mut targets = Vec::new();
    for (index, port) in ports.iter().enumerate() {
        let mut all = Vec::new();
        for number in 0..*clients as usize {
            let client = Client::connect(*port as u16)?;
            client.stream.set_nonblocking(true)?;
            let data = EventData::new_u64((index << 32 | number) as u64);
            epoll::add(&epoll, &client.stream, data, EventFlags::IN)?;
            all.push(client);
        }
        targets.push(Target {
            idle: (0..all.len()).collect(),
            clients: all,
            waits: Vec::new(),
            seconds: 0.0,
        });
    }
    let slices = |seconds: f64| (seconds / SLICE.as_secs_f64()).ceil() as usize * ports.len();
    let (warm, all) = (slices(*warmup), slices(*warmup) + slices(*seconds));
    let (mut random, mut turns) = (Random(1), Random(2));
    let mut order: Vec<usize> = (0..ports.len()).collect();
    let mut start = Instant::now();
    for slice in 0..all {
        if slice == warm {
            report("begin")?;
            start = Instant::now();
        }
        if slice % ports.len() == 0 {
            draw(&mut order, &mut turns);
        }
        let turn = order[slice % ports.len()];
        serve(&epoll, &mut targets, turn, start, *rate, slice >= warm, &mut random)?;
        if slice >= warm {
            report(&format!("turn {turn}"))?;
        }
        start = (start + SLICE).max(Instant::now());
    }
    for Target { waits, seconds, .. } in &mut targets {
        waits.sort_by(f64::total_cmp);
        let share = |part: f64| waits[(waits.len() as f64 * part) as usize];
        println!("{} {seconds:.4} {:.0} {:.0}", waits.len(), share(0.5), share(0.95));
    }
    Ok(())
}

/// The order of the next round's slices. The port that was last is not first: it would have two in a row,
/// and what its program still does would count for it alone.
fn draw(order: &mut [usize], random: &mut Random) {
    let last = order.last().copied();
    for end in (1..order.len()).rev() {
        order.swap(end, random.next() as usize % (end + 1));
    }
    if order.first().copied() == last {
        order.reverse();
    }
}

/// Say it, and wait until it is read.
fn report(what: &str) -> io::Result<()> {
    println!("{what}");
    io::stdin().read_line(&mut String::new())?;
    Ok(())
}

/// Load one target for a slice, and wait until all is answered: it costs no other one anything.
fn serve(
    epoll: &impl AsFd,
    targets: &mut [Target],
    turn: usize,
    start: Instant,
    rate: f64,
    counts: bool,
    random: &mut Random,
) -> io::Result<()> {
    let Target { clients, idle, waits, seconds } = &mut targets[turn];
    let (closed, end) = (rate == 0.0, start + SLICE);
    let mut due = if closed { start } else { start + random.gap(rate) };
    let mut events = Vec::with_capacity(256);
    loop {
        let now = Instant::now();
        // A query that no client is free for stays due.
        while due < end && (due <= now || closed) && (!closed || now < end) {
            let Some(client) = idle.pop_front() else { break };
            clients[client].ask(random.row(), if closed { now } else { due })?;
            due += if closed { Duration::ZERO } else { random.gap(rate) };
        }
        let over = if closed { now >= end } else { due >= end };
        if over && idle.len() == clients.len() {
            if counts {
                *seconds += now.max(end).duration_since(start).as_secs_f64();
            }
            return Ok(());
        }
        if now > end + PATIENCE {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let wake = if idle.is_empty() || over { end + PATIENCE } else { due.min(end) };
        let left = Timespec::try_from(wake.saturating_duration_since(now)).unwrap_or_default();
        events.clear();
        epoll::wait(epoll, spare_capacity(&mut events), Some(&left))?;
        for event in &events {
            let number = event.data.u64() as u32 as usize;
            if clients[number].read()? {
                if counts {
                    waits.push(clients[number].due.elapsed().as_secs_f64() * 1e6);
                }
                idle.push_back(number);
            }
        }
    }
}
