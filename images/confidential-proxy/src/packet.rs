//! Packets of the MySQL protocol: a length of three bytes, a sequence number, the payload; and the
//! integers and strings in payloads.
//!
//! A payload of the greatest length is continued by the next packet, down to an empty one.

pub const HEADER: usize = 4;
pub const MAX_PAYLOAD: usize = 0xFF_FFFF;

pub const OK: u8 = 0x00;
pub const LOCAL_INFILE: u8 = 0xFB;
pub const EOF: u8 = 0xFE;
pub const ERR: u8 = 0xFF;
/// What stands for NULL in a text row and in front of nothing else.
pub const NULL: u8 = 0xFB;

/// The bytes are not what the protocol says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub length: usize,
    pub sequence: u8,
}

impl Header {
    /// Bytes of the whole packet.
    pub fn total(self) -> usize {
        HEADER + self.length
    }
}

/// The header at the start of `bytes`, if it is there as a whole.
pub fn header(bytes: &[u8]) -> Option<Header> {
    let bytes: &[u8; HEADER] = bytes.first_chunk()?;
    Some(Header {
        length: u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]) as usize,
        sequence: bytes[3],
    })
}

/// A header for a payload shorter than `MAX_PAYLOAD`.
pub fn header_bytes(length: usize, sequence: u8) -> [u8; HEADER] {
    debug_assert!(length < MAX_PAYLOAD);
    let [a, b, c, ..] = (length as u32).to_le_bytes();
    [a, b, c, sequence]
}

/// Append a packet whose payload `write` appends. A payload that does not fit into one packet is taken
/// back, and the answer is `false`.
pub fn append<E>(
    out: &mut Vec<u8>,
    sequence: u8,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<bool, E> {
    let start = out.len();
    out.extend_from_slice(&[0; HEADER]);
    if let Err(error) = write(out) {
        out.truncate(start);
        return Err(error);
    }
    let length = out.len() - start - HEADER;
    if length >= MAX_PAYLOAD {
        out.truncate(start);
        return Ok(false);
    }
    out[start..start + HEADER].copy_from_slice(&header_bytes(length, sequence));
    Ok(true)
}

/// The most bytes that a length-encoded integer has.
pub const LONGEST_LENGTH: usize = 9;

/// Append a length-encoded integer.
pub fn put_length(out: &mut Vec<u8>, value: usize) {
    match value {
        0..=0xFA => out.push(value as u8),
        0xFB..=0xFFFF => {
            out.push(0xFC);
            out.extend_from_slice(&(value as u16).to_le_bytes());
        }
        0x1_0000..=0xFF_FFFF => {
            out.push(0xFD);
            out.extend_from_slice(&(value as u32).to_le_bytes()[..3]);
        }
        _ => {
            out.push(0xFE);
            out.extend_from_slice(&(value as u64).to_le_bytes());
        }
    }
}

/// Append a length-encoded string.
pub fn put_string(out: &mut Vec<u8>, value: &[u8]) {
    put_length(out, value.len());
    out.extend_from_slice(value);
}

/// Reads a payload from its start on.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(payload: &'a [u8]) -> Self {
        Self(payload)
    }

    pub fn rest(self) -> &'a [u8] {
        self.0
    }

    /// Nothing may be left.
    pub fn finish(self) -> Result<(), Malformed> {
        match self.0 {
            [] => Ok(()),
            _ => Err(Malformed),
        }
    }

    pub fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Malformed)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub fn u8(&mut self) -> Result<u8, Malformed> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    /// A length-encoded integer. What stands for NULL or an error is none.
    pub fn length(&mut self) -> Result<u64, Malformed> {
        match self.u8()? {
            small @ 0..=0xFA => Ok(small.into()),
            0xFC => self.u16().map(u64::from),
            0xFD => self.array().map(|[a, b, c]| u32::from_le_bytes([a, b, c, 0]).into()),
            0xFE => self.array().map(u64::from_le_bytes),
            _ => Err(Malformed),
        }
    }

    /// A length-encoded string.
    pub fn string(&mut self) -> Result<&'a [u8], Malformed> {
        let length = usize::try_from(self.length()?).map_err(|_| Malformed)?;
        self.take(length)
    }

    /// A length-encoded string of a text row, `None` for NULL.
    pub fn nullable(&mut self) -> Result<Option<&'a [u8]>, Malformed> {
        if self.0.first() == Some(&NULL) {
            self.0 = &self.0[1..];
            return Ok(None);
        }
        self.string().map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_header_wants_four_bytes() {
        assert_eq!(header(&[1, 0, 0]), None);
        assert_eq!(header(&[1, 2, 3, 4, 9]), Some(Header { length: 0x03_0201, sequence: 4 }));
        assert_eq!(header_bytes(0x03_0201, 4), [1, 2, 3, 4]);
    }

    #[test]
    fn what_does_not_fit_is_taken_back() {
        let mut out = vec![7];
        let fits = append(&mut out, 3, |out| {
            out.resize(out.len() + MAX_PAYLOAD, 0);
            Ok::<(), Malformed>(())
        });
        assert_eq!((fits, out.as_slice()), (Ok(false), [7].as_slice()));
        assert_eq!(append(&mut out, 3, |_| Err(Malformed)), Err(Malformed));
        assert_eq!(out, [7]);
        let fits = append(&mut out, 3, |out| {
            out.push(9);
            Ok::<(), Malformed>(())
        });
        assert_eq!((fits, out.as_slice()), (Ok(true), [7, 1, 0, 0, 3, 9].as_slice()));
    }

    proptest! {
        #[test]
        fn lengths_come_back(value in prop_oneof![0u64..70_000, 16_700_000u64..16_800_000, any::<u64>()]) {
            let mut out = Vec::new();
            put_length(&mut out, value as usize);
            let mut reader = Reader::new(&out);
            prop_assert_eq!(reader.length(), Ok(value));
            prop_assert!(reader.rest().is_empty());
        }

        #[test]
        fn strings_come_back(value in prop::collection::vec(any::<u8>(), 0..600)) {
            let mut out = Vec::new();
            put_string(&mut out, &value);
            prop_assert_eq!(Reader::new(&out).nullable(), Ok(Some(value.as_slice())));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut reader = Reader::new(&bytes);
            while reader.string().is_ok() && !reader.rest().is_empty() {}
            let mut reader = Reader::new(&bytes);
            while reader.nullable().is_ok() && !reader.rest().is_empty() {}
        }
    }
}
