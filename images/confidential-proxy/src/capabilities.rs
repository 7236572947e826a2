//! What server and client may agree on: only what this proxy understands.
//!
//! The capabilities that the server offers in its greeting, and those that the client asks for in its
//! answer, lose what would hide the traffic (TLS, compression), let the server leave out the column
//! definitions, or change the packets in a way that is not parsed here. Both packets keep their lengths.

use crate::packet::{Malformed, Reader};

pub const PROTOCOL_41: u32 = 1 << 9;
pub const SSL: u32 = 1 << 11;
pub const DEPRECATE_EOF: u32 = 1 << 24;

/// All that may pass. Left out are, by bit: 5 and 26 compression, 7 LOCAL INFILE, 11 TLS, 22 sessions whose
/// password has expired, in which even a command without an answer gets one, 25 optional metadata, 27 query
/// attributes, 28 several factors of authentication, 29 and above what MariaDB and clients use for
/// themselves.
const UNDERSTOOD: u32 = 0b0000_0001_1011_1111_1111_0111_0101_1111;

const PROTOCOL_VERSION: u8 = 10;
const FIRST_SCRAMBLE: usize = 8;
/// Where an extension of MariaDB's capabilities lies in its greeting: after the length of the scramble
/// and six bytes. Other servers have zeros there.
const EXTENDED: usize = 4;

/// Take from a server's greeting what may not be agreed on; returned is what it then offers.
pub fn mask_greeting(payload: &mut [u8]) -> Result<u32, Malformed> {
    if payload.first() != Some(&PROTOCOL_VERSION) {
        return Err(Malformed);
    }
    let version = payload.iter().position(|byte| *byte == 0).ok_or(Malformed)?;
    let low = version + 1 + 4 + FIRST_SCRAMBLE + 1;
    let high = low + 2 + 1 + 2;
    let extended = high + 2 + 1 + 6;
    let both = payload.get_mut(..extended + EXTENDED).ok_or(Malformed)?;
    let offered = u32::from_le_bytes([both[low], both[low + 1], both[high], both[high + 1]]);
    if offered & PROTOCOL_41 == 0 {
        return Err(Malformed);
    }
    let offered = offered & UNDERSTOOD;
    let [a, b, c, d] = offered.to_le_bytes();
    (both[low], both[low + 1], both[high], both[high + 1]) = (a, b, c, d);
    both[extended..].fill(0);
    Ok(offered)
}

/// Why a client's answer to the greeting cannot be passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    Tls,
    Malformed,
}

/// Take the same from the client's answer; returned is what it then asks for.
pub fn mask_response(payload: &mut [u8]) -> Result<u32, Refused> {
    let mut reader = Reader::new(payload);
    let asked = reader.u32().map_err(|_| Refused::Malformed)?;
    if asked & PROTOCOL_41 == 0 {
        return Err(Refused::Malformed);
    }
    if asked & SSL != 0 && payload.len() <= 32 {
        return Err(Refused::Tls);
    }
    let fixed = payload.get_mut(..32).ok_or(Refused::Malformed)?;
    let granted = asked & UNDERSTOOD;
    fixed[..4].copy_from_slice(&granted.to_le_bytes());
    fixed[28..].fill(0);
    Ok(granted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A greeting as MariaDB writes it, with these capabilities and these extended ones.
    pub fn greeting(capabilities: u32, extended: u32) -> Vec<u8> {
        let [a, b, c, d] = capabilities.to_le_bytes();
        let mut payload = vec![10];
        payload.extend_from_slice(b"5.5.5-10.11.6-MariaDB\0");
        payload.extend_from_slice(&[9, 0, 0, 0]);
        payload.extend_from_slice(b"scramble\0");
        payload.extend_from_slice(&[a, b, 45, 2, 0, c, d, 21, 0, 0, 0, 0, 0, 0]);
        payload.extend_from_slice(&extended.to_le_bytes());
        payload.extend_from_slice(b"and the rest\0mysql_native_password\0");
        payload
    }

    #[test]
    fn exactly_these_bits_pass() {
        let masked = [5, 7, 11, 22, 25, 26, 27, 28, 29, 30, 31];
        for bit in 0..32 {
            let passes = UNDERSTOOD & (1 << bit) != 0;
            assert_eq!(passes, !masked.contains(&bit), "bit {bit}");
        }
    }

    #[test]
    fn a_greeting_loses_what_is_not_understood() {
        let mut payload = greeting(u32::MAX, 0x1D);
        assert_eq!(mask_greeting(&mut payload), Ok(UNDERSTOOD));
        assert_eq!(payload, greeting(UNDERSTOOD, 0));
    }

    #[test]
    fn an_answer_loses_it_too() {
        let mut payload = u32::MAX.to_le_bytes().to_vec();
        payload.extend_from_slice(&[1; 28]);
        payload.extend_from_slice(b"user\0");
        assert_eq!(mask_response(&mut payload), Ok(UNDERSTOOD));
        assert_eq!(payload[..4], UNDERSTOOD.to_le_bytes());
        assert_eq!(payload[4..28], [1; 24]);
        assert_eq!(payload[28..32], [0; 4]);
        assert_eq!(&payload[32..], b"user\0");
    }

    #[test]
    fn a_request_for_tls_is_told_apart() {
        let mut payload = (SSL | PROTOCOL_41).to_le_bytes().to_vec();
        payload.extend_from_slice(&[0; 28]);
        assert_eq!(mask_response(&mut payload), Err(Refused::Tls));
        assert_eq!(mask_response(&mut [0; 40]), Err(Refused::Malformed));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..90)) {
            let _ = mask_greeting(&mut bytes);
            let _ = mask_response(&mut bytes);
            if let Some(first) = bytes.first_mut() {
                *first = PROTOCOL_VERSION;
            }
            let _ = mask_greeting(&mut bytes);
        }
    }
}
