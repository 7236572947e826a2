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
        match (plan.bound(treatment), value) {
            (_, None) => out.push(NULL),
            (Some(bound), Some(text)) => sealer.seal(bound, text, out),
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
    use crate::envelope::tests::{counted, master, open, ORIGIN};
    use crate::envelope::Algorithm;
    use crate::packet::put_string;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_value_comes_back(
            row in prop::collection::vec(
                (any::<bool>(), prop::option::of(prop::collection::vec(any::<u8>(), 0..300))), 0..12)
        ) {
            let master = master(Algorithm::Sm4128Gcm);
            let mut sealer = Sealer::new(master.clone(), counted);
            let (mut plan, mut payload, mut out) = (Plan::default(), Vec::new(), Vec::new());
            for (chosen, value) in &row {
                match chosen {
                    true => plan.encrypt(DECIMAL, |out| sealer.bind(DECIMAL, ORIGIN, out)),
                    false => plan.pass(DECIMAL),
                }
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
                    prop_assert_eq!(found.map(|it| open(&master, it).unwrap()), value);
                } else {
                    prop_assert_eq!(found.map(<[u8]>::to_vec), value);
                }
            }
            prop_assert!(reader.rest().is_empty());
        }
    }

    #[test]
    fn a_row_of_another_length_is_refused() {
        let mut sealer = Sealer::new(master(Algorithm::Aes128Gcm), counted);
        let mut plan = Plan::default();
        plan.pass(DECIMAL);
        for payload in [b"".as_slice(), b"\x02a", b"\x01ab"] {
            assert_eq!(encrypt(payload, &plan, &mut sealer, &mut Vec::new()), Err(Malformed));
        }
    }
}
