//! Column definitions: read, and rewritten for columns that are encrypted.

use crate::packet::{Malformed, Reader, NULL};
use crate::rules::Origin;

pub const VAR_STRING: u8 = 0xFD;
const BINARY_CHARSET: u16 = 63;
/// Charset, length, type, flags, decimals and two bytes without meaning.
const FIXED: u8 = 12;

pub const UNSIGNED: u16 = 0x20;
pub const ZEROFILL: u16 = 0x40;
const BINARY: u16 = 0x80;
const BLOB: u16 = 0x10;
const ENUM: u16 = 0x100;
const SET: u16 = 0x800;
const NUM: u16 = 0x8000;
/// Flags that would give a wrong idea of an envelope.
const CLEARED: u16 = UNSIGNED | ZEROFILL | BLOB | ENUM | SET | NUM;

/// A value that is shorter on paper than in its text form: the longest float or date.
const LEAST_TEXT: u32 = 64;

/// A column as the server defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    pub charset: u16,
    pub length: u32,
    pub kind: u8,
    pub flags: u16,
    pub decimals: u8,
}

/// A definition's packet, taken apart.
#[derive(Debug, Clone, Copy)]
pub struct Definition<'a> {
    pub origin: Origin<'a>,
    pub column: Column,
    /// Names and origin as they stand in the packet.
    names: &'a [u8],
    /// Whether a default value follows, as COM_FIELD_LIST has it.
    default: bool,
}

impl<'a> Definition<'a> {
    pub fn parse(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        reader.string()?;
        let schema = reader.string()?;
        reader.string()?;
        let table = reader.string()?;
        reader.string()?;
        let column = reader.string()?;
        let names = &payload[..payload.len() - reader.rest().len()];
        if reader.u8()? != FIXED {
            return Err(Malformed);
        }
        let definition = Self {
            origin: Origin { schema, table, column },
            column: Column {
                charset: reader.u16()?,
                length: reader.u32()?,
                kind: reader.u8()?,
                flags: reader.u16()?,
                decimals: reader.u8()?,
            },
            names,
            default: reader.take(2).map(|_| !reader.rest().is_empty())?,
        };
        Ok(definition)
    }

    /// Append the payload that announces values which are longer by so many bytes: envelopes. A default
    /// value would be plaintext.
    pub fn announce(&self, longer: u32, out: &mut Vec<u8>) {
        let length = self.column.length.max(LEAST_TEXT).saturating_add(longer);
        out.extend_from_slice(self.names);
        out.push(FIXED);
        out.extend_from_slice(&BINARY_CHARSET.to_le_bytes());
        out.extend_from_slice(&length.to_le_bytes());
        out.push(VAR_STRING);
        out.extend_from_slice(&(self.column.flags & !CLEARED | BINARY).to_le_bytes());
        out.extend_from_slice(&[0, 0, 0]);
        if self.default {
            out.push(NULL);
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::packet::put_string;
    use proptest::prelude::*;

    /// A definition's payload.
    pub fn payload(schema: &str, table: &str, column: &str, fixed: Column) -> Vec<u8> {
        let mut out = Vec::new();
        for name in ["def", schema, "alias", table, "name", column] {
            put_string(&mut out, name.as_bytes());
        }
        out.push(FIXED);
        out.extend_from_slice(&fixed.charset.to_le_bytes());
        out.extend_from_slice(&fixed.length.to_le_bytes());
        out.push(fixed.kind);
        out.extend_from_slice(&fixed.flags.to_le_bytes());
        out.extend_from_slice(&[fixed.decimals, 0, 0]);
        out
    }

    pub const DECIMAL: Column = Column { charset: 63, length: 12, kind: 0xF6, flags: 0x8021, decimals: 2 };

    #[test]
    fn it_is_read() {
        let payload = payload("db", "secret", "bal", DECIMAL);
        let definition = Definition::parse(&payload).unwrap();
        assert_eq!(definition.column, DECIMAL);
        let Origin { schema, table, column } = definition.origin;
        assert_eq!((schema, table, column), (b"db".as_slice(), b"secret".as_slice(), b"bal".as_slice()));
    }

    #[test]
    fn an_envelope_is_announced() {
        let flags = 0x8001 | 0x0002 | UNSIGNED | ZEROFILL | BLOB | ENUM | SET;
        let before = payload("db", "secret", "bal", Column { flags, ..DECIMAL });
        let mut out = Vec::new();
        Definition::parse(&before).unwrap().announce(40, &mut out);
        let announced = Column { charset: 63, length: 104, kind: VAR_STRING, flags: 0x0083, decimals: 0 };
        assert_eq!(out, payload("db", "secret", "bal", announced));
    }

    #[test]
    fn a_default_value_is_not_shown() {
        let mut before = payload("db", "secret", "bal", DECIMAL);
        put_string(&mut before, b"5.00");
        let mut out = Vec::new();
        Definition::parse(&before).unwrap().announce(40, &mut out);
        assert_eq!(out.last(), Some(&NULL));
        assert!(!out.windows(4).any(|found| found == b"5.00"));
    }

    #[test]
    fn the_length_does_not_overflow() {
        let before = payload("db", "t", "blob", Column { length: u32::MAX, ..DECIMAL });
        let mut out = Vec::new();
        Definition::parse(&before).unwrap().announce(40, &mut out);
        assert_eq!(Definition::parse(&out).unwrap().column.length, u32::MAX);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            if let Ok(definition) = Definition::parse(&bytes) {
                definition.announce(40, &mut Vec::new());
            }
        }
    }
}
