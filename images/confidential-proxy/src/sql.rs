//! What a statement's text says about where its columns come from.
//!
//! A server's column definitions cannot be trusted alone. MariaDB reports the alias of a derived table,
//! a common table expression or a view as the original table, MySQL the alias inside a derived table as
//! the original column: `SELECT w_name FROM (SELECT c_balance AS w_name FROM customer) warehouse` looks
//! like the column `w_name` of the table `warehouse`. Of a view of several tables MariaDB names the base
//! table, with the view's name of the column, which may be that of another column. Definitions are trusted only for statements that
//! can be seen to have nothing of the kind. Everything that is not perfectly clear is not trusted: it is
//! then encrypted, which costs time but nothing else.

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
pub fn trust(statement: &[u8], known: impl Fn(&[u8]) -> bool) -> Trust {
    if only_system_variables(statement).unwrap_or(false) {
        Trust::SystemVariables
    } else if only_warnings(statement).unwrap_or(false) {
        Trust::Warnings
    } else if only_base_tables(statement, known).unwrap_or(false) {
        Trust::BaseTables
    } else {
        Trust::Unknown
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    /// A keyword, a name or a number.
    Word(&'a [u8]),
    /// A string or a quoted name. Whether `"…"` is the one or the other is up to the session.
    Quoted(&'a [u8]),
    Symbol(u8),
    /// After the statement's end, a semicolon included.
    End,
}

impl Token<'_> {
    fn is(self, keyword: &str) -> bool {
        matches!(self, Token::Word(word) if word.eq_ignore_ascii_case(keyword.as_bytes()))
    }

    fn is_any(self, keywords: &[&str]) -> bool {
        keywords.iter().any(|keyword| self.is(keyword))
    }

    fn is_name(self) -> bool {
        matches!(self, Token::Word(_) | Token::Quoted(_))
    }
}

/// Splits a statement into tokens; `None` where the session's settings decide what is meant (a
/// backslash, a character beyond ASCII or one that is a letter in swe7), at comments that are executed or run to the line's end, and at
/// a second statement.
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
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'$' => {
                let length = self.rest.iter().take_while(|byte| is_word(**byte)).count();
                Some(Token::Word(self.take(length)))
            }
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

    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    fn skip_blanks(&mut self) -> Option<()> {
        loop {
            let blanks = self.rest.iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
            self.take(blanks);
            let Some(comment) = self.rest.strip_prefix(b"/*") else {
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

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// `SELECT @@[scope.]name [[AS] alias], … [LIMIT number]`.
fn only_system_variables(statement: &[u8]) -> Option<bool> {
    let mut lexer = Lexer::new(statement);
    if !lexer.next()?.is("SELECT") {
        return Some(false);
    }
    loop {
        for _ in 0..2 {
            if lexer.next()? != Token::Symbol(b'@') {
                return Some(false);
            }
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
        if token.is_name() && !token.is("LIMIT") {
            if token.is("AS") && !lexer.next()?.is_name() {
                return Some(false);
            }
            token = lexer.next()?;
        }
        if token.is("LIMIT") {
            let number = lexer.next()?;
            let digits = matches!(number, Token::Word(word) if word.iter().all(u8::is_ascii_digit));
            return Some(digits && lexer.next()? == Token::End);
        }
        match token {
            Token::Symbol(b',') => {}
            token => return Some(token == Token::End),
        }
    }
}

/// `SHOW WARNINGS` or `SHOW ERRORS`, whole or limited.
fn only_warnings(statement: &[u8]) -> Option<bool> {
    let mut lexer = Lexer::new(statement);
    if !lexer.next()?.is("SHOW") || !lexer.next()?.is_any(&["WARNINGS", "ERRORS"]) {
        return Some(false);
    }
    let token = lexer.next()?;
    if !token.is("LIMIT") {
        return Some(token == Token::End);
    }
    Some(matches!(lexer.next()?, Token::Word(_)) && lexer.next()? == Token::End)
}

/// Which part of a statement names tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// None: the columns, or what follows WHERE.
    Outside,
    /// In the FROM clause, where a comma may be in front of a table.
    From,
    /// A table's name follows, perhaps after a schema's or a parenthesis.
    BeforeATable,
}

/// One SELECT that selects from known tables alone, none of which gets a known table's name as its
/// alias: such a name stands where a table is named, or in front of a column's.
fn only_base_tables(statement: &[u8], known: impl Fn(&[u8]) -> bool) -> Option<bool> {
    const SEVERAL: [&str; 4] = ["SELECT", "WITH", "TABLE", "VALUES"];
    const BEFORE_A_TABLE: [&str; 3] = ["FROM", "JOIN", "STRAIGHT_JOIN"];
    const AFTER_TABLES: [&str; 3] = ["WHERE", "HAVING", "LIMIT"];
    // An index hint has them after FOR.
    const OR_IN_A_HINT: [&str; 2] = ["GROUP", "ORDER"];

    let mut lexer = Lexer::new(statement);
    let mut last = lexer.next()?;
    if !last.is("SELECT") {
        return Some(false);
    }
    let mut place = Place::Outside;
    let mut token = lexer.next()?;
    loop {
        if token == Token::End {
            return Some(place != Place::BeforeATable);
        }
        if token.is_any(&SEVERAL) {
            return Some(false);
        }
        let after = lexer.next()?;
        let table = match token {
            Token::Word(name) | Token::Quoted(name) => known(name),
            _ => false,
        };
        let punctuation = matches!(last, Token::Symbol(b',' | b'(' | b'.'));
        if table && after != Token::Symbol(b'.') && place != Place::BeforeATable && !punctuation {
            return Some(false);
        }
        // After a point a keyword is a name like others, and after @ it is a variable's.
        let is_keyword = !matches!(last, Token::Symbol(b'.' | b'@'));
        place = match (place, token) {
            (Place::BeforeATable, Token::Symbol(b'(')) => place,
            (Place::BeforeATable, Token::Symbol(b'.')) if last.is_name() => place,
            (Place::BeforeATable, name) if name.is_name() && after == Token::Symbol(b'.') => place,
            (Place::BeforeATable, _) if table => Place::From,
            // What else could be there is a view, a table function or nothing that is understood.
            (Place::BeforeATable, _) => return Some(false),
            (_, word) if is_keyword && word.is_any(&BEFORE_A_TABLE) => Place::BeforeATable,
            (Place::From, Token::Symbol(b',')) => Place::BeforeATable,
            (Place::From, word) if is_keyword && word.is_any(&AFTER_TABLES) => Place::Outside,
            (Place::From, word) if is_keyword && word.is_any(&OR_IN_A_HINT) && !last.is("FOR") => {
                Place::Outside
            }
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
    fn system_variables() {
        for statement in [
            "SELECT @@version",
            "select @@version_comment limit 1",
            "/* mysql-connector-j-9.4.0 (Revision: 0) */SELECT  @@session.auto_increment_increment AS \
             auto_increment_increment, @@character_set_client AS `x`, @@global.tx_isolation y;",
            "SELECT @@`version` AS 'v' ; ",
        ] {
            assert_eq!(judged(statement), Trust::SystemVariables, "{statement}");
        }
    }

    #[test]
    fn not_only_system_variables() {
        for statement in [
            "SELECT @x",
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
