//! The answers of the server as a state machine, without input or output.
//!
//! For every packet it says whether it passes as it is, and writes the packet that replaces it where it
//! does not; and it says when an answer is complete. Packets of a kind that is not expected are an
//! error, never passed on: a misunderstanding ends the connection and leaks nothing.
//!
//! Without rules, and for rows of which no column is encrypted, packets are counted and looked at no
//! further than it takes to find the answer's end.

use std::collections::HashMap;
use std::sync::Arc;

use crate::binary_row;
use crate::column::Definition;
use crate::envelope::{Sealer, OVERHEAD};
use crate::names::{self, Names};
use crate::packet::{self, Header, Malformed, Reader, EOF, ERR, LOCAL_INFILE, MAX_PAYLOAD, OK};
use crate::plan::Plan;
use crate::refusal::{self, Refusal};
use crate::request::{Request, LAST_PREPARED, NONE_PREPARED};
use crate::rules::Rules;
use crate::sql::{self, Trust};
use crate::text_row;

const MORE_RESULTS: u16 = 0x0008;
const CURSOR_EXISTS: u16 = 0x0040;
const SESSION_CHANGED: u16 = 0x4000;
/// The number of an answer's first packet, because a command's is 0.
const FIRST: u8 = 1;
/// The columns of SHOW WARNINGS before its text: level and number.
const WARNINGS_NUMBERS: usize = 2;

/// A password has expired; a packet is malformed.
const TO_ANY_COMMAND: [u16; 2] = [1820, 1835];
/// How the answer to COM_STATISTICS begins.
const STATISTICS: &[u8] = b"Uptime: ";

/// What becomes of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It passes as it is.
    Forward,
    /// What stands in its place, if anything, has been written.
    Replaced,
    /// The same; and the server waits for a file of the client's, of which nothing is passed on: it gets
    /// an empty packet of this number.
    SendNoFile(u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Text,
    Binary,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Done,
    Single,
    /// The same; an OK leaves no prepared statement.
    Reset,
    Statistics,
    /// Before a result: its number of columns, or that there is none.
    Head,
    Definitions(u64),
    DefinitionsEnd,
    Rows,
    PrepareHead,
    Parameters(u16, u16),
    ParametersEnd(u16),
    PreparedColumns(u16),
    PreparedEnd,
    FieldList,
    /// After a file was asked for and not sent.
    NoFile,
}

/// A prepared statement, of which a client may have thousands.
struct Statement {
    trust: Trust,
    names: Names,
}

/// What the operator's estimate of the proxy's memory reckons with (`admission/programs.py`).
const _: () = assert!(size_of::<(u32, Statement)>() == 8);

/// The answers of one connection.
pub struct Responder {
    rules: Arc<Rules>,
    sealer: Sealer,
    deprecate_eof: bool,
    state: State,
    protocol: Protocol,
    /// The text of the statement that is answered.
    asked: Vec<u8>,
    /// What follows from it, once that matters: of many statements it never does.
    trust: Option<Trust>,
    names: Option<Names>,
    /// Whether nothing of the answer has come yet.
    awaited: bool,
    /// Whether another result has come before.
    later: bool,
    /// Whether the client asks for a cursor.
    opens: bool,
    /// Of the statement that is prepared or executed.
    statement: u32,
    last_prepared: u32,
    statements: HashMap<u32, Statement>,
    /// What becomes of the columns of a statement's open cursor.
    cursors: HashMap<u32, Plan>,
    plan: Plan,
    /// Whether the packet is continued by the next one.
    continued: bool,
    /// Whether the client has been given an error in place of the rest.
    refused: bool,
    text: Vec<u8>,
}

impl Responder {
    pub fn new(rules: Arc<Rules>, sealer: Sealer) -> Self {
        Self {
            rules,
            sealer,
            deprecate_eof: false,
            state: State::Done,
            protocol: Protocol::Text,
            asked: Vec::new(),
            trust: None,
            names: None,
            awaited: false,
            later: false,
            opens: false,
            statement: 0,
            last_prepared: NONE_PREPARED,
            statements: HashMap::new(),
            cursors: HashMap::new(),
            plan: Plan::default(),
            continued: false,
            refused: false,
            text: Vec::new(),
        }
    }

