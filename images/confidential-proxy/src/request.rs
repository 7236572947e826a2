//! Commands of the client: which ones pass, and what answer each one gets.

use crate::packet::{Malformed, Reader};

/// MariaDB: the statement that was prepared last.
pub const LAST_PREPARED: u32 = u32::MAX;

/// No statement has this number.
pub const NONE_PREPARED: u32 = 0;

/// How a statement is executed, behind its number: without anything else, or with a cursor.
const PLAIN: u8 = 0;
const WITH_CURSOR: u8 = 1;

/// What stands in front of long data: a statement and the number of a parameter.
const LONG_DATA: usize = 6;

/// What a command asks the server for, which says how its answer is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// There is no answer; `closes` a prepared statement.
    Silent {
        closes: Option<u32>,
    },
    /// OK, the end of a result that has no rows, or an error.
    Simple,
    /// A sentence of the server's.
    Statistics,
    /// As a simple one; after it no prepared statement is left.
    Reset,
    /// Results by the text protocol.
    Query,
    /// The same of a command without a statement: the list of processes.
    Processes,
    Prepare,
    /// Results by the binary protocol.
    Execute(u32),
    /// The same, which opens a cursor if the statement has rows of its own.
    Open(u32),
    /// The same, of which anything else is asked. No server opens a cursor for that.
    Unusual(u32),
    /// More rows of an executed statement's cursor.
    Fetch(u32),
    /// Column definitions and nothing else.
    FieldList,
    /// Authentication over again.
    ChangeUser,
    Quit,
    /// Not passed on.
    Refused,
}

/// Read a command, of which the beginning is enough.
pub fn read(payload: &[u8]) -> Result<Request, Malformed> {
    let mut reader = Reader::new(payload);
    Ok(match reader.u8()? {
        // COM_QUIT
        0x01 => Request::Quit,
        // COM_INIT_DB, CREATE_DB, DROP_DB, REFRESH, SHUTDOWN, PROCESS_KILL, DEBUG, PING
        0x02 | 0x05..=0x08 | 0x0C..=0x0E => Request::Simple,
        0x03 => Request::Query,
        // COM_PROCESS_INFO, answered like SHOW PROCESSLIST. The server ignores what follows it.
        0x0A => Request::Processes,
        0x04 => Request::FieldList,
        0x09 => Request::Statistics,
        0x11 => Request::ChangeUser,
        0x16 => Request::Prepare,
        0x17 => match (reader.u32()?, reader.u8()?) {
            (statement, PLAIN) => Request::Execute(statement),
            (statement, flags) if flags & WITH_CURSOR != 0 => Request::Open(statement),
            (statement, _) => Request::Unusual(statement),
        },
        // COM_STMT_SEND_LONG_DATA, COM_STMT_CLOSE. MySQL answers one that is shorter.
        0x18 => {
            reader.take(LONG_DATA)?;
            Request::Silent { closes: None }
        }
        0x19 => Request::Silent { closes: Some(reader.u32()?) },
        // COM_STMT_RESET, COM_SET_OPTION
        0x1A | 0x1B => Request::Simple,
        0x1C => Request::Fetch(reader.u32()?),
        // COM_RESET_CONNECTION
        0x1F => Request::Reset,
        // Replication, cloning, MariaDB's bulk execution and whatever else there may be.
        _ => Request::Refused,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes() {
        assert_eq!(read(b"\x03SELECT @@version"), Ok(Request::Query));
        assert_eq!(read(b"\x0ASELECT @@version"), Ok(Request::Processes), "no text to be trusted");
        assert_eq!(read(b"\x16SELECT label FROM plain"), Ok(Request::Prepare));
        assert_eq!(read(b"\x17\x05\0\0\0\0\x01\0\0\0"), Ok(Request::Execute(5)));
        for (flags, request) in [
            (b"\x01", Request::Open(5)),
            (b"\xff", Request::Open(5)),
            (b"\x02", Request::Unusual(5)),
            (b"\x08", Request::Unusual(5)),
        ] {
            let command = [b"\x17\x05\0\0\0", flags.as_slice(), b"\x01\0\0\0"].concat();
            assert_eq!(read(&command), Ok(request), "{flags:?}");
        }
        assert_eq!(read(b"\x19\x05\0\0\0"), Ok(Request::Silent { closes: Some(5) }));
        assert_eq!(read(b"\x18\x05\0\0\0\0\0"), Ok(Request::Silent { closes: None }));
        for short in
            [b"".as_slice(), b"\x17\x05", b"\x17\x05\0\0\0", b"\x18\0", b"\x18\x05\0\0\0\0", b"\x19\x05\0\0"]
        {
            assert_eq!(read(short), Err(Malformed), "{short:?}");
        }
        for command in [0x00, 0x0B, 0x0F, 0x10, 0x12, 0x13, 0x14, 0x15, 0x1D, 0x1E, 0x20, 0xFA, 0xFE] {
            assert_eq!(read(&[command, 0, 0, 0, 0]), Ok(Request::Refused), "{command:#x}");
        }
    }
}
