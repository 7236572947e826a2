//! Rows of the binary protocol: a zero, a bitmap of the NULLs, and the values by their types.

use crate::envelope::Sealer;
use crate::packet::{self, Malformed, Reader};
use crate::plan::Plan;
use crate::text_form::{self, Kind};

/// The first two bits of the bitmap have no column.
const RESERVED: usize = 2;

/// Append the row with the planned columns as envelopes of their text forms. `text` is space to write a
/// text form in.
pub fn encrypt(
    payload: &[u8],
    plan: &Plan,
    sealer: &mut Sealer,
    text: &mut Vec<u8>,
    out: &mut Vec<u8>,
) -> Result<(), Malformed> {
    let columns = plan.columns();
    let mut reader = Reader::new(payload);
    let head = reader.take(1 + (columns.len() + RESERVED).div_ceil(8))?;
    if head[0] != packet::OK {
        return Err(Malformed);
    }
    out.extend_from_slice(head);
    for (number, treatment) in columns.iter().enumerate() {
        let bit = number + RESERVED;
        if head[1 + bit / 8] & (1 << (bit % 8)) != 0 {
            continue;
        }
        let column = &treatment.column;
        let before = reader.rest();
        let kind = Kind::of(column.kind).ok_or(Malformed)?;
        let value = match kind.width() {
            Some(width) => reader.take(width)?,
            None if kind.is_temporal() => {
                let length = reader.u8()?;
                reader.take(length.into())?
            }
            None => reader.string()?,
        };
        match plan.bound(treatment) {
            Some(bound) if kind == Kind::Bytes => sealer.seal(bound, value, out),
            Some(bound) => {
                text.clear();
                text_form::write(kind, column, value, text)?;
                sealer.seal(bound, text, out);
            }
            None => out.extend_from_slice(&before[..before.len() - reader.rest().len()]),
        }
    }
    reader.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::tests::DECIMAL;
    use crate::column::Column;
    use crate::envelope::tests::{counted, master, open, ORIGIN};
    use crate::envelope::Algorithm;
    use proptest::prelude::*;

    fn plan(kinds: &[(u8, bool)], sealer: &mut Sealer) -> Plan {
        let mut plan = Plan::default();
        for (kind, chosen) in kinds {
            let column = Column { kind: *kind, flags: 0, decimals: 0, ..DECIMAL };
            match chosen {
                true => plan.encrypt(column, |out| sealer.bind(column, ORIGIN, out)),
                false => plan.pass(column),
            }
        }
        plan
    }

    #[test]
    fn nulls_have_no_bytes_and_numbers_become_text() {
        let master = master(Algorithm::Aes128Gcm);
        let mut sealer = Sealer::new(master.clone(), counted);
        // Nine columns: the bitmap has two bytes. All are chosen but the last; the second is NULL.
        let kinds = [
            (3, true),
            (3, true),
            (8, true),
            (1, true),
            (0xFD, true),
            (10, true),
            (5, true),
            (13, true),
            (3, false),
        ];
        let plan = plan(&kinds, &mut sealer);
        let mut payload = vec![0, 0b1000, 0];
        payload.extend_from_slice(&(-7i32).to_le_bytes());
        payload.extend_from_slice(&i64::MIN.to_le_bytes());
        payload.extend_from_slice(&[0xFF]);
        payload.extend_from_slice(b"\x03abc");
        payload.extend_from_slice(&[4, 0xEA, 0x07, 1, 2]);
        payload.extend_from_slice(&0.1f64.to_le_bytes());
        payload.extend_from_slice(&2026u16.to_le_bytes());
        payload.extend_from_slice(&9i32.to_le_bytes());
        let mut out = Vec::new();
        encrypt(&payload, &plan, &mut sealer, &mut Vec::new(), &mut out).unwrap();
        assert_eq!(out[..3], payload[..3]);
        let mut reader = Reader::new(&out[3..]);
        for text in ["-7", "-9223372036854775808", "-1", "abc", "2026-01-02", "0.1", "2026"] {
            let opened = open(&master, reader.string().unwrap()).unwrap();
            assert_eq!(String::from_utf8(opened).unwrap(), text);
        }
        assert_eq!(reader.rest(), 9i32.to_le_bytes());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(
            kinds in prop::collection::vec((any::<u8>(), any::<bool>()), 0..20),
            bytes in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let mut sealer = Sealer::new(master(Algorithm::Aes128Gcm), counted);
            let plan = plan(&kinds, &mut sealer);
            let payload = [&[0], bytes.as_slice()].concat();
            let _ = encrypt(&payload, &plan, &mut sealer, &mut Vec::new(), &mut Vec::new());
        }
    }
}
