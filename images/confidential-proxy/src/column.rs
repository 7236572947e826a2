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

/// The bits of an announced length; no column of a server's is such a long binary string.
const MARK: u32 = 1 << 30;
const KIND_AT: u32 = 24;
const MARK_UNSIGNED: u32 = 1 << 23;
const MARK_BINARY: u32 = 1 << 22;
const DECIMALS_AT: u32 = 16;
const SIX_BITS: u8 = 0x3F;
const KIND_ENUM: u8 = 0xF7;
const KIND_SET: u8 = 0xF8;

/// Names and origin of a column whose own are withheld: the catalogue, the column's name, and no other.
const UNNAMED: &[u8] = b"\x03def\0\0\0\x08withheld\0";

/// A column as the server defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    pub charset: u16,
    pub length: u32,
    pub kind: u8,
    pub flags: u16,
    pub decimals: u8,
}

impl Column {
    /// What the column is, as the length that is announced: drivers hand that out before any value has
    /// come. Type codes are below 0x30 or from 0xF0 on, so six bits are enough.
    fn packed(self) -> u32 {
        let kind = match self.flags {
            flags if flags & ENUM != 0 => KIND_ENUM,
            flags if flags & SET != 0 => KIND_SET,
            _ => self.kind,
        };
        let unsigned = if self.flags & UNSIGNED != 0 { MARK_UNSIGNED } else { 0 };
        let binary = if self.charset == BINARY_CHARSET { MARK_BINARY } else { 0 };
        let decimals = u32::from(self.decimals.min(SIX_BITS)) << DECIMALS_AT;
        let kind = u32::from(kind & SIX_BITS) << KIND_AT;
        MARK | kind | unsigned | binary | decimals | self.length.min(u16::MAX.into())
    }
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

    /// The same column without names: of a result whose names can be values.
    pub fn unnamed(self) -> Self {
        Self { origin: Origin { schema: b"", table: b"", column: b"" }, names: UNNAMED, ..self }
    }

    /// Append the payload that announces envelopes. A default value would be plaintext.
    pub fn announce(&self, out: &mut Vec<u8>) {
        let length = self.column.packed();
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
        Definition::parse(&before).unwrap().announce(&mut out);
        let length = 0x4000_0000 | 0x37 << 24 | 0x80_0000 | 0x40_0000 | 2 << 16 | 12;
        let announced = Column { charset: 63, length, kind: VAR_STRING, flags: 0x0083, decimals: 0 };
        assert_eq!(out, payload("db", "secret", "bal", announced));
    }

    #[test]
    fn one_without_names_keeps_the_rest() {
        let before = payload("db", "secret", "bal", DECIMAL);
        let (mut named, mut unnamed) = (Vec::new(), Vec::new());
        let definition = Definition::parse(&before).unwrap();
        definition.announce(&mut named);
        definition.unnamed().announce(&mut unnamed);
        let (named, unnamed) = (Definition::parse(&named).unwrap(), Definition::parse(&unnamed).unwrap());
        assert_eq!(unnamed.column, named.column);
        let Origin { schema, table, column } = unnamed.origin;
        assert!([schema, table, column].iter().all(|name| name.is_empty()));
    }

    #[test]
    fn a_default_value_is_not_shown() {
        let mut before = payload("db", "secret", "bal", DECIMAL);
        put_string(&mut before, b"5.00");
        let mut out = Vec::new();
        Definition::parse(&before).unwrap().announce(&mut out);
        assert_eq!(out.last(), Some(&NULL));
        assert!(!out.windows(4).any(|found| found == b"5.00"));
    }

    #[test]
    fn the_length_says_what_the_column_is() {
        let column =
            |kind, flags, decimals, charset, length| Column { charset, length, kind, flags, decimals };
        for (column, packed) in [
            (DECIMAL, 0x4000_0000 | 0x36 << 24 | 0x80_0000 | 0x40_0000 | 2 << 16 | 12),
            (column(0x01, 0, 0, 63, 1), 0x4000_0000 | 0x01 << 24 | 0x40_0000 | 1),
            (column(0x05, 0, 31, 63, 22), 0x4000_0000 | 0x05 << 24 | 0x40_0000 | 31 << 16 | 22),
            (column(0xFD, 0, 0, 45, 2000), 0x4000_0000 | 0x3D << 24 | 2000),
            (column(0xFC, BLOB, 0, 45, u32::MAX), 0x4000_0000 | 0x3C << 24 | 0xFFFF),
            (column(0xFE, SET, 0, 45, 9), 0x4000_0000 | 0x38 << 24 | 9),
        ] {
            assert_eq!(column.packed(), packed, "{column:?}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(at: prop::sample::Index, byte: u8, cut: prop::sample::Index) {
            let mut bytes = payload("db", "secret", "bal", DECIMAL);
            let place = at.index(bytes.len());
            bytes[place] = byte;
            for end in [bytes.len(), cut.index(bytes.len())] {
                if let Ok(definition) = Definition::parse(&bytes[..end]) {
                    definition.announce(&mut Vec::new());
                }
            }
        }
    }
}
