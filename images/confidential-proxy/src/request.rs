//! Commands of the client: which ones pass, and what answer each one gets.

use crate::packet::{Malformed, Reader};
use crate::rules::Rules;
use crate::sql::{self, Trust};

/// MariaDB: the statement that was prepared last.
pub const LAST_PREPARED: u32 = u32::MAX;

/// What a command asks the server for, which says how its answer is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// There is no answer; `closes` a prepared statement.
    Silent {
        closes: Option<u32>,
    },
    /// One packet.
    Simple,
    /// The same, after which no prepared statement is left.
    Reset,
    /// Results by the text protocol.
    Query(Trust),
    Prepare(Trust),
    /// Results by the binary protocol.
    Execute(u32),
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

/// Read a command. Of one that is too large to be read as a whole only the beginning is given.
pub fn read(payload: &[u8], whole: bool, rules: &Rules) -> Result<Request, Malformed> {
    let mut reader = Reader::new(payload);
    let command = reader.u8()?;
    let trust = |statement| match whole && rules.read_statements() {
        true => sql::trust(statement, |table| rules.knows(table)),
        false => Trust::Unknown,
    };
    Ok(match command {
        // COM_QUIT
        0x01 => Request::Quit,
        // COM_INIT_DB, CREATE_DB, DROP_DB, REFRESH, SHUTDOWN, STATISTICS, PROCESS_KILL, DEBUG, PING
        0x02 | 0x05..=0x09 | 0x0C..=0x0E => Request::Simple,
        // COM_QUERY, and COM_PROCESS_INFO, which is answered like SHOW PROCESSLIST
        0x03 => Request::Query(trust(reader.rest())),
        0x0A => Request::Query(Trust::Unknown),
        0x04 => Request::FieldList,
        0x11 => Request::ChangeUser,
        0x16 => Request::Prepare(trust(reader.rest())),
        0x17 => Request::Execute(reader.u32()?),
        // COM_STMT_SEND_LONG_DATA, COM_STMT_CLOSE
        0x18 => Request::Silent { closes: None },
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
        let rules = Rules::parse("secret.name\nplain", true).unwrap();
        let read = |payload: &[u8]| super::read(payload, true, &rules);
        assert_eq!(read(b"\x03SELECT @@version"), Ok(Request::Query(Trust::SystemVariables)));
        assert_eq!(read(b"\x16SELECT label FROM plain"), Ok(Request::Prepare(Trust::BaseTables)));
        assert_eq!(read(b"\x17\x05\0\0\0\0\x01\0\0\0"), Ok(Request::Execute(5)));
        assert_eq!(read(b"\x19\x05\0\0\0"), Ok(Request::Silent { closes: Some(5) }));
        assert_eq!(read(b""), Err(Malformed));
        assert_eq!(read(b"\x17\x05"), Err(Malformed));
        for command in [0x00, 0x0B, 0x0F, 0x10, 0x12, 0x13, 0x14, 0x15, 0x1D, 0x1E, 0x20, 0xFA, 0xFE] {
            assert_eq!(read(&[command, 0, 0, 0, 0]), Ok(Request::Refused), "{command:#x}");
        }
    }

    #[test]
    fn a_statement_that_is_not_seen_as_a_whole_is_not_trusted() {
        let rules = Rules::parse("secret.name\nplain", true).unwrap();
        let beginning = b"\x03SELECT label FROM plain";
        assert_eq!(read(beginning, false, &rules), Ok(Request::Query(Trust::Unknown)));
    }
}
