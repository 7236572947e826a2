//! The master key, read from a file.

use std::fmt;

use zeroize::Zeroizing;

pub const LENGTH: usize = 16;

/// Sixteen bytes that are wiped when they are not needed any more.
pub type Key = Zeroizing<[u8; LENGTH]>;

/// A text that is no key. It does not say what it was.
#[derive(Debug, PartialEq, Eq)]
pub enum BadKey {
    Length(usize),
    Digit,
}

impl fmt::Display for BadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = 2 * LENGTH;
        match self {
            Self::Length(found) => write!(f, "the key has {found} characters instead of {digits} hex digits"),
            Self::Digit => write!(f, "the key has characters other than the hex digits 0-9, a-f"),
        }
    }
}

/// The key of a file's content: 32 hex digits, a line end after them is allowed.
pub fn parse(text: &[u8]) -> Result<Key, BadKey> {
    let digits = text.strip_suffix(b"\n").unwrap_or(text);
    let digits = digits.strip_suffix(b"\r").unwrap_or(digits);
    if digits.len() != 2 * LENGTH {
        return Err(BadKey::Length(digits.len()));
    }
    let mut key = Key::default();
    for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Ok(key)
}

fn digit(character: u8) -> Result<u8, BadKey> {
    let value = char::from(character).to_digit(16).ok_or(BadKey::Digit)?;
    Ok(value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_digits_and_a_line_end() {
        let digits = b"000102030405060708090A0b0c0d0e0f";
        for end in ["", "\n", "\r\n"] {
            let key = parse(&[digits, end.as_bytes()].concat()).unwrap();
            assert_eq!(*key, std::array::from_fn(|number| number as u8));
        }
    }

    #[test]
    fn anything_else_is_refused_without_being_shown() {
        assert_eq!(parse(b"00"), Err(BadKey::Length(2)));
        assert_eq!(parse(&[b'0'; 64]), Err(BadKey::Length(64)));
        assert_eq!(parse(&[b'0'; 33]), Err(BadKey::Length(33)));
        assert_eq!(parse(&[b'g'; 32]), Err(BadKey::Digit));
        assert_eq!(parse(&[0xFF; 32]), Err(BadKey::Digit));
        assert!(!BadKey::Digit.to_string().contains("gg"));
    }
}
