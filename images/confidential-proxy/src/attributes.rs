//! What a client says of itself when it logs in: the attributes in its answer to the greeting.
//!
//! They are the client's own word. So nothing that must stay secret rests on them; they serve to say no
//! in time to a program that would write ciphertext into a file and take it for data.

use crate::packet::{Malformed, Reader};

const CONNECT_WITH_DB: u32 = 1 << 3;
const SECURE_CONNECTION: u32 = 1 << 15;
const PLUGIN_AUTH: u32 = 1 << 19;
const CONNECT_ATTRIBUTES: u32 = 1 << 20;
const LONG_AUTHENTICATION: u32 = 1 << 21;
/// Capabilities, the longest packet, the character set and what is reserved.
const FIXED: usize = 32;

const PROGRAM: &[u8] = b"program_name";
const DUMPS: [&[u8]; 3] = [b"mysqldump", b"mariadb-dump", b"mysqlpump"];

/// Whether a client's answer to the greeting says that it is a program that writes dumps.
pub fn is_dump(response: &[u8]) -> bool {
    matches!(program(response), Ok(Some(name)) if DUMPS.contains(&name))
}

/// The program's name, if it says one.
fn program(response: &[u8]) -> Result<Option<&[u8]>, Malformed> {
    let mut reader = Reader::new(response);
    let granted = reader.u32()?;
    if granted & CONNECT_ATTRIBUTES == 0 {
        return Ok(None);
    }
    reader.take(FIXED - 4)?;
    until_zero(&mut reader)?;
    if granted & LONG_AUTHENTICATION != 0 {
        reader.string()?;
    } else if granted & SECURE_CONNECTION != 0 {
        let length = reader.u8()?;
        reader.take(length.into())?;
    } else {
        until_zero(&mut reader)?;
    }
    for present in [CONNECT_WITH_DB, PLUGIN_AUTH] {
        if granted & present != 0 {
            until_zero(&mut reader)?;
        }
    }
    let mut attributes = Reader::new(reader.string()?);
    while !attributes.rest().is_empty() {
        let (name, value) = (attributes.string()?, attributes.string()?);
        if name == PROGRAM {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

fn until_zero(reader: &mut Reader<'_>) -> Result<(), Malformed> {
    let end = reader.rest().iter().position(|byte| *byte == 0).ok_or(Malformed)?;
    reader.take(end + 1).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::put_string;
    use proptest::prelude::*;

    const ALL: u32 = CONNECT_WITH_DB | SECURE_CONNECTION | PLUGIN_AUTH | CONNECT_ATTRIBUTES;

    fn response(capabilities: u32, attributes: &[&[u8]]) -> Vec<u8> {
        let mut payload = capabilities.to_le_bytes().to_vec();
        payload.extend_from_slice(&[1; FIXED - 4]);
        payload.extend_from_slice(b"user\0");
        if capabilities & (LONG_AUTHENTICATION | SECURE_CONNECTION) != 0 {
            payload.push(3);
            payload.extend_from_slice(b"\0x\0");
        } else {
            payload.extend_from_slice(b"xyz\0");
        }
        if capabilities & CONNECT_WITH_DB != 0 {
            payload.extend_from_slice(b"bank\0");
        }
        if capabilities & PLUGIN_AUTH != 0 {
            payload.extend_from_slice(b"mysql_native_password\0");
        }
        let mut pairs = Vec::new();
        for text in attributes {
            put_string(&mut pairs, text);
        }
        put_string(&mut payload, &pairs);
        payload
    }

    #[test]
    fn a_dump_is_known_by_its_name() {
        for capabilities in [
            ALL,
            ALL | LONG_AUTHENTICATION,
            ALL & !CONNECT_WITH_DB,
            ALL & !PLUGIN_AUTH,
            ALL & !SECURE_CONNECTION,
        ] {
            for name in DUMPS {
                let attributes = [b"_os".as_slice(), b"Linux", PROGRAM, name];
                assert!(is_dump(&response(capabilities, &attributes)), "{capabilities:#x}");
            }
        }
    }

    #[test]
    fn other_programs_are_none() {
        for attributes in [
            [].as_slice(),
            &[PROGRAM, b"mysql"],
            &[PROGRAM, b"my own mysqldump"],
            &[b"_client_name", b"mysqldump"],
            &[PROGRAM],
        ] {
            assert!(!is_dump(&response(ALL, attributes)));
        }
        let unread = response(ALL & !CONNECT_ATTRIBUTES, &[PROGRAM, b"mysqldump"]);
        assert!(!is_dump(&unread));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..90)) {
            is_dump(&bytes);
            is_dump(&[ALL.to_le_bytes().as_slice(), &[0; FIXED - 4], &bytes].concat());
        }
    }
}
