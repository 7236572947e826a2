//! Rows of the text protocol: each value a length-encoded string, or NULL.

use crate::envelope::Sealer;
use crate::packet::{Malformed, Reader, NULL};
use crate::plan::Plan;

/// Append the row with the planned columns as envelopes.
pub fn encrypt(payload: &[u8], plan: &Plan, sealer: &mut Sealer, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let mut reader = Reader::new(payload);
    for treatment in plan.columns() {
        let before = reader.rest();
        let value = reader.nullable()?;
        match (&treatment.envelope, value) {
            (_, None) => out.push(NULL),
            (Some(prefix), Some(text)) => sealer.seal(prefix, text, out),
            (None, Some(_)) => {
                out.extend_from_slice(&before[..before.len() - reader.rest().len()]);
            }
        }
    }
    reader.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::tests::DECIMAL;
    use crate::envelope::tests::{cipher, counted, open};
    use crate::envelope::Algorithm;
    use crate::packet::put_string;
    use crate::plan::Treatment;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_value_comes_back(
            row in prop::collection::vec(
                (any::<bool>(), prop::option::of(prop::collection::vec(any::<u8>(), 0..300))), 0..12)
        ) {
            let cipher = cipher(Algorithm::Sm4128Gcm);
            let mut sealer = Sealer::new(cipher.clone(), counted);
            let (mut plan, mut payload, mut out) = (Plan::default(), Vec::new(), Vec::new());
            for (chosen, value) in &row {
                let envelope = chosen.then(|| sealer.prefix(DECIMAL));
                plan.push(Treatment { column: DECIMAL, envelope });
                match value {
                    Some(value) => put_string(&mut payload, value),
                    None => payload.push(NULL),
                }
            }
            encrypt(&payload, &plan, &mut sealer, &mut out).unwrap();
            let mut reader = Reader::new(&out);
            for (chosen, value) in row {
                let found = reader.nullable().unwrap();
                if chosen {
                    prop_assert_eq!(found.map(|it| open(&cipher, it).unwrap()), value);
                } else {
                    prop_assert_eq!(found.map(<[u8]>::to_vec), value);
                }
            }
            prop_assert!(reader.rest().is_empty());
        }
    }

    #[test]
    fn a_row_of_another_length_is_refused() {
        let mut sealer = Sealer::new(cipher(Algorithm::Aes128Gcm), counted);
        let mut plan = Plan::default();
        plan.push(Treatment { column: DECIMAL, envelope: None });
        for payload in [b"".as_slice(), b"\x02a", b"\x01ab"] {
            assert_eq!(encrypt(payload, &plan, &mut sealer, &mut Vec::new()), Err(Malformed));
        }
    }
}
