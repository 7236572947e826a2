//! What a statement's text says about where its columns come from.
//!
//! A server's column definitions cannot be trusted alone. MariaDB reports the alias of a derived table,
//! a common table expression or a view as the original table, MySQL the alias inside a derived table as
//! the original column: `SELECT w_name FROM (SELECT c_balance AS w_name FROM customer) warehouse` looks
//! like the column `w_name` of the table `warehouse`. Of a view of several tables MariaDB names the base
//! table, with the view's name of the column, which may be that of another column. Definitions are
//! trusted only for statements that can be seen to have nothing of the kind. Everything that is not
//! perfectly clear is not trusted: it is then encrypted, which costs time but nothing else.

/// How far a statement's column definitions can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Not at all.
    Unknown,
    /// One SELECT of known tables alone, under their own names or an alias that no known table has: a
    /// column that the server says to be a known table's is.
    BaseTables,
    /// It selects system variables and nothing else.
    SystemVariables,
    /// `SHOW WARNINGS` or `SHOW ERRORS`: level, number, and a text that may hold anything.
    Warnings,
}

/// Judge a statement; `known` says whether a table of that name is.
///
/// This is done for every statement of a client's, and takes longer than to encrypt a value. So each word
/// is looked at once, and compared with keywords as a number.
pub fn trust(statement: &[u8], known: impl Fn(&[u8]) -> bool) -> Trust {
    let mut lexer = Lexer::new(statement);
    let judged = match lexer.next() {
        Some(Token::Word(Keyword::Select, _)) => select(lexer, known),
        Some(Token::Word(Keyword::Show, _)) => only_warnings(lexer).map(|yes| (yes, Trust::Warnings)),
        _ => None,
    };
    match judged {
        Some((true, trust)) => trust,
        _ => Trust::Unknown,
    }
}

/// The rest of a SELECT.
fn select(lexer: Lexer<'_>, known: impl Fn(&[u8]) -> bool) -> Option<(bool, Trust)> {
    if only_system_variables(lexer).unwrap_or(false) {
        return Some((true, Trust::SystemVariables));
    }
    only_base_tables(lexer, known).map(|yes| (yes, Trust::BaseTables))
}

/// The words that say anything about where columns come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keyword {
    As,
    Errors,
    For,
    From,
    Group,
    Having,
    Join,
    Limit,
    Order,
    Select,
    Show,
    StraightJoin,
    Table,
    Values,
    Warnings,
    Where,
    With,
    /// Any other word.
    No,
}

impl Keyword {
    fn of(word: &[u8]) -> Self {
        const AS: u64 = folded(b"AS");
        const ERRORS: u64 = folded(b"ERRORS");
        const FOR: u64 = folded(b"FOR");
        const FROM: u64 = folded(b"FROM");
        const GROUP: u64 = folded(b"GROUP");
        const HAVING: u64 = folded(b"HAVING");
        const JOIN: u64 = folded(b"JOIN");
        const LIMIT: u64 = folded(b"LIMIT");
        const ORDER: u64 = folded(b"ORDER");
        const SELECT: u64 = folded(b"SELECT");
        const SHOW: u64 = folded(b"SHOW");
        const TABLE: u64 = folded(b"TABLE");
        const VALUES: u64 = folded(b"VALUES");
        const WARNINGS: u64 = folded(b"WARNINGS");
        const WHERE: u64 = folded(b"WHERE");
        const WITH: u64 = folded(b"WITH");

        if word.len() > FOLDED {
            let straight = word.eq_ignore_ascii_case(b"STRAIGHT_JOIN");
            return if straight { Self::StraightJoin } else { Self::No };
        }
        match folded(word) {
            AS => Self::As,
            ERRORS => Self::Errors,
            FOR => Self::For,
            FROM => Self::From,
            GROUP => Self::Group,
            HAVING => Self::Having,
            JOIN => Self::Join,
            LIMIT => Self::Limit,
            ORDER => Self::Order,
            SELECT => Self::Select,
            SHOW => Self::Show,
            TABLE => Self::Table,
            VALUES => Self::Values,
            WARNINGS => Self::Warnings,
            WHERE => Self::Where,
            WITH => Self::With,
            _ => Self::No,
        }
    }
}

/// As long as a word may be that is compared as a number.
const FOLDED: usize = 8;

