//! The value of an encrypted column: a header, a key id, a counter, the ciphertext and a tag.
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
//! | 12–23 | key id: random bytes of the connection |
//! | 24–31 | counter: the nonce is four zeros and this |
//! | 32… | ciphertext, as long as the plaintext, and the tag of 16 bytes |
//!
//! A connection has a key of its own, derived from the master key, the algorithm and the key id. The
//! additional authenticated data are the first 24 bytes and the names of the column's table and column as
//! the definition has them, with a zero between. So a value opens neither as another column's nor among
//! those of another connection. The plaintext is the value's text form.

use std::sync::Arc;

use aes_gcm::aead::array::Array;
use aes_gcm::aead::consts::U12;
use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::AesGcm;
use ring::aead::{Aad, LessSafeKey, Nonce, UnboundKey, AES_128_GCM};
use ring::hkdf::{Salt, HKDF_SHA256};
use sm4::Sm4;

use crate::column::Column;
use crate::key::{Key, LENGTH};
use crate::packet;
use crate::rules::{is_plain, Origin};

const MAGIC: [u8; 4] = [0x00, b'E', b'N', b'C'];
const VERSION: u8 = 2;
const KEY_ID: usize = 12;
/// What stands in front of the counter.
const HEADER: usize = 12 + KEY_ID;
const COUNTER: usize = 8;
const NONCE: usize = 12;
const TAG: usize = 16;
/// How much longer than its plaintext a value is.
pub const OVERHEAD: usize = HEADER + COUNTER + TAG;

type Sm4Gcm = AesGcm<Sm4, U12>;

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

    /// What its keys are derived for.
    fn info(self) -> &'static [u8] {
        match self {
            Self::Aes128Gcm => b"encbench column AES_128_GCM",
            Self::Sm4128Gcm => b"encbench column SM4_128_GCM",
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
    Aes(Box<LessSafeKey>),
    Sm4(Box<Sm4Gcm>),
}

/// An algorithm with the master key, shared by all connections. It encrypts nothing itself.
pub struct Master {
    algorithm: Algorithm,
    key: Key,
}

impl Master {
    pub fn new(algorithm: Algorithm, key: Key) -> Self {
        Self { algorithm, key }
    }

    /// What a connection encrypts with, by HKDF (RFC 5869).
    fn cipher(&self, id: &KeyId) -> Cipher {
        let mut key = Key::default();
        // Keys of both algorithms are as long.
        Salt::new(HKDF_SHA256, id)
            .extract(&*self.key)
            .expand(&[self.algorithm.info()], &AES_128_GCM)
            .and_then(|expanded| expanded.fill(&mut key[..]))
            .expect("a key that is shorter than a hash");
        Cipher::new(self.algorithm, &key)
    }
}

/// An algorithm with the key of one connection. AES does not wipe its schedule from memory; the master key,
/// from which it follows, stays there as long as the program runs.
struct Cipher {
    schedule: Schedule,
}

impl Cipher {
    fn new(algorithm: Algorithm, key: &[u8; LENGTH]) -> Self {
        let schedule = match algorithm {
            Algorithm::Aes128Gcm => {
                let key = UnboundKey::new(&AES_128_GCM, key).expect("as long as a key is");
                Schedule::Aes(Box::new(LessSafeKey::new(key)))
            }
            Algorithm::Sm4128Gcm => Schedule::Sm4(Box::new(Sm4Gcm::new(key.into()))),
        };
        Self { schedule }
    }

    /// Encrypt in place; the tag is returned. A packet is far below what GCM can take.
    fn encrypt(&self, counter: u64, bound: &[u8], text: &mut [u8]) -> [u8; TAG] {
        const SHORTER: &str = "a value shorter than 64 GiB";
        let nonce = nonce(counter);
        match &self.schedule {
            Schedule::Aes(cipher) => {
                let nonce = Nonce::assume_unique_for_key(nonce);
                let tag = cipher.seal_in_place_separate_tag(nonce, Aad::from(bound), text).expect(SHORTER);
                *tag.as_ref().first_chunk().expect("16 bytes")
            }
            Schedule::Sm4(cipher) => {
                let nonce: &Array<u8, _> = (&nonce).into();
                cipher.encrypt_inout_detached(nonce, bound, text.into()).expect(SHORTER).into()
            }
        }
    }
}

/// Four zeros and the counter. No key has so many values that it would come to its end.
fn nonce(counter: u64) -> [u8; NONCE] {
    let mut nonce = [0; NONCE];
    nonce[NONCE - COUNTER..].copy_from_slice(&counter.to_be_bytes());
    nonce
}

/// By which a connection's key is derived.
pub type KeyId = [u8; KEY_ID];

