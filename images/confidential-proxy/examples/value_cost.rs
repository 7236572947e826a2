//! What it costs to encrypt a value of 100 bytes as the proxy does it, in CPU time of one thread: a line an
//! algorithm, with its name and the nanoseconds of each round.

use std::hint::black_box;
use std::sync::Arc;

use confidential_proxy::column::Column;
use confidential_proxy::envelope::{random, Algorithm, Master, Sealer};
use confidential_proxy::key;
use confidential_proxy::rules::Origin;
use rustix::time::{clock_gettime, ClockId};

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
        print!("{name}");
        for _ in 0..ROUNDS {
            let began = cpu_ns();
            for _ in 0..VALUES {
                out.clear();
                sealer.seal(&bound, black_box(&text), &mut out);
                black_box(&out);
            }
            print!(" {:.1}", (cpu_ns() - began) / f64::from(VALUES));
        }
        println!();
    }
}

/// CPU time of this thread so far.
fn cpu_ns() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}