/// A word as a number, in lower case. Of what a word may hold, the bit that is set here tells letters from
/// their other case and nothing else from each other; and no word has the blanks that fill it up.
const fn folded(word: &[u8]) -> u64 {
    let (mut number, mut at) = (0, word.len());
    while at > 0 {
        at -= 1;
        number = number << 8 | word[at] as u64;
    }
    number | 0x2020_2020_2020_2020
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    /// A keyword, a name or a number.
    Word(Keyword, &'a [u8]),
    /// A string or a quoted name. Whether `"…"` is the one or the other is up to the session.
    Quoted(&'a [u8]),
    Symbol(u8),
    /// `@@`, which a system variable's name follows.
    System,
    /// After the statement's end, a semicolon included.
    End,
}

impl Token<'_> {
    /// `No`, of which no keyword is one, for whatever is no word.
    fn keyword(self) -> Keyword {
        match self {
            Token::Word(keyword, _) => keyword,
            _ => Keyword::No,
        }
    }

    fn is(self, keyword: Keyword) -> bool {
        self.keyword() == keyword
    }

    fn is_name(self) -> bool {
        matches!(self, Token::Word(..) | Token::Quoted(_))
    }
}

/// Splits a statement into tokens; `None` where the session's settings decide what is meant (a
/// backslash, a character beyond ASCII or one that is a letter in swe7), at comments that are executed or
/// run to the line's end, at a second statement, and where a server ends a number or a variable's name
/// elsewhere than at a word's end: `1.FROM`, `1e1FROM` and `@a. FROM` have a keyword.
#[derive(Clone, Copy)]
struct Lexer<'a> {
    rest: &'a [u8],
}

impl<'a> Lexer<'a> {
    fn new(statement: &'a [u8]) -> Self {
        Self { rest: statement }
    }

    fn next(&mut self) -> Option<Token<'a>> {
        self.skip_blanks()?;
        let Some(&first) = self.rest.first() else {
            return Some(Token::End);
        };
        match first {
            _ if IN_WORDS[usize::from(first)] => {
                let end = self.rest.iter().position(|byte| !IN_WORDS[usize::from(*byte)]);
                let word = self.take(end.unwrap_or(self.rest.len()));
                if first.is_ascii_digit() && !self.is_whole_number(word) {
                    return None;
                }
                Some(Token::Word(Keyword::of(word), word))
            }
            b'@' => self.at(),
            b'\'' | b'"' | b'`' => self.quoted(first),
            b';' => {
                self.take(1);
                self.skip_blanks()?;
                self.rest.is_empty().then_some(Token::End)
            }
            b'-' if self.rest.get(1) == Some(&b'-') => None,
            // Some of them are letters to a client whose character set is swe7.
            b'#' | b'\\' | b'{' | b'}' | b'[' | b']' | b'^' | b'~' | b'|' => None,
            b'!'..=b'~' => {
                self.take(1);
                Some(Token::Symbol(first))
            }
            _ => None,
        }
    }

    /// Whether a word that begins with a digit is digits alone, with a digit behind a point that follows.
    fn is_whole_number(&self, word: &[u8]) -> bool {
        let goes_on = match self.rest {
            [b'.', after @ ..] => after.first().is_some_and(u8::is_ascii_digit),
            _ => true,
        };
        goes_on && word.iter().all(u8::is_ascii_digit)
    }

    /// The beginning of a variable, which its name follows at once. A user variable's may have points.
    fn at(&mut self) -> Option<Token<'a>> {
        let token = match self.rest {
            [_, b'@', ..] => Token::System,
            _ => Token::Symbol(b'@'),
        };
        self.take(if token == Token::System { 2 } else { 1 });
        let first = *self.rest.first()?;
        let end = self.rest.iter().position(|byte| !IN_WORDS[usize::from(*byte)]).unwrap_or(self.rest.len());
        let named = end > 0 || matches!(first, b'\'' | b'"' | b'`');
        let pointed = token != Token::System && self.rest.get(end) == Some(&b'.');
        (named && !pointed).then_some(token)
    }

    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    fn skip_blanks(&mut self) -> Option<()> {
        loop {
            while let [b' ' | b'\t' | b'\r' | b'\n', rest @ ..] = self.rest {
                self.rest = rest;
            }
            let [b'/', b'*', comment @ ..] = self.rest else {
                return Some(());
            };
            // `/*!` and `/*M!` are executed, `/*+` steers.
            if matches!(comment.first(), Some(b'!' | b'+' | b'M' | b'm')) {
                return None;
            }
            let end = comment.windows(2).position(|pair| pair == b"*/")?;
            self.rest = &comment[end + 2..];
        }
    }

    /// Two quotes in a row stand for one.
    fn quoted(&mut self, quote: u8) -> Option<Token<'a>> {
        let mut at = 1;
        loop {
            match *self.rest.get(at)? {
                b'\\' | 0 | 0x80.. => return None,
                byte if byte == quote => {
                    if self.rest.get(at + 1) != Some(&quote) {
                        let inside = &self.take(at + 1)[1..at];
                        return Some(Token::Quoted(inside));
                    }
                    at += 2;
                }
                _ => at += 1,
            }
        }
    }
}

