//! What it costs to encrypt a value of 100 bytes as the proxy does it, in CPU time of one thread.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use confidential_proxy::column::Column;
use confidential_proxy::envelope::{random, Algorithm, Cipher, Sealer};
use confidential_proxy::key;

const ROUNDS: u32 = 7;
const VALUES: u32 = 200_000;

fn main() {
    let key = key::parse(b"00112233445566778899aabbccddeeff").expect("a key");
    let column = Column { charset: 45, length: 400, kind: 0xFD, flags: 0, decimals: 0 };
    for (name, algorithm) in [("AES_128_GCM", Algorithm::Aes128Gcm), ("SM4_128_GCM", Algorithm::Sm4128Gcm)] {
        let mut sealer = Sealer::new(Arc::new(Cipher::new(algorithm, &key)), random);
        let (prefix, text) = (sealer.prefix(column), [b'x'; 100]);
        let mut out = Vec::new();
        let mut least = f64::INFINITY;
        for _ in 0..ROUNDS {
            let began = Instant::now();
            for _ in 0..VALUES {
                out.clear();
                sealer.seal(&prefix, black_box(&text), &mut out);
                black_box(&out);
            }
            least = least.min(began.elapsed().as_secs_f64() * 1e9 / f64::from(VALUES));
        }
        println!("{name} {least:.0}");
    }
}