    /// What was agreed on.
    pub fn agreed(&mut self, deprecate_eof: bool) {
        self.deprecate_eof = deprecate_eof;
    }

    /// Another user has no prepared statements.
    pub fn forget(&mut self) {
        self.statements.clear();
        self.cursors.clear();
        self.plan.clear();
    }

    /// Await the answer to a request. The text is that of the statement, if there is one.
    pub fn begin(&mut self, request: Request, text: &[u8]) {
        debug_assert_eq!(self.state, State::Done);
        self.refused = false;
        self.continued = false;
        self.awaited = true;
        self.later = false;
        self.opens = matches!(request, Request::Open(_));
        self.state = match request {
            Request::Silent { closes } => {
                if let Some(closed) = closes {
                    let closed = self.meant(closed);
                    self.statements.remove(&closed);
                    self.cursors.remove(&closed);
                }
                State::Done
            }
            Request::Simple => State::Single,
            Request::Statistics => State::Statistics,
            Request::Reset => State::Reset,
            Request::Query => {
                self.protocol = Protocol::Text;
                self.ask(text);
                State::Head
            }
            Request::Processes => {
                // It lists statements of other sessions, whatever text a client may have added.
                self.protocol = Protocol::Text;
                self.ask(&[]);
                State::Head
            }
            Request::Prepare => {
                self.ask(text);
                State::PrepareHead
            }
            Request::Execute(statement) => {
                self.use_statement(statement);
                State::Head
            }
            Request::Open(statement) | Request::Unusual(statement) => {
                self.use_statement(statement);
                // A cursor's columns are those of the table that keeps the rows, so an alias stands where a
                // column's own name belongs, beside the schema and the table that it comes from.
                self.trust = Some(Trust::Unknown);
                State::Head
            }
            Request::Fetch(statement) => {
                self.use_statement(statement);
                self.plan.clear();
                if let Some(cursor) = self.cursors.get(&self.statement) {
                    self.plan.clone_from(cursor);
                }
                State::Rows
            }
            Request::FieldList => {
                // They describe a table and hold no data: a view's are announced like its rows.
                self.trust = Some(Trust::BaseTables);
                self.names = Some(Names::First);
                State::FieldList
            }
            Request::ChangeUser | Request::Quit | Request::Refused => State::Done,
        };
    }

    /// The same, if only the beginning of the text is there: it is not trusted.
    pub fn begin_long(&mut self, request: Request, beginning: &[u8]) {
        self.begin(request, beginning);
        if let Request::Query | Request::Prepare = request {
            self.trust = Some(Trust::Unknown);
            self.names = Some(match names::names(beginning) {
                // Another statement may follow.
                Names::Called => Names::First,
                names => names,
            });
        }
    }

    fn ask(&mut self, text: &[u8]) {
        self.trust = None;
        self.names = None;
        self.asked.clear();
        if self.rules.read_statements() {
            self.asked.extend_from_slice(text);
        }
    }

    fn use_statement(&mut self, statement: u32) {
        self.protocol = Protocol::Binary;
        self.statement = self.meant(statement);
        let known = self.statements.get(&self.statement);
        self.trust = Some(known.map_or(Trust::Unknown, |known| known.trust));
        self.names = Some(known.map_or(Names::Computed, |known| known.names));
    }

    /// The statement that a command's number stands for.
    fn meant(&self, statement: u32) -> u32 {
        match statement {
            LAST_PREPARED => self.last_prepared,
            statement => statement,
        }
    }

    /// Whether nothing of the answer has come yet.
    pub fn is_awaited(&self) -> bool {
        self.awaited
    }

    /// Whether the answer is complete.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Whether a packet of any size has to be given as a whole to `packet`.
    pub fn needs_whole(&self) -> bool {
        self.state == State::Rows && self.plan.encrypts() && !self.refused && !self.continued
    }

    /// How long a row of that length can become.
    pub fn sealed_length(&self, length: usize) -> usize {
        length + self.plan.columns().len() * (OVERHEAD + packet::LONGEST_LENGTH)
    }

    /// Whether a packet that begins with this byte is a row, or continues one. Only rows pass in parts: what
    /// anything else says, the answer depends on.
    ///
    /// In a row that begins with 0xFE, that stands in front of a value of 16 MiB or more.
    pub fn is_row(&self, header: Header, first: u8) -> bool {
        self.state == State::Rows && (self.continued || first < EOF || header.length == MAX_PAYLOAD)
    }

