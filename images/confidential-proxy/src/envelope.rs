//! The value of an encrypted column: a header, a nonce, the ciphertext and a tag.
//!
//! | bytes | what |
//! |---|---|
//! | 0–3 | magic `00 45 4E 43` |
//! | 4 | version |
//! | 5 | algorithm |
//! | 6 | the column's type as the server said it |
//! | 7 | decimals |
//! | 8–9 | flags, big-endian like all that follows |
//! | 10–11 | character set |
//! | 12–23 | nonce: 8 random bytes of the connection and a counter |
//! | 24… | ciphertext, as long as the plaintext, and the tag of 16 bytes |
//!
//! The first twelve bytes are the additional authenticated data. The plaintext is the value's text form.

use std::sync::Arc;

use aes_gcm::aead::array::Array;
use aes_gcm::aead::consts::U12;
use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::{Aes128Gcm, AesGcm};
use sm4::Sm4;

use crate::column::Column;
use crate::key::Key;
use crate::packet;

const MAGIC: [u8; 4] = [0x00, b'E', b'N', b'C'];
const VERSION: u8 = 1;
const PREFIX: usize = 12;
const NONCE: usize = 12;
const TAG: usize = 16;
/// How much longer than its plaintext a value is.
pub const OVERHEAD: usize = PREFIX + NONCE + TAG;

type Sm4Gcm = AesGcm<Sm4, U12>;

/// How the envelopes of a column begin.
pub type Prefix = [u8; PREFIX];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    Aes128Gcm,
    Sm4128Gcm,
}

impl Algorithm {
    /// By the name that a mode has for it.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "AES_128_GCM" => Some(Self::Aes128Gcm),
            "SM4_128_GCM" => Some(Self::Sm4128Gcm),
            _ => None,
        }
    }

    fn number(self) -> u8 {
        match self {
            Self::Aes128Gcm => 1,
            Self::Sm4128Gcm => 2,
        }
    }
}

enum Schedule {
    Aes(Box<Aes128Gcm>),
    Sm4(Box<Sm4Gcm>),
}

/// An algorithm with its key, shared by all connections.
pub struct Cipher {
    schedule: Schedule,
    algorithm: Algorithm,
}

impl Cipher {
    pub fn new(algorithm: Algorithm, key: &Key) -> Self {
        let key: &Array<u8, _> = (&**key).into();
        let schedule = match algorithm {
            Algorithm::Aes128Gcm => Schedule::Aes(Box::new(Aes128Gcm::new(key))),
            Algorithm::Sm4128Gcm => Schedule::Sm4(Box::new(Sm4Gcm::new(key))),
        };
        Self { schedule, algorithm }
    }

    /// How the envelopes of a column begin.
    pub fn prefix(&self, column: Column) -> Prefix {
        let mut prefix = [0; PREFIX];
        prefix[..4].copy_from_slice(&MAGIC);
        prefix[4] = VERSION;
        prefix[5] = self.algorithm.number();
        prefix[6] = column.kind;
        prefix[7] = column.decimals;
        prefix[8..10].copy_from_slice(&column.flags.to_be_bytes());
        prefix[10..].copy_from_slice(&column.charset.to_be_bytes());
        prefix
    }

    /// Encrypt in place; the tag is returned. A packet is far below what GCM can take.
    fn encrypt(&self, nonce: &[u8; NONCE], prefix: &Prefix, text: &mut [u8]) -> [u8; TAG] {
        let nonce: &Array<u8, _> = nonce.into();
        let tag = match &self.schedule {
            Schedule::Aes(cipher) => cipher.encrypt_inout_detached(nonce, prefix, text.into()),
            Schedule::Sm4(cipher) => cipher.encrypt_inout_detached(nonce, prefix, text.into()),
        };
        tag.expect("a value shorter than 64 GiB").into()
    }
}

/// Draws the random part of a nonce.
pub type Draw = fn() -> [u8; 8];

/// Eight bytes of the kernel's.
pub fn random() -> [u8; 8] {
    let mut bytes = [0; 8];
    let mut filled = 0;
    while filled < bytes.len() {
        match rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty()) {
            Ok(count) => filled += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => panic!("the kernel gives no random bytes: {error}"),
        }
    }
    bytes
}

/// Seals the values of one connection; no two have the same nonce.
pub struct Sealer {
    cipher: Arc<Cipher>,
    draw: Draw,
    random: [u8; 8],
    counter: u32,
    used: bool,
}

impl Sealer {
    pub fn new(cipher: Arc<Cipher>, draw: Draw) -> Self {
        Self { cipher, draw, random: [0; 8], counter: 0, used: false }
    }

    pub fn prefix(&self, column: Column) -> Prefix {
        self.cipher.prefix(column)
    }

    /// Append the envelope of a text as a length-encoded string.
    pub fn seal(&mut self, prefix: &Prefix, text: &[u8], out: &mut Vec<u8>) {
        let nonce = self.nonce();
        packet::put_length(out, text.len() + OVERHEAD);
        out.reserve(text.len() + OVERHEAD);
        out.extend_from_slice(prefix);
        out.extend_from_slice(&nonce);
        let start = out.len();
        out.extend_from_slice(text);
        let tag = self.cipher.encrypt(&nonce, prefix, &mut out[start..]);
        out.extend_from_slice(&tag);
    }