/// Draws a key id.
pub type Draw = fn() -> KeyId;

/// Bytes of the kernel's.
pub fn random() -> KeyId {
    let mut bytes = KeyId::default();
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

/// What a connection has from its first encrypted column on.
struct Own {
    id: KeyId,
    cipher: Cipher,
    /// How many values were sealed.
    counter: u64,
}

/// Seals the values of one connection; no two have the same nonce.
pub struct Sealer {
    master: Arc<Master>,
    draw: Draw,
    own: Option<Own>,
}

impl Sealer {
    pub fn new(master: Arc<Master>, draw: Draw) -> Self {
        Self { master, draw, own: None }
    }

    /// Append what the values of a column are bound to, of which the beginning is the header.
    pub fn bind(&mut self, column: Column, origin: Origin<'_>, out: &mut Vec<u8>) {
        let Self { master, draw, own } = self;
        let own = own.get_or_insert_with(|| {
            let id = draw();
            Own { id, cipher: master.cipher(&id), counter: 0 }
        });
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&[VERSION, master.algorithm.number(), column.kind, column.decimals]);
        out.extend_from_slice(&column.flags.to_be_bytes());
        out.extend_from_slice(&column.charset.to_be_bytes());
        out.extend_from_slice(&own.id);
        // A client may have read other names as other bytes; and half a name is none.
        let named = |name: &[u8]| !name.is_empty() && is_plain(name);
        let (table, column) = match named(origin.table) && named(origin.column) {
            true => (origin.table, origin.column),
            false => (b"".as_slice(), b"".as_slice()),
        };
        out.extend_from_slice(table);
        out.push(0);
        out.extend_from_slice(column);
    }

    /// Append the envelope of a text as a length-encoded string, bound to what `bind` has written.
    pub fn seal(&mut self, bound: &[u8], text: &[u8], out: &mut Vec<u8>) {
        let own = self.own.as_mut().expect("a column that was bound");
        packet::put_length(out, text.len() + OVERHEAD);
        out.reserve(text.len() + OVERHEAD);
        out.extend_from_slice(&bound[..HEADER]);
        out.extend_from_slice(&own.counter.to_be_bytes());
        let start = out.len();
        out.extend_from_slice(text);
        let tag = own.cipher.encrypt(own.counter, bound, &mut out[start..]);
        own.counter += 1;
        out.extend_from_slice(&tag);
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::column::tests::DECIMAL;
    use crate::packet::Reader;
    use std::sync::atomic::{AtomicU64, Ordering};

    const ALGORITHMS: [Algorithm; 2] = [Algorithm::Aes128Gcm, Algorithm::Sm4128Gcm];

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    }

    pub const ORIGIN: Origin<'static> = Origin { schema: b"db", table: b"secret", column: b"bal" };

    pub fn master(algorithm: Algorithm) -> Arc<Master> {
        let key = crate::key::parse(b"0123456789abcdeffedcba9876543210").unwrap();
        Arc::new(Master::new(algorithm, key))
    }

    pub fn counted() -> KeyId {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mut id = KeyId::default();
        id[..8].copy_from_slice(&NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes());
        id
    }

    /// The text of an envelope of the table `secret`'s column `bal`; `None` if it is none or was changed.
    pub fn open(master: &Master, envelope: &[u8]) -> Option<Vec<u8>> {
        open_of(master, envelope, b"secret\0bal")
    }

    fn open_of(master: &Master, envelope: &[u8], names: &[u8]) -> Option<Vec<u8>> {
        let (header, rest) = envelope.split_first_chunk::<HEADER>()?;
        let (counter, rest) = rest.split_first_chunk::<COUNTER>()?;
        let (text, tag) = rest.split_last_chunk::<TAG>()?;
        let counter = u64::from_be_bytes(*counter);
        let bound = [header, names].concat();
        let mut text = text.to_vec();
        let cipher = master.cipher(header.last_chunk::<KEY_ID>()?);
        // In counter mode, to encrypt once more is to decrypt; the tag is of what was encrypted.
        cipher.encrypt(counter, &bound, &mut text);
        (cipher.encrypt(counter, &bound, &mut text.clone()) == *tag).then_some(text)
    }

    /// The envelopes of texts by a sealer, all of one column.
    fn sealed(sealer: &mut Sealer, origin: Origin<'_>, texts: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut bound = Vec::new();
        sealer.bind(DECIMAL, origin, &mut bound);
        let seal = |text: &&[u8]| {
            let mut out = Vec::new();
            sealer.seal(&bound, text, &mut out);
            Reader::new(&out).string().unwrap().to_vec()
        };
        texts.iter().map(seal).collect()
    }

    /// NIST's test case 4 for GCM with AES-128, with as much additional data as there is in it.
    #[test]
    fn known_answer_of_aes() {
        let key = hex("feffe9928665731c6d6a8f9467308308");
        let cipher = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).unwrap());
        let mut text = hex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
             1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39");
        let nonce = Nonce::try_assume_unique_for_key(&hex("cafebabefacedbaddecaf888")).unwrap();
        let bound = Aad::from(hex("feedfacedeadbeeffeedfacedeadbeefabaddad2"));
        let tag = cipher.seal_in_place_separate_tag(nonce, bound, &mut text).unwrap();
        let expected = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                        21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091";
        assert_eq!(text, hex(expected));
        assert_eq!(tag.as_ref(), hex("5bc94fbc3221a5db94fae95ae7121a47"));
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

    /// Made by Python's hmac and OpenSSL, as docs/design/0007 describes it; the driver has the same test.
    #[test]
    fn known_answer_of_an_envelope() {
        for (algorithm, expected) in [
            (Algorithm::Aes128Gcm, "00454e430201f6028021003f72616e646f6d72616e646f6d00000000000000012af4b740bada3bf4229f5a8370e15a00\
                 6eeb99228ab3"),
            (Algorithm::Sm4128Gcm, "00454e430202f6028021003f72616e646f6d72616e646f6d0000000000000001058cd6ddaa13793e41fa13a8b39c56f3\
                 f0fd29df5b80"),
        ] {
            let mut sealer = Sealer::new(master(algorithm), || *b"randomrandom");
            let envelopes = sealed(&mut sealer, ORIGIN, &[b"first", b"-10.05"]);
            assert_eq!(envelopes[1], hex(expected), "{algorithm:?}");
        }
    }

    #[test]
    fn an_envelope_says_what_it_holds() {
        for (number, algorithm) in ALGORITHMS.into_iter().enumerate() {
            let master = master(algorithm);
            let mut sealer = Sealer::new(master.clone(), || *b"randomrandom");
            let envelope = sealed(&mut sealer, ORIGIN, &[b"-12.50"]).remove(0);
            assert_eq!(envelope.len(), 6 + OVERHEAD);
            let header = [0, b'E', b'N', b'C', 2, number as u8 + 1, 0xF6, 2, 0x80, 0x21, 0, 63];
            assert_eq!(envelope[..12], header);
            assert_eq!(envelope[12..32], *b"randomrandom\0\0\0\0\0\0\0\0");
            assert_eq!(open(&master, &envelope).as_deref(), Some(b"-12.50".as_slice()));
            for at in 0..envelope.len() {
                let mut changed = envelope.clone();
                changed[at] ^= 1;
                assert_eq!(open(&master, &changed), None, "byte {at}");
            }
        }
    }

    #[test]
    fn it_belongs_to_its_column() {
        let master = master(Algorithm::Aes128Gcm);
        let mut sealer = Sealer::new(master.clone(), counted);
        let envelope = sealed(&mut sealer, ORIGIN, &[b"1"]).remove(0);
        for (names, opens) in
            [("secret\0bal", true), ("secret\0name", false), ("plain\0bal", false), ("\0", false)]
        {
            assert_eq!(open_of(&master, &envelope, names.as_bytes()).is_some(), opens, "{names:?}");
        }
        // What has no origin, or one whose name is other bytes in other sessions, belongs to none.
        for (table, column) in [("", ""), ("t", ""), ("", "c"), ("gr\u{f6}\u{df}e", "c"), ("t", "\0c")] {
            let origin = Origin { schema: b"", table: table.as_bytes(), column: column.as_bytes() };
            let envelope = sealed(&mut sealer, origin, &[b"1"]).remove(0);
            assert!(open_of(&master, &envelope, b"\0").is_some(), "{table:?} {column:?}");
        }
    }

    #[test]
    fn a_connection_has_a_key_of_its_own_and_counts() {
        let master = master(Algorithm::Sm4128Gcm);
        let mut both = [random, random].map(|draw| Sealer::new(master.clone(), draw));
        let [one, other] = &mut both;
        let texts = [b"1".as_slice(); 3];
        let (one, other) = (sealed(one, ORIGIN, &texts), sealed(other, ORIGIN, &texts));
        for (number, envelope) in one.iter().enumerate() {
            assert_eq!(envelope[24..32], (number as u64).to_be_bytes());
            assert_eq!(envelope[12..24], one[0][12..24]);
        }
        assert_ne!(one[0][12..24], other[0][12..24], "the key id");
        let mut mixed = one[0].clone();
        mixed[12..24].copy_from_slice(&other[0][12..24]);
        assert_eq!(open(&master, &mixed), None);
    }
}