    /// What becomes of a row that is not held.
    pub fn large(&mut self, header: Header, out: &mut Vec<u8>) -> Result<Fate, Malformed> {
        self.check_number(header.sequence)?;
        if self.state != State::Rows || self.is_blind() {
            return Err(Malformed);
        }
        if self.needs_whole() {
            let why = if header.length == MAX_PAYLOAD { refusal::LARGE_ROW } else { refusal::NO_ROOM };
            self.refuse(why, header.sequence, out);
        }
        self.continued = header.length == MAX_PAYLOAD;
        Ok(self.passing())
    }

    /// What becomes of a packet.
    pub fn packet(&mut self, sequence: u8, payload: &[u8], out: &mut Vec<u8>) -> Result<Fate, Malformed> {
        if self.continued {
            self.continued = payload.len() == MAX_PAYLOAD;
            return Ok(self.passing());
        }
        self.check_number(sequence)?;
        let first = payload.first().copied();
        if first == Some(ERR) && self.state != State::Done {
            return self.failed(sequence, payload, out);
        }
        match self.state {
            State::Done => Err(Malformed),
            State::Single | State::Reset | State::Statistics => self.single(payload),
            State::Head => self.head(sequence, payload, out),
            State::Definitions(left) => {
                let end = if self.deprecate_eof { State::Rows } else { State::DefinitionsEnd };
                self.state = if left > 1 { State::Definitions(left - 1) } else { end };
                self.definition(sequence, payload, out, true)
            }
            State::DefinitionsEnd => {
                let status = eof_status(payload)?;
                self.state = State::Rows;
                if self.has_opened(status) {
                    self.end_of_rows(status);
                }
                Ok(self.passing())
            }
            State::Rows => self.row(sequence, payload, out),
            State::PrepareHead => self.prepared(payload),
            State::Parameters(left, columns) => {
                self.state = match left {
                    2.. => State::Parameters(left - 1, columns),
                    _ if self.deprecate_eof => prepared_columns(columns),
                    _ => State::ParametersEnd(columns),
                };
                Ok(Fate::Forward)
            }
            State::ParametersEnd(columns) => {
                eof_status(payload)?;
                self.state = prepared_columns(columns);
                Ok(Fate::Forward)
            }
            State::PreparedColumns(left) => {
                self.state = match left {
                    2.. => State::PreparedColumns(left - 1),
                    _ if self.deprecate_eof => State::Done,
                    _ => State::PreparedEnd,
                };
                self.definition(sequence, payload, out, false)
            }
            State::PreparedEnd => {
                eof_status(payload)?;
                self.state = State::Done;
                Ok(Fate::Forward)
            }
            State::FieldList if first == Some(EOF) => {
                self.state = State::Done;
                Ok(Fate::Forward)
            }
            State::FieldList => self.definition(sequence, payload, out, false),
            State::NoFile => {
                self.after_result(if first == Some(OK) { ok_status(payload)? } else { 0 });
                Ok(Fate::Replaced)
            }
        }
    }

    /// What answers a command by itself. A row would not: it answers a command that was not seen.
    fn single(&mut self, payload: &[u8]) -> Result<Fate, Malformed> {
        match (self.state, payload.first()) {
            (State::Statistics, _) if payload.starts_with(STATISTICS) => {}
            (State::Single | State::Reset, Some(&OK)) => {
                ok_status(payload)?;
                if self.state == State::Reset {
                    self.forget();
                }
            }
            (State::Single, Some(&EOF)) => {
                self.end_status(payload)?;
            }
            _ => return Err(Malformed),
        }
        self.state = State::Done;
        Ok(self.passing())
    }

    fn head(&mut self, sequence: u8, payload: &[u8], out: &mut Vec<u8>) -> Result<Fate, Malformed> {
        match payload.first() {
            Some(&OK) => self.after_result(ok_status(payload)?),
            Some(&LOCAL_INFILE) => {
                self.refuse(refusal::INFILE, sequence, out);
                self.state = State::NoFile;
                return Ok(Fate::SendNoFile(sequence.wrapping_add(1)));
            }
            Some(_) => {
                let mut reader = Reader::new(payload);
                let columns = reader.length()?;
                reader.finish()?;
                if columns == 0 {
                    return Err(Malformed);
                }
                self.plan.clear();
                self.state = State::Definitions(columns);
            }
            None => return Err(Malformed),
        }
        Ok(self.passing())
    }