    fn nonce(&mut self) -> [u8; NONCE] {
        if self.counter == 0 && !self.used {
            self.random = (self.draw)();
            self.used = true;
        }
        let mut nonce = [0; NONCE];
        nonce[..8].copy_from_slice(&self.random);
        nonce[8..].copy_from_slice(&self.counter.to_be_bytes());
        self.counter = self.counter.wrapping_add(1);
        self.used = self.counter != 0;
        nonce
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::column::tests::DECIMAL;
    use crate::packet::Reader;
    use std::collections::HashSet;
    use std::sync::atomic::{AtomicU64, Ordering};

    const ALGORITHMS: [Algorithm; 2] = [Algorithm::Aes128Gcm, Algorithm::Sm4128Gcm];

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    }

    pub fn cipher(algorithm: Algorithm) -> Arc<Cipher> {
        let key = crate::key::parse(b"0123456789abcdeffedcba9876543210").unwrap();
        Arc::new(Cipher::new(algorithm, &key))
    }

    pub fn counted() -> [u8; 8] {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes()
    }

    /// The text of an envelope; `None` if it is none or was changed.
    pub fn open(cipher: &Cipher, envelope: &[u8]) -> Option<Vec<u8>> {
        let (prefix, rest) = envelope.split_first_chunk::<PREFIX>()?;
        let (nonce, rest) = rest.split_first_chunk::<NONCE>()?;
        let (text, tag) = rest.split_last_chunk::<TAG>()?;
        let (nonce, tag): (&Array<u8, _>, &Array<u8, _>) = (nonce.into(), tag.into());
        let mut text = text.to_vec();
        let buffer = text.as_mut_slice().into();
        let opened = match &cipher.schedule {
            Schedule::Aes(cipher) => cipher.decrypt_inout_detached(nonce, prefix, buffer, tag),
            Schedule::Sm4(cipher) => cipher.decrypt_inout_detached(nonce, prefix, buffer, tag),
        };
        opened.ok().map(|()| text)
    }

    /// NIST's test case 4 for GCM with AES-128, with as much additional data as there is in it.
    #[test]
    fn known_answer_of_aes() {
        let cipher = Aes128Gcm::new_from_slice(&hex("feffe9928665731c6d6a8f9467308308")).unwrap();
        let mut text = hex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
             1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39");
        let nonce = hex("cafebabefacedbaddecaf888");
        let tag = cipher
            .encrypt_inout_detached(
                nonce.as_slice().try_into().unwrap(),
                &hex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
                text.as_mut_slice().into(),
            )
            .unwrap();
        let expected = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                        21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091";
        assert_eq!(text, hex(expected));
        assert_eq!(tag.as_slice(), hex("5bc94fbc3221a5db94fae95ae7121a47"));
    }

    /// RFC 8998, appendix A.1.
    #[test]
    fn known_answer_of_sm4() {
        let cipher = Sm4Gcm::new_from_slice(&hex("0123456789ABCDEFFEDCBA9876543210")).unwrap();
        let mut text = hex("AAAAAAAAAAAAAAAABBBBBBBBBBBBBBBBCCCCCCCCCCCCCCCCDDDDDDDDDDDDDDDD\
             EEEEEEEEEEEEEEEEFFFFFFFFFFFFFFFFEEEEEEEEEEEEEEEEAAAAAAAAAAAAAAAA");
        let nonce = hex("00001234567800000000ABCD");
        let tag = cipher
            .encrypt_inout_detached(
                nonce.as_slice().try_into().unwrap(),
                &hex("FEEDFACEDEADBEEFFEEDFACEDEADBEEFABADDAD2"),
                text.as_mut_slice().into(),
            )
            .unwrap();
        let expected = "17F399F08C67D5EE19D0DC9969C4BB7D5FD46FD3756489069157B282BB200735\
                        D82710CA5C22F0CCFA7CBF93D496AC15A56834CBCF98C397B4024A2691233B8D";
        assert_eq!(text, hex(expected));
        assert_eq!(tag.as_slice(), hex("83DE3541E4C2B58177E065A9BF7B62EC"));
    }

    #[test]
    fn an_envelope_says_what_it_holds() {
        for (number, algorithm) in ALGORITHMS.into_iter().enumerate() {
            let cipher = cipher(algorithm);
            let mut sealer = Sealer::new(cipher.clone(), || *b"randomly");
            let mut out = Vec::new();
            sealer.seal(&cipher.prefix(DECIMAL), b"-12.50", &mut out);
            let envelope = Reader::new(&out).string().unwrap().to_vec();
            assert_eq!(envelope.len(), 6 + OVERHEAD);
            let prefix = [0, b'E', b'N', b'C', 1, number as u8 + 1, 0xF6, 2, 0x80, 0x21, 0, 63];
            assert_eq!(envelope[..12], prefix);
            assert_eq!(envelope[12..24], *b"randomly\0\0\0\0");
            assert_eq!(open(&cipher, &envelope).as_deref(), Some(b"-12.50".as_slice()));
            for at in 0..envelope.len() {
                let mut changed = envelope.clone();
                changed[at] ^= 1;
                assert_eq!(open(&cipher, &changed), None, "byte {at}");
            }
        }
    }

    #[test]
    fn no_nonce_comes_twice() {
        let mut sealer = Sealer::new(cipher(Algorithm::Aes128Gcm), counted);
        let mut seen: HashSet<[u8; NONCE]> = (0..5).map(|_| sealer.nonce()).collect();
        let drawn = sealer.random;
        sealer.counter = u32::MAX - 3;
        seen.extend((0..9).map(|_| sealer.nonce()));
        assert_eq!(seen.len(), 14);
        assert_ne!(sealer.random, drawn, "the random part is drawn anew");
        assert_eq!(sealer.counter, 5);
    }

    #[test]
    fn two_connections_differ() {
        let cipher = cipher(Algorithm::Aes128Gcm);
        let mut both = [0, 1].map(|_| Sealer::new(cipher.clone(), random));
        assert_ne!(both[0].nonce(), both[1].nonce());
    }
}