/// The bytes that keywords, names and numbers have.
const IN_WORDS: [bool; 256] = {
    let mut words = [false; 256];
    let mut byte = 0u8;
    while byte < 0x80 {
        words[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
        byte += 1;
    }
    words
};

/// `SELECT @@[scope.]name [[AS] alias], … [LIMIT number]`, from behind the first word.
fn only_system_variables(mut lexer: Lexer<'_>) -> Option<bool> {
    loop {
        if lexer.next()? != Token::System {
            return Some(false);
        }
        if !lexer.next()?.is_name() {
            return Some(false);
        }
        let mut token = lexer.next()?;
        while token == Token::Symbol(b'.') {
            if !lexer.next()?.is_name() {
                return Some(false);
            }
            token = lexer.next()?;
        }
        if token.is_name() && !token.is(Keyword::Limit) {
            if token.is(Keyword::As) && !lexer.next()?.is_name() {
                return Some(false);
            }
            token = lexer.next()?;
        }
        if token.is(Keyword::Limit) {
            return Some(is_number(lexer.next()?) && lexer.next()? == Token::End);
        }
        match token {
            Token::Symbol(b',') => {}
            token => return Some(token == Token::End),
        }
    }
}

fn is_number(token: Token<'_>) -> bool {
    matches!(token, Token::Word(_, word) if word.iter().all(u8::is_ascii_digit))
}

/// `SHOW WARNINGS` or `SHOW ERRORS`, whole or limited, from behind the first word.
fn only_warnings(mut lexer: Lexer<'_>) -> Option<bool> {
    if !matches!(lexer.next()?.keyword(), Keyword::Warnings | Keyword::Errors) {
        return Some(false);
    }
    let token = lexer.next()?;
    if !token.is(Keyword::Limit) {
        return Some(token == Token::End);
    }
    Some(matches!(lexer.next()?, Token::Word(..)) && lexer.next()? == Token::End)
}

/// Which part of a statement names tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// None yet: the columns.
    Columns,
    /// None any more: what follows WHERE.
    Outside,
    /// In the FROM clause, where a comma may be in front of a table.
    From,
    /// A table's name follows, perhaps after a schema's or a parenthesis.
    BeforeATable,
}