    /// A definition, which `planned` ones' rows follow.
    fn definition(
        &mut self,
        sequence: u8,
        payload: &[u8],
        out: &mut Vec<u8>,
        planned: bool,
    ) -> Result<Fate, Malformed> {
        if self.rules.is_empty() || self.refused {
            return Ok(self.passing());
        }
        let mut definition = Definition::parse(payload)?;
        let Self { rules, plan, sealer, asked, trust, names, later, .. } = self;
        let judged = || *trust.get_or_insert_with(|| sql::trust(asked, |table| rules.knows(table)));
        let encrypts = rules.encrypts(definition.origin, judged)
            && !(*trust == Some(Trust::Warnings) && planned && plan.columns().len() < WARNINGS_NUMBERS);
        if encrypts && rules.read_statements() {
            let shown = match names.get_or_insert_with(|| names::names(asked)) {
                Names::Computed => false,
                Names::First => !*later,
                Names::Called => true,
            };
            if !shown {
                definition = definition.unnamed();
            }
        }
        if planned {
            let column = definition.column;
            match encrypts {
                true => plan.encrypt(column, |out| sealer.bind(column, definition.origin, out)),
                false => plan.pass(column),
            }
        }
        if !encrypts {
            return Ok(Fate::Forward);
        }
        let fits = packet::append(out, sequence, |out| {
            definition.announce(out);
            Ok::<(), Malformed>(())
        })?;
        if fits {
            Ok(Fate::Replaced)
        } else {
            Err(Malformed)
        }
    }

    fn row(&mut self, sequence: u8, payload: &[u8], out: &mut Vec<u8>) -> Result<Fate, Malformed> {
        match payload.first() {
            Some(&EOF) if payload.len() < if self.deprecate_eof { MAX_PAYLOAD } else { 9 } => {
                let fate = self.passing();
                self.end_of_rows(self.end_status(payload)?);
                return Ok(fate);
            }
            Some(_) => {}
            None => return Err(Malformed),
        }
        if self.is_blind() {
            return Err(Malformed);
        }
        if !self.needs_whole() {
            self.continued = payload.len() == MAX_PAYLOAD;
            return Ok(self.passing());
        }
        let Self { plan, sealer, text, protocol, .. } = self;
        let fits = packet::append(out, sequence, |out| match protocol {
            Protocol::Text => text_row::encrypt(payload, plan, sealer, out),
            Protocol::Binary => binary_row::encrypt(payload, plan, sealer, text, out),
        })?;
        if !fits {
            self.refuse(refusal::LARGE_ROW, sequence, out);
        }
        Ok(Fate::Replaced)
    }

    /// The status of what ends rows.
    fn end_status(&self, payload: &[u8]) -> Result<u16, Malformed> {
        if self.deprecate_eof {
            ok_status(payload)
        } else {
            eof_status(payload)
        }
    }

    /// Whether a result ends with this because the client has to fetch its rows.
    ///
    /// A routine that opens a cursor of its own sets the same flag, which stays until the routine ends:
    /// in the results of a routine, which others follow, rows come behind the definitions all the same.
    fn has_opened(&self, status: u16) -> bool {
        self.opens && status & (CURSOR_EXISTS | MORE_RESULTS) == CURSOR_EXISTS
    }

    fn end_of_rows(&mut self, status: u16) {
        if self.has_opened(status) && self.statements.contains_key(&self.statement) {
            self.cursors.entry(self.statement).or_default().clone_from(&self.plan);
        }
        self.after_result(status);
    }

    /// An answer begins with the first number. What begins with another one belongs to the command before,
    /// or is why the server ends the session: the answer is awaited still.
    fn check_number(&mut self, sequence: u8) -> Result<(), Malformed> {
        if self.awaited && sequence != FIRST {
            return Err(Malformed);
        }
        self.awaited = false;
        Ok(())
    }

    fn after_result(&mut self, status: u16) {
        self.later = true;
        self.state = if status & MORE_RESULTS != 0 { State::Head } else { State::Done };
    }

