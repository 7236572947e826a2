//! What it costs to encrypt a value of 100 bytes as the proxy does it, in CPU time of one thread.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use confidential_proxy::column::Column;
use confidential_proxy::envelope::{random, Algorithm, Master, Sealer};
use confidential_proxy::key;
use confidential_proxy::rules::Origin;

const ROUNDS: u32 = 7;
const VALUES: u32 = 200_000;

fn main() {
    let key = key::parse(b"00112233445566778899aabbccddeeff").expect("a key");
    let column = Column { charset: 45, length: 400, kind: 0xFD, flags: 0, decimals: 0 };
    let origin = Origin { schema: b"tpcc", table: b"bmsql_customer", column: b"c_data" };
    for (name, algorithm) in [("AES_128_GCM", Algorithm::Aes128Gcm), ("SM4_128_GCM", Algorithm::Sm4128Gcm)] {
        let mut sealer = Sealer::new(Arc::new(Master::new(algorithm, key.clone())), random);
        let (mut bound, mut out, text) = (Vec::new(), Vec::new(), [b'x'; 100]);
        sealer.bind(column, origin, &mut bound);
        let mut least = f64::INFINITY;
        for _ in 0..ROUNDS {
            let began = Instant::now();
            for _ in 0..VALUES {
                out.clear();
                sealer.seal(&bound, black_box(&text), &mut out);
                black_box(&out);
            }
            least = least.min(began.elapsed().as_secs_f64() * 1e9 / f64::from(VALUES));
        }
        println!("{name} {least:.0}");
    }
}