/// One SELECT, from behind that word, that selects from known tables alone, none of which gets a known
/// table's name as its alias: such a name stands where a table is named, or in front of a column's.
fn only_base_tables(mut lexer: Lexer<'_>, known: impl Fn(&[u8]) -> bool) -> Option<bool> {
    use Keyword::*;

    let mut last = Token::Word(Select, b"SELECT");
    let mut place = Place::Columns;
    let mut token = lexer.next()?;
    loop {
        if token == Token::End {
            return Some(matches!(place, Place::From | Place::Outside));
        }
        if matches!(token.keyword(), Select | With | Table | Values) {
            return Some(false);
        }
        let after = lexer.next()?;
        let is_table = || match token {
            Token::Word(_, name) | Token::Quoted(name) => known(name),
            _ => false,
        };
        let punctuation = matches!(last, Token::Symbol(b',' | b'(' | b'.'));
        let alias = after != Token::Symbol(b'.') && place != Place::BeforeATable && !punctuation;
        if alias && is_table() {
            return Some(false);
        }
        // After a point a keyword is a name like others, and after @ it is a variable's.
        let keyword = match last {
            Token::Symbol(b'.' | b'@') => No,
            _ => token.keyword(),
        };
        place = match (place, token, keyword) {
            (Place::BeforeATable, Token::Symbol(b'('), _) => place,
            (Place::BeforeATable, Token::Symbol(b'.'), _) if last.is_name() => place,
            (Place::BeforeATable, name, _) if name.is_name() && after == Token::Symbol(b'.') => place,
            (Place::BeforeATable, ..) if is_table() => Place::From,
            // What else could be there is a view, a table function or nothing that is understood.
            (Place::BeforeATable, ..) => return Some(false),
            (_, _, From | Join | StraightJoin) => Place::BeforeATable,
            (Place::From, Token::Symbol(b','), _) => Place::BeforeATable,
            (Place::From, _, Where | Having | Limit) => Place::Outside,
            // An index hint has them after FOR.
            (Place::From, _, Group | Order) if !last.is(For) => Place::Outside,
            _ => place,
        };
        (last, token) = (token, after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn known(table: &[u8]) -> bool {
        [b"secret".as_slice(), b"plain"].contains(&table.to_ascii_lowercase().as_slice())
    }

    fn judged(statement: &str) -> Trust {
        trust(statement.as_bytes(), known)
    }

    #[test]
    fn keywords_are_whole_words_in_either_case() {
        for word in ["SELECT", "select", "sElEcT"] {
            assert_eq!(Keyword::of(word.as_bytes()), Keyword::Select, "{word}");
        }
        assert_eq!(Keyword::of(b"Straight_Join"), Keyword::StraightJoin);
        for word in ["SELECTS", "SELEC", "_ELECT", "$ELECT", "SELECT0", "FROMFROM", "STRAIGHT", "A5", ""] {
            assert_eq!(Keyword::of(word.as_bytes()), Keyword::No, "{word}");
        }
    }

    #[test]
    fn system_variables() {
        for statement in [
            "SELECT @@version",
            "select @@version_comment limit 1",
            "/* mysql-connector-j-9.4.0 (Revision: 0) */SELECT  @@session.auto_increment_increment AS \
             auto_increment_increment, @@character_set_client AS `x`, @@global.tx_isolation y;",
            "SELECT @@`version` AS 'v' ; ",
            "SELECT @@version, @@global.version",
        ] {
            assert_eq!(judged(statement), Trust::SystemVariables, "{statement}");
        }
    }

    #[test]
    fn not_only_system_variables() {
        for statement in [
            "SELECT @x",
            "SELECT @ @version",
            "SELECT @@ version",
            "SELECT @@",
            "SELECT @@version, @x",
            "SELECT @@version, (SELECT name FROM secret)",
            "SELECT @@version; SELECT name FROM secret",
            "SELECT @@version UNION SELECT name FROM secret",
            "SELECT @@version /*! , name FROM secret */",
            "SELECT @@version /*M!100000 , name FROM secret */",
            "SELECT @@version -- \n, name FROM secret",
            "SELECT @@version # \n, name FROM secret",
            "SELECT @@version AS 'a\\', 'b', name FROM secret",
            "SELECT @@version, name AS '@@version' FROM secret",
            "SELECT @@version LIMIT 1 UNION SELECT name FROM secret",
            "SELECT @@version + name FROM secret",
            "SELECT @@version \u{e4}",
            "SELECT @@version AS `a``, name FROM secret",
            "SELECT @@version /* not closed",
            "SELECT @@version AS",
            "SELECT",
            "SET @@x = 1",
            "",
        ] {
            assert_ne!(judged(statement), Trust::SystemVariables, "{statement}");
        }
    }

    #[test]
    fn warnings() {
        for statement in ["SHOW WARNINGS", "/* x */ show errors;", "SHOW WARNINGS LIMIT 5"] {
            assert_eq!(judged(statement), Trust::Warnings, "{statement}");
        }
        for statement in ["SHOW TABLES", "SHOW WARNINGS LIKE 'x'", "SHOW COUNT(*) WARNINGS", "SHOW"] {
            assert_eq!(judged(statement), Trust::Unknown, "{statement}");
        }
    }

    #[test]
    fn base_tables() {
        for statement in [
            "SELECT label FROM plain",
            "select p.label FROM plain AS p WHERE id = 5 FOR UPDATE",
            "SELECT plain.label, secret.id FROM plain, secret WHERE plain.id=secret.id",
            "SELECT `plain`.`label` FROM `db`.`plain` JOIN secret USING (id) ORDER BY 1 LIMIT 3;",
            "SELECT COUNT(*) FROM plain WHERE x = 'it''s'",
            "SELECT label, id FROM (plain, secret) GROUP BY label, id ORDER BY label, id",
            "SELECT label FROM plain LEFT JOIN db.secret ON plain.id = secret.id WHERE x IN (1, 2)",
            "SELECT `from`, label FROM plain HAVING label > 1",
            "SELECT label FROM plain LIMIT 5, 3",
            "SELECT 1.5, .5, 2 * 3, plain.id+1 FROM plain WHERE id > 0.25",
            "SELECT @a, @'b', @`c`, @@session.sql_mode, @@version FROM plain",
            "SELECT label FROM plain WHERE id = @limit AND @@autocommit",
            "/* ApplicationName=x */ SELECT label FROM plain WHERE id BETWEEN ? AND ?",
        ] {
            assert_eq!(judged(statement), Trust::BaseTables, "{statement}");
        }
    }

    #[test]
    fn what_may_spoof_a_base_table() {
        for statement in [
            "SELECT COUNT(*) FROM view_of_mine WHERE x = 5",
            "SELECT label FROM view_of_mine",
            "SELECT label FROM db.view_of_mine",
            "SELECT label FROM plain.view_of_mine",
            "SELECT label FROM plain, view_of_mine",
            "SELECT label FROM plain p, view_of_mine",
            "SELECT label FROM plain p, db.view_of_mine v",
            "SELECT label FROM (plain, view_of_mine)",
            "SELECT label FROM plain JOIN view_of_mine",
            "SELECT label FROM plain STRAIGHT_JOIN (view_of_mine)",
            "SELECT label FROM plain NATURAL LEFT JOIN secret JOIN view_of_mine USING (id)",
            "SELECT label FROM plain USE INDEX FOR ORDER BY (a), view_of_mine",
            "SELECT label FROM plain USE INDEX FOR GROUP BY (a), view_of_mine",
            "SELECT label FROM plain JOIN secret ON @limit, view_of_mine",
            "SELECT label FROM plain JOIN secret ON secret.where, view_of_mine",
            "SELECT label FROM plain AS `where`, view_of_mine",
            "SELECT label FROM json_table('[]', '$' COLUMNS (label INT PATH '$')) t",
            "SELECT EXTRACT(DAY FROM day), label FROM view_of_mine",
            "SELECT label FROM",
            "SELECT label FROM (SELECT name AS label FROM secret) plain",
            "SELECT label FROM view_of_mine AS plain",
            "SELECT label FROM view_of_mine plain",
            "SELECT label FROM view_of_mine `PLAIN`",
            "SELECT label FROM view_of_mine \"plain\"",
            "SELECT label FROM view_of_mine AS /* x */ plain",
            "SELECT label FROM (view_of_mine) plain",
            "SELECT label, 1.FROM joined",
            "SELECT label, 1. FROM joined",
            "SELECT label, .5FROM joined",
            "SELECT label, 1e1FROM joined",
            "SELECT label, 1e+1FROM joined",
            "SELECT label, @ FROM joined",
            "SELECT label, @a. FROM joined",
            "SELECT joined.label FROM plain JOIN secret ON 1.JOIN joined",
            "SELECT joined.label FROM plain JOIN secret ON @a. JOIN joined",
            "SELECT label",
            "SELECT label FROM db.join plain",
            "SELECT label FROM db.from plain",
            "SELECT label FROM view_of_mine FOR SYSTEM_TIME ALL plain",
            "SELECT label FROM {oj view_of_mine plain}",
            "SELECT label FROM view_of_mine AS/*!plain*/",
            "SELECT label FROM view_of_mine --\n plain",
            "SELECT label FROM db.[join plain",
            "SELECT label FROM db.]from plain",
            "SELECT label FROM db.join^ plain",
            "SELECT label FROM db.~ plain",
            "SELECT label FROM db.|join plain",
            "WITH plain AS (SELECT name AS label FROM secret) SELECT label FROM plain",
            "SELECT label FROM (TABLE secret) plain",
            "SELECT label FROM (VALUES ROW(1)) plain",
            "SELECT label FROM plain UNION SELECT name FROM secret",
            "SELECT label FROM plain; SELECT 1",
            "SELECT label FROM plain WHERE id = (SELECT 1)",
            "SELECT label FROM plain WHERE x = '\\'",
            "SELECT label FROM plain WHERE x = '\u{e4}'",
            "CALL spoof()",
            "EXECUTE spoof",
            "HANDLER plain READ FIRST",
            "INSERT INTO plain SELECT id, name FROM secret RETURNING label",
            "SHOW TABLES",
            "(SELECT label FROM plain)",
        ] {
            assert_eq!(judged(statement), Trust::Unknown, "{statement}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            trust(&bytes, known);
            trust(&[b"SELECT @@".as_slice(), &bytes].concat(), known);
        }

        #[test]
        fn a_second_select_is_never_trusted(head in "[ -~]{0,30}", tail in "[ -~]{0,30}") {
            let statement = format!("SELECT {head} (SELECT {tail})");
            // Inside a string or a comment it is none.
            prop_assume!(!head.contains(['\'', '"', '`', '/']));
            prop_assert_eq!(trust(statement.as_bytes(), known), Trust::Unknown);
        }
    }
}
