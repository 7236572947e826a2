//! Whose names a statement's results have.
//!
//! A client reads columns by their names, so names pass. By dynamic SQL a name can be any value, though:
//! `EXECUTE IMMEDIATE CONCAT('SELECT 1 AS `', (SELECT …), '`')`. Then none of the server's names passes.

/// Whose names the columns of a statement's results have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Perhaps a value.
    Computed,
    /// In the first result the text's own and those of tables. Others are of a second statement.
    First,
    /// In all results what a procedure makes them.
    Called,
}

/// The first words of statements whose results have names of tables, of the text, or of the server.
const NAMING: [&[u8]; 22] = [
    b"SELECT",
    b"WITH",
    b"SHOW",
    b"EXPLAIN",
    b"DESCRIBE",
    b"DESC",
    b"TABLE",
    b"VALUES",
    b"INSERT",
    b"REPLACE",
    b"DELETE",
    b"HANDLER",
    b"ANALYZE",
    b"CHECK",
    b"OPTIMIZE",
    b"REPAIR",
    b"CHECKSUM",
    b"CACHE",
    b"LOAD",
    b"ALTER",
    b"HELP",
    b"XA",
];

/// Judge a statement. The list of processes is asked for by a command without a text.
pub fn names(statement: &[u8]) -> Names {
    if statement.is_empty() {
        return Names::First;
    }
    let rest = without_comments(statement);
    let rest = settings(rest).map_or(rest, without_comments);
    let (word, rest) = word(rest);
    if word.eq_ignore_ascii_case(b"CALL") {
        let rest = rest.trim_ascii_end();
        let rest = rest.strip_suffix(b";").unwrap_or(rest);
        return if rest.contains(&b';') { Names::First } else { Names::Called };
    }
    match NAMING.iter().any(|first| word.eq_ignore_ascii_case(first)) {
        true => Names::First,
        false => Names::Computed,
    }
}

/// A statement from its first word on, without blanks, comments and parentheses before that.
fn without_comments(mut rest: &[u8]) -> &[u8] {
    loop {
        let found = match rest {
            [b' ' | b'\t' | b'\r' | b'\n' | b'(', after @ ..] => Some(after),
            [b'#', after @ ..] | [b'-', b'-', after @ ..] => after_first(after, b"\n"),
            // What is executed is no comment.
            [b'/', b'*', b'!', ..] | [b'/', b'*', b'M' | b'm', b'!', ..] => None,
            [b'/', b'*', after @ ..] => after_first(after, b"*/"),
            _ => None,
        };
        match found {
            Some(after) => rest = after,
            None => return rest,
        }
    }
}

/// What comes after settings that are of one statement, as drivers write them for MariaDB:
/// `SET STATEMENT max_statement_time=1.5 FOR`. Only numbers are read.
fn settings(rest: &[u8]) -> Option<&[u8]> {
    let mut rest = keyword(keyword(rest, b"SET")?, b"STATEMENT")?;
    loop {
        let (name, after) = word(rest);
        let after = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
        let digit = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
        let (number, after) = split(after, digit);
        if name.is_empty() || number.is_empty() {
            return None;
        }
        rest = after.trim_ascii_start();
        match rest.strip_prefix(b",") {
            Some(more) => rest = more.trim_ascii_start(),
            None => return keyword(rest, b"FOR"),
        }
    }
}

/// What comes after that word and blanks; nothing if it is another word.
fn keyword<'a>(rest: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    let (word, after) = word(rest);
    word.eq_ignore_ascii_case(wanted).then(|| after.trim_ascii_start())
}

/// A word, which may be empty, and what comes after it.
fn word(rest: &[u8]) -> (&[u8], &[u8]) {
    split(rest, |byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

fn split(rest: &[u8], belongs: impl Fn(&u8) -> bool) -> (&[u8], &[u8]) {
    rest.split_at(rest.iter().position(|byte| !belongs(byte)).unwrap_or(rest.len()))
}

/// What comes after the first such bytes.
fn after_first<'a>(bytes: &'a [u8], end: &[u8]) -> Option<&'a [u8]> {
    bytes.windows(end.len()).position(|found| found == end).map(|at| &bytes[at + end.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_that_no_value_can_be() {
        for (statement, expected) in [
            ("SELECT 1", Names::First),
            ("select 1; EXECUTE p", Names::First),
            (" /* x; */ (\n-- y\n# CALL\n(SELECT 1))", Names::First),
            ("SHOW TABLES", Names::First),
            ("/*master*/ SELECT 1", Names::First),
            ("/*MyApp*/ SELECT 1", Names::First),
            ("CHECKSUM TABLE t", Names::First),
            ("SET STATEMENT max_statement_time=1.5 FOR SELECT a FROM t", Names::First),
            (
                "set statement sql_select_limit = 1 , max_statement_time=2 for /* x */ (SELECT 1)",
                Names::First,
            ),
            ("SET STATEMENT max_statement_time=1 FOR CALL lists()", Names::Called),
            ("SET STATEMENT max_statement_time=1 FOR EXECUTE p", Names::Computed),
            ("SET STATEMENT max_statement_time=@a FOR SELECT 1", Names::Computed),
            ("SET STATEMENT max_statement_time=1 FOR /*! EXECUTE p */", Names::Computed),
            ("SET STATEMENT max_statement_time=1", Names::Computed),
            ("SET @a = 1; SELECT 1", Names::Computed),
            ("DELETE FROM t RETURNING a", Names::First),
            ("CALL lists()", Names::Called),
            ("/* x */ call db.lists('a') ; ", Names::Called),
            ("CALL lists(); EXECUTE p", Names::First),
            ("CALL lists(';')", Names::First),
            ("EXECUTE p", Names::Computed),
            ("EXECUTE IMMEDIATE CONCAT('SELECT 1 AS `', @s, '`')", Names::Computed),
            ("SET STATEMENT sql_mode = '' FOR EXECUTE p", Names::Computed),
            ("BEGIN NOT ATOMIC EXECUTE p; END", Names::Computed),
            ("PREPARE p FROM @s; EXECUTE p", Names::Computed),
            ("/*! EXECUTE */ SELECT", Names::Computed),
            ("/*M! EXECUTE */ SELECT", Names::Computed),
            ("/* SELECT", Names::Computed),
            ("# SELECT", Names::Computed),
            ("-- SELECT\nEXECUTE p", Names::Computed),
            ("SELECTS", Names::Computed),
            ("SELECT_1", Names::Computed),
            ("", Names::First),
        ] {
            assert_eq!(names(statement.as_bytes()), expected, "{statement}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            names(&bytes);
        }
    }
}
