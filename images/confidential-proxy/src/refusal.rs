//! What the proxy says itself: error packets.

use crate::open_files;
use crate::packet::{self, Malformed, Reader, ERR};

/// An error of ours: the server's number for it, its SQL state and one sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    code: u16,
    state: &'static [u8; 5],
    message: &'static str,
}

const fn refusal(code: u16, state: &'static [u8; 5], message: &'static str) -> Refusal {
    Refusal { code, state, message }
}

pub const COMMAND: Refusal = refusal(
    1047,
    b"08S01",
    "confidential-proxy does not pass this command on; connect to the server itself for it",
);
pub const LARGE_COMMAND: Refusal = refusal(
    1153,
    b"08S01",
    "confidential-proxy passes no packet of 16 MiB or more on; send the data in parts",
);
pub const LARGE_ROW: Refusal = refusal(
    1153,
    b"08S01",
    "confidential-proxy encrypts no row of 16 MiB or more; select parts of its values",
);
pub const NO_ROOM: Refusal = refusal(
    1153,
    b"08S01",
    "confidential-proxy has no memory for a row as long as this; select parts of its values, or give the \
     proxy more (--row-memory)",
);
pub const INFILE: Refusal = refusal(
    1148,
    b"42000",
    "confidential-proxy does not pass LOCAL INFILE on; load the file at the server itself",
);
pub const DUMP: Refusal = refusal(
    1235,
    b"42000",
    "confidential-proxy serves no dumps, which would hold ciphertext; dump from the server itself",
);
pub const TLS: Refusal =
    refusal(1835, b"HY000", "confidential-proxy speaks no TLS; connect without it (sslMode=DISABLED)");
pub const PASSWORD: Refusal = refusal(
    1251,
    b"08004",
    "confidential-proxy reaches the server by its socket, where the server wants this password as it is; log \
     in once at the server's own port, after which it knows the password's digest until it is restarted",
);
pub const HANDSHAKE: Refusal = refusal(
    1043,
    b"08S01",
    "confidential-proxy cannot read this handshake; use a client that speaks protocol 4.1",
);
pub const FILES: Refusal = refusal(1040, b"08004", open_files::USED_UP);
pub const UNREACHABLE: Refusal = refusal(1158, b"08S01", "confidential-proxy does not reach the server");
pub const LOST: Refusal = refusal(1159, b"08S01", "confidential-proxy has lost its connection to the server");
pub const UNREADABLE: Refusal = refusal(
    1835,
    b"HY000",
    "confidential-proxy cannot read what the server answered and ends the connection",
);

/// What a client gets in place of the server's text of an error, which may hold any value.
const WITHHELD: &[u8] = b"confidential-proxy withholds the text of this error, which may hold values; \
    the number and the SQL state are the server's";

/// Append a server's error packet without its text.
pub fn append_withheld(out: &mut Vec<u8>, sequence: u8, payload: &[u8]) -> Result<(), Malformed> {
    let mut reader = Reader::new(payload);
    let marked: [u8; 4] = reader.array()?;
    let state: &[u8] = if marked[3] == b'#' { reader.take(5)? } else { b"HY000" };
    out.extend_from_slice(&packet::header_bytes(9 + WITHHELD.len(), sequence));
    out.extend_from_slice(&marked[..3]);
    out.push(b'#');
    out.extend_from_slice(state);
    out.extend_from_slice(WITHHELD);
    Ok(())
}

impl Refusal {
    /// Append it as a packet. Before the handshake there is no SQL state in it.
    pub fn append(self, out: &mut Vec<u8>, sequence: u8, greeted: bool) {
        let length = 3 + if greeted { 6 } else { 0 } + self.message.len();
        out.extend_from_slice(&packet::header_bytes(length, sequence));
        out.push(ERR);
        out.extend_from_slice(&self.code.to_le_bytes());
        if greeted {
            out.push(b'#');
            out.extend_from_slice(self.state);
        }
        out.extend_from_slice(self.message.as_bytes());
    }

    /// It as a packet.
    pub fn packet(self, sequence: u8, greeted: bool) -> Vec<u8> {
        let mut out = Vec::new();
        self.append(&mut out, sequence, greeted);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_s_error_keeps_its_number_and_state() {
        for (payload, start) in [
            (b"\xff\x26\x04#23000Duplicate entry 'Marker'".as_slice(), b"\xff\x26\x04#23000conf".as_slice()),
            (b"\xff\x10\x04Marker", b"\xff\x10\x04#HY000conf"),
        ] {
            let mut out = Vec::new();
            append_withheld(&mut out, 7, payload).unwrap();
            let header = packet::header(&out).unwrap();
            assert_eq!((header.total(), header.sequence), (out.len(), 7));
            assert!(out[4..].starts_with(start) && !out.windows(6).any(|part| part == b"Marker"));
        }
        assert_eq!(append_withheld(&mut Vec::new(), 1, b"\xff\x26\x04"), Err(Malformed));
        assert_eq!(append_withheld(&mut Vec::new(), 1, b"\xff\x26\x04#230"), Err(Malformed));
    }

    #[test]
    fn it_is_one_packet() {
        for (greeted, start) in
            [(true, b"\xff\x17\x04#08S01confid".as_slice()), (false, b"\xff\x17\x04confid")]
        {
            let packet = COMMAND.packet(5, greeted);
            let header = packet::header(&packet).unwrap();
            assert_eq!((header.total(), header.sequence), (packet.len(), 5));
            assert!(packet[4..].starts_with(start));
        }
    }
}
