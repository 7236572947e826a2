//! Arbitrary bytes as a server's answers and a client's commands. `cargo +nightly fuzz run answers`.
#![no_main]

use std::sync::Arc;

use confidential_proxy::envelope::{Algorithm, Master, Sealer};
use confidential_proxy::packet::{self, HEADER};
use confidential_proxy::responder::Responder;
use confidential_proxy::rules::Rules;
use confidential_proxy::{capabilities, key, request};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&[flags, length], rest)) = data.split_first_chunk::<2>() else { return };
    let (command, answer) = rest.split_at(usize::from(length).min(rest.len()));
    let rules = Arc::new(Rules::parse("secret.name\nplain\n", flags & 1 != 0).unwrap());
    let key = key::parse(b"00112233445566778899aabbccddeeff").unwrap();
    let master = Arc::new(Master::new(Algorithm::Aes128Gcm, key));
    let mut responder = Responder::new(rules.clone(), Sealer::new(master, || *b"randomrandom"));
    responder.agreed(flags & 2 != 0);
    let _ = capabilities::mask_greeting(&mut answer.to_vec());
    let _ = capabilities::mask_response(&mut answer.to_vec());
    let Ok(request) = request::read(command) else { return };
    responder.begin(request, if flags & 4 != 0 { &command[1..] } else { b"" });
    let (mut rest, mut out) = (answer, Vec::new());
    while let (false, Some(header)) = (responder.is_done(), packet::header(rest)) {
        let end = header.total().min(rest.len());
        if responder.packet(header.sequence, &rest[HEADER..end], &mut out).is_err() {
            return;
        }
        rest = &rest[end..];
    }
});
