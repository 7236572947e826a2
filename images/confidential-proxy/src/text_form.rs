//! The text forms of binary values: what the text protocol would have written.

use std::io::Write;

use crate::column::{Column, UNSIGNED, ZEROFILL};
use crate::packet::{Malformed, Reader};

/// How a type is written in a binary row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Integer(usize),
    Year,
    Float,
    Double,
    Date,
    DateTime,
    Time,
    /// A length-encoded string, which is its own text form.
    Bytes,
}

impl Kind {
    /// By a column's type code; `None` for one that no server sends.
    pub fn of(code: u8) -> Option<Self> {
        Some(match code {
            0x01 => Self::Integer(1),
            0x02 => Self::Integer(2),
            0x03 | 0x09 => Self::Integer(4),
            0x08 => Self::Integer(8),
            0x0D => Self::Year,
            0x04 => Self::Float,
            0x05 => Self::Double,
            0x0A | 0x0E => Self::Date,
            0x07 | 0x0C | 0x11 | 0x12 => Self::DateTime,
            0x0B | 0x13 => Self::Time,
            0x00 | 0x06 | 0x0F | 0x10 | 0xF2..=0xFF => Self::Bytes,
            _ => return None,
        })
    }

    /// Bytes of a value, where all have as many.
    pub fn width(self) -> Option<usize> {
        match self {
            Self::Integer(width) => Some(width),
            Self::Year => Some(2),
            Self::Float => Some(4),
            Self::Double => Some(8),
            _ => None,
        }
    }

    /// Whether a length of one byte stands in front.
    pub fn is_temporal(self) -> bool {
        matches!(self, Self::Date | Self::DateTime | Self::Time)
    }
}

/// Append the text form of a value, whose length is not part of it.
pub fn write(kind: Kind, column: &Column, value: &[u8], out: &mut Vec<u8>) -> Result<(), Malformed> {
    let start = out.len();
    match kind {
        Kind::Integer(_) => integer(column.flags & UNSIGNED != 0, value, out)?,
        Kind::Year => {
            // MariaDB has years of two digits.
            let digits = if column.length == 2 { 2 } else { 4 };
            put(out, format_args!("{:0digits$}", Reader::new(value).u16()?));
        }
        Kind::Float => {
            let value = Reader::new(value).array().map(f32::from_le_bytes)?;
            let plain = (1e-5..1e15).contains(&value.abs()) || value == 0.0;
            match plain {
                true => put(out, format_args!("{value}")),
                false => put(out, format_args!("{value:e}")),
            }
        }
        Kind::Double => {
            let value = Reader::new(value).array().map(f64::from_le_bytes)?;
            let plain = (1e-5..1e15).contains(&value.abs()) || value == 0.0;
            match plain {
                true => put(out, format_args!("{value}")),
                false => put(out, format_args!("{value:e}")),
            }
        }
        Kind::Date => date(&mut Reader::new(value), out)?,
        Kind::DateTime => date_time(value, column.decimals, out)?,
        Kind::Time => time(value, column.decimals, out)?,
        Kind::Bytes => out.extend_from_slice(value),
    }
    if column.flags & ZEROFILL != 0 && kind.width().is_some() && kind != Kind::Year {
        // No number is shown wider than the 255 digits that a column may be declared with.
        let missing = (column.length.min(255) as usize).saturating_sub(out.len() - start);
        out.splice(start..start, std::iter::repeat_n(b'0', missing));
    }
    Ok(())
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("memory takes what is written to it");
}

fn integer(unsigned: bool, value: &[u8], out: &mut Vec<u8>) -> Result<(), Malformed> {
    let negative = !unsigned && value.last().is_some_and(|byte| *byte >= 0x80);
    let mut wide = [if negative { 0xFF } else { 0 }; 8];
    wide.get_mut(..value.len()).ok_or(Malformed)?.copy_from_slice(value);
    match unsigned {
        true => put(out, format_args!("{}", u64::from_le_bytes(wide))),
        false => put(out, format_args!("{}", i64::from_le_bytes(wide))),
    }
    Ok(())
}

/// Nothing at all is the zero date.
fn date(reader: &mut Reader<'_>, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let (year, month, day) = match reader.rest().is_empty() {
        true => (0, 0, 0),
        false => (reader.u16()?, reader.u8()?, reader.u8()?),
    };
    put(out, format_args!("{year:04}-{month:02}-{day:02}"));
    Ok(())
}

fn date_time(value: &[u8], decimals: u8, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let mut reader = Reader::new(value);
    date(&mut reader, out)?;
    let (hour, minute, second) = match reader.rest().is_empty() {
        true => (0, 0, 0),
        false => (reader.u8()?, reader.u8()?, reader.u8()?),
    };
    put(out, format_args!(" {hour:02}:{minute:02}:{second:02}"));
    fraction(&mut reader, decimals, out)
}

/// Hours go on beyond a day.
fn time(value: &[u8], decimals: u8, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let mut reader = Reader::new(value);
    let (negative, days, hour, minute, second) = match value.is_empty() {
        true => (false, 0, 0, 0, 0),
        false => (reader.u8()? != 0, reader.u32()?, reader.u8()?, reader.u8()?, reader.u8()?),
    };
    let sign = if negative { "-" } else { "" };
    let hours = u64::from(days) * 24 + u64::from(hour);
    put(out, format_args!("{sign}{hours:02}:{minute:02}:{second:02}"));
    fraction(&mut reader, decimals, out)
}

