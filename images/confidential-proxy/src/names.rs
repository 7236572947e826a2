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
const NAMING: [&[u8]; 16] = [
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
];

/// Judge a statement.
pub fn names(statement: &[u8]) -> Names {
    let rest = without_comments(statement);
    let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (word, rest) = rest.split_at(end);
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
            [b'/', b'*', b'!' | b'M' | b'm', ..] => None,
            [b'/', b'*', after @ ..] => after_first(after, b"*/"),
            _ => None,
        };
        match found {
            Some(after) => rest = after,
            None => return rest,
        }
    }
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
            ("", Names::Computed),
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