    fn prepared(&mut self, payload: &[u8]) -> Result<Fate, Malformed> {
        let mut reader = Reader::new(payload);
        if reader.u8()? != OK {
            return Err(Malformed);
        }
        let statement = reader.u32()?;
        let (columns, parameters) = (reader.u16()?, reader.u16()?);
        self.last_prepared = statement;
        if !self.rules.is_empty() {
            let Self { asked, rules, .. } = self;
            let judged = || sql::trust(asked, |table| rules.knows(table));
            let trust = match self.trust.unwrap_or_else(judged) {
                // What is warned about is of another moment each time.
                Trust::Warnings => Trust::Unknown,
                trust => trust,
            };
            let names = self.names.unwrap_or_else(|| names::names(asked));
            (self.trust, self.names) = (Some(trust), Some(names));
            self.statements.insert(statement, Statement { trust, names });
            self.cursors.remove(&statement);
        }
        self.state = match parameters {
            0 => prepared_columns(columns),
            _ => State::Parameters(parameters, columns),
        };
        Ok(Fate::Forward)
    }

    /// Whether rows come of which no definitions were seen: of a statement that is not known, or of a
    /// cursor that was not opened.
    fn is_blind(&self) -> bool {
        !self.rules.is_empty() && !self.refused && self.plan.columns().is_empty()
    }

    /// An error ends an answer wherever it comes: a cursor opens behind its definitions.
    fn failed(&mut self, sequence: u8, payload: &[u8], out: &mut Vec<u8>) -> Result<Fate, Malformed> {
        if self.state == State::PrepareHead {
            // MariaDB's number of the last one then stands for none.
            self.last_prepared = NONE_PREPARED;
        }
        self.state = State::Done;
        self.error(sequence, payload, out)
    }

    /// An error of the server's. Its text is data: `Duplicate entry '…' for key`, or whatever a statement
    /// makes it say.
    fn error(&self, sequence: u8, payload: &[u8], out: &mut Vec<u8>) -> Result<Fate, Malformed> {
        if self.refused {
            return Ok(Fate::Replaced);
        }
        if !self.rules.is_empty() && answers_anything(payload) {
            return Err(Malformed);
        }
        if !self.rules.read_statements() {
            return Ok(Fate::Forward);
        }
        refusal::append_withheld(out, sequence, payload).map(|()| Fate::Replaced)
    }

    /// Give the client an error; the rest of the answer is kept from it.
    fn refuse(&mut self, refusal: Refusal, sequence: u8, out: &mut Vec<u8>) {
        if !self.refused {
            refusal.append(out, sequence, true);
            self.refused = true;
        }
    }

    fn passing(&self) -> Fate {
        if self.refused {
            Fate::Replaced
        } else {
            Fate::Forward
        }
    }
}

/// Whether it is an error by which a server answers a command that has no answer otherwise. What comes
/// after it would be taken for the answer to another command.
fn answers_anything(error: &[u8]) -> bool {
    let number = error.get(1..3).and_then(|number| number.try_into().ok()).map(u16::from_le_bytes);
    number.is_some_and(|number| TO_ANY_COMMAND.contains(&number))
}

fn prepared_columns(columns: u16) -> State {
    match columns {
        0 => State::Done,
        _ => State::PreparedColumns(columns),
    }
}

fn eof_status(payload: &[u8]) -> Result<u16, Malformed> {
    let mut reader = Reader::new(payload);
    if reader.u8()? != EOF || payload.len() >= 9 {
        return Err(Malformed);
    }
    reader.u16()?;
    reader.u16()
}

/// Of an OK packet, which may begin like an EOF packet. It is read to its end, because a row may begin like
/// one.
fn ok_status(payload: &[u8]) -> Result<u16, Malformed> {
    let mut reader = Reader::new(payload);
    reader.u8()?;
    reader.length()?;
    reader.length()?;
    let status = reader.u16()?;
    // How many warnings there are, then the text and what has changed in the session.
    reader.u16()?;
    let strings = if status & SESSION_CHANGED == 0 { 1 } else { 2 };
    for _ in 0..strings {
        if !reader.rest().is_empty() {
            reader.string()?;
        }
    }
    reader.finish()?;
    Ok(status)
}