/// As many digits as the column has; six where it has no fixed number and there is a fraction.
fn fraction(reader: &mut Reader<'_>, decimals: u8, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let microseconds = match reader.rest().is_empty() {
        true => 0,
        false => reader.u32()?,
    };
    if !reader.rest().is_empty() || microseconds > 999_999 {
        return Err(Malformed);
    }
    let digits = match decimals {
        0..=6 => usize::from(decimals),
        _ if microseconds == 0 => 0,
        _ => 6,
    };
    if digits > 0 {
        let scaled = microseconds / 10u32.pow(6 - digits as u32);
        put(out, format_args!(".{scaled:0digits$}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::tests::DECIMAL;
    use proptest::prelude::*;

    fn text(code: u8, flags: u16, decimals: u8, value: &[u8]) -> String {
        let column = Column { kind: code, flags, decimals, length: 5, ..DECIMAL };
        let mut out = Vec::new();
        write(Kind::of(code).unwrap(), &column, value, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn integers() {
        assert_eq!(text(1, 0, 0, &[0x80]), "-128");
        assert_eq!(text(1, UNSIGNED, 0, &[0x80]), "128");
        assert_eq!(text(2, 0, 0, &[0xFF, 0xFF]), "-1");
        assert_eq!(text(9, 0, 0, &(-8_388_608i32).to_le_bytes()), "-8388608");
        assert_eq!(text(8, UNSIGNED, 0, &[0xFF; 8]), "18446744073709551615");
        assert_eq!(text(3, UNSIGNED | ZEROFILL, 0, &42u32.to_le_bytes()), "00042");
        assert_eq!(text(13, UNSIGNED | ZEROFILL, 0, &[0, 0]), "0000");
    }

    #[test]
    fn years_are_as_wide_as_their_column() {
        for (length, value, expected) in [(4, 1901u16, "1901"), (4, 0, "0000"), (2, 99, "99"), (2, 7, "07")] {
            let column = Column { kind: 13, flags: UNSIGNED | ZEROFILL, length, ..DECIMAL };
            let mut out = Vec::new();
            write(Kind::Year, &column, &value.to_le_bytes(), &mut out).unwrap();
            assert_eq!(out, expected.as_bytes());
        }
    }

    #[test]
    fn floats() {
        let double = |value: f64| text(5, 0, 31, &value.to_le_bytes());
        let float = |value: f32| text(4, 0, 31, &value.to_le_bytes());
        assert_eq!(double(0.1 + 0.2), "0.30000000000000004");
        assert_eq!(double(-1e300), "-1e300");
        assert_eq!(double(1e14), "100000000000000");
        assert_eq!(double(2.5e-9), "2.5e-9");
        assert_eq!(double(0.0), "0");
        assert_eq!(float(0.1), "0.1");
        assert_eq!(float(f32::MIN_POSITIVE), "1.1754944e-38");
    }

    #[test]
    fn dates_and_times() {
        let full = [0xEA, 0x07, 1, 2, 3, 4, 5, 0x40, 0xE2, 0x01, 0];
        assert_eq!(text(10, 0, 0, &full[..4]), "2026-01-02");
        assert_eq!(text(10, 0, 0, &[]), "0000-00-00");
        assert_eq!(text(12, 0, 6, &full), "2026-01-02 03:04:05.123456");
        assert_eq!(text(7, 0, 3, &full), "2026-01-02 03:04:05.123");
        assert_eq!(text(12, 0, 6, &full[..7]), "2026-01-02 03:04:05.000000");
        assert_eq!(text(12, 0, 0, &full[..4]), "2026-01-02 00:00:00");
        assert_eq!(text(12, 0, 2, &[]), "0000-00-00 00:00:00.00");
        assert_eq!(text(12, 0, 31, &full), "2026-01-02 03:04:05.123456");
        assert_eq!(text(11, 0, 6, &[1, 0, 0, 0, 0, 12, 0, 0]), "-12:00:00.000000");
        assert_eq!(text(11, 0, 0, &[0, 34, 0, 0, 0, 22, 59, 59]), "838:59:59");
        assert_eq!(text(11, 0, 0, &[]), "00:00:00");
    }

    proptest! {
        #[test]
        fn floats_read_back_the_same(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(text(5, 0, 31, &value.to_le_bytes()).parse::<f64>().unwrap().to_bits(), bits);
            let value = f32::from_bits(bits as u32);
            prop_assume!(value.is_finite());
            let back = text(4, 0, 31, &value.to_le_bytes()).parse::<f32>().unwrap();
            prop_assert_eq!(back.to_bits(), bits as u32);
        }

        #[test]
        fn no_bytes_make_it_panic(
            code in any::<u8>(), flags in any::<u16>(), decimals in any::<u8>(), length in any::<u32>(),
            value in prop::collection::vec(any::<u8>(), 0..20),
        ) {
            if let Some(kind) = Kind::of(code) {
                let column = Column { kind: code, flags, decimals, length, ..DECIMAL };
                let _ = write(kind, &column, &value, &mut Vec::new());
            }
        }
    }
}
