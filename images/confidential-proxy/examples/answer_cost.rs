//! What the proxy does with a point query and its answer, apart from input and output: for a profiler, or
//! to count instructions with `valgrind --tool=callgrind`.
//!
//! usage: answer_cost none|AES_128_GCM|SM4_128_GCM QUERIES
//!
//! The answer is one row of one column, of 120 bytes; with an algorithm the column is encrypted. Nanoseconds
//! a query are printed.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use confidential_proxy::envelope::{random, Algorithm, Master, Sealer};
use confidential_proxy::packet::{header_bytes, put_string, HEADER};
use confidential_proxy::responder::{Fate, Responder};
use confidential_proxy::rules::Rules;
use confidential_proxy::{key, packet, request};

const STATEMENT: &[u8] = b"\x03SELECT c FROM sbtest.points WHERE id=4711";
const EOF: &[u8] = &[0xFE, 0, 0, 2, 0];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [algorithm, queries] = &words[..] else {
        eprintln!("usage: answer_cost none|AES_128_GCM|SM4_128_GCM QUERIES");
        std::process::exit(64);
    };
    let queries: u32 = queries.parse().expect("a number of queries");
    let (algorithm, text) = match Algorithm::from_name(algorithm) {
        Some(algorithm) => (algorithm, "points.c\n"),
        None => (Algorithm::Aes128Gcm, ""),
    };
    let rules = Arc::new(Rules::parse(text, true).expect("rules"));
    let key = key::parse(b"00112233445566778899aabbccddeeff").expect("a key");
    let sealer = Sealer::new(Arc::new(Master::new(algorithm, key)), random);
    let mut responder = Responder::new(rules.clone(), sealer);
    let (answer, mut out) = (answer(), Vec::new());
    let began = Instant::now();
    for _ in 0..queries {
        let statement = black_box(STATEMENT);
        responder.begin(request::read(statement).expect("a query"), &statement[1..]);
        pass(&mut responder, black_box(&answer), &mut out);
        black_box(&out);
        out.clear();
    }
    println!("{:.0}", began.elapsed().as_secs_f64() * 1e9 / f64::from(queries));
}

/// Packets of a server's: the number of columns, a definition, an EOF, a row, an EOF.
fn answer() -> Vec<u8> {
    let (mut definition, mut row) = (Vec::new(), Vec::new());
    for name in ["def", "sbtest", "points", "points", "c", "c"] {
        put_string(&mut definition, name.as_bytes());
    }
    definition.extend_from_slice(&[12, 45, 0, 224, 1, 0, 0, 0xFE, 0, 0, 0, 0, 0]);
    put_string(&mut row, &[b'c'; 120]);
    let payloads: [&[u8]; 5] = [&[1], &definition, EOF, &row, EOF];
    let mut packets = Vec::new();
    for (payload, sequence) in payloads.into_iter().zip(1..) {
        packets.extend_from_slice(&header_bytes(payload.len(), sequence));
        packets.extend_from_slice(payload);
    }
    packets
}

fn pass(responder: &mut Responder, answer: &[u8], out: &mut Vec<u8>) {
    let mut rest = answer;
    while let (false, Some(header)) = (responder.is_done(), packet::header(rest)) {
        let (packet, after) = rest.split_at(header.total());
        match responder.packet(header.sequence, &packet[HEADER..], out).expect("an answer") {
            Fate::Forward => out.extend_from_slice(packet),
            Fate::Replaced | Fate::SendNoFile(_) => {}
        }
        rest = after;
    }
}
