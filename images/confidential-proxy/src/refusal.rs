//! What the proxy says itself: error packets.

use crate::packet::{self, ERR};

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
pub const INFILE: Refusal = refusal(
    1148,
    b"42000",
    "confidential-proxy does not pass LOCAL INFILE on; load the file at the server itself",
);
pub const TLS: Refusal =
    refusal(1835, b"HY000", "confidential-proxy speaks no TLS; connect without it (sslMode=DISABLED)");
pub const HANDSHAKE: Refusal = refusal(
    1043,
    b"08S01",
    "confidential-proxy cannot read this handshake; use a client that speaks protocol 4.1",
);
pub const UNREACHABLE: Refusal = refusal(1158, b"08S01", "confidential-proxy does not reach the server");
pub const LOST: Refusal = refusal(1159, b"08S01", "confidential-proxy has lost its connection to the server");
pub const UNREADABLE: Refusal = refusal(
    1835,
    b"HY000",
    "confidential-proxy cannot read what the server answered and ends the connection",
);

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
