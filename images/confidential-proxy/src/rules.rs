//! Which columns are encrypted, and which tables are known.
//!
//! A line `table.column` chooses a column. A line `table` says that there is such a base table, none of
//! whose columns need be chosen: under the strict policy nothing else passes in plaintext. `#` begins a
//! comment. Names are matched without regard to (ASCII) case, and in every schema.
//!
//! Names in a rule are ASCII. A server writes a name in the character set of its session's results, so a
//! name beyond ASCII is other bytes in other sessions; a column of such an origin counts as chosen.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::sql::Trust;

type Name = Box<[u8]>;

#[derive(Debug, Default)]
pub struct Rules {
    /// Chosen columns by table; a known table has an entry, an empty one if none of its columns is chosen.
    tables: BTreeMap<Name, BTreeSet<Name>>,
    /// A bit for each length that a known table's name has. Of the words of a statement, few have one.
    lengths: u64,
    chosen: usize,
    strict: bool,
}

/// A line that is no rule.
#[derive(Debug, PartialEq, Eq)]
pub struct BadLine(usize);

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} is neither table.column nor the name of a table, in ASCII", self.0)
    }
}

/// Where a column of a result comes from, as the server says it.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    pub schema: &'a [u8],
    pub table: &'a [u8],
    pub column: &'a [u8],
}

impl Rules {
    /// The rules of a file's text.
    pub fn parse(text: &str, strict: bool) -> Result<Self, BadLine> {
        let mut rules = Self { strict, ..Self::default() };
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                rules.add(line).ok_or(BadLine(number + 1))?;
            }
        }
        Ok(rules)
    }

    fn add(&mut self, line: &str) -> Option<()> {
        let mut parts = line.split('.');
        let (table, column) = (name(parts.next()?)?, parts.next());
        if parts.next().is_some() {
            return None;
        }
        let column = column.map(|column| name(column).ok_or(())).transpose().ok()?;
        self.lengths |= length_bit(&table);
        let columns = self.tables.entry(table).or_default();
        if let Some(column) = column {
            self.chosen += usize::from(columns.insert(column));
        }
        Some(())
    }

    /// Whether nothing is ever encrypted.
    pub fn is_empty(&self) -> bool {
        self.chosen == 0
    }

    /// How many columns are chosen.
    pub fn chosen(&self) -> usize {
        self.chosen
    }

    /// Whether what is not known is encrypted.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// Whether a statement's text has to be looked at.
    pub fn read_statements(&self) -> bool {
        self.strict && !self.is_empty()
    }

    /// Whether a table of that name is known.
    pub fn knows(&self, table: &[u8]) -> bool {
        self.lengths & length_bit(table) != 0 && lowered(table, |table| self.tables.contains_key(table))
    }

    /// Whether a column of that origin is encrypted in a result of a statement that is trusted so far,
    /// which is asked only where it matters.
    pub fn encrypts(&self, origin: Origin<'_>, trust: impl FnOnce() -> Trust) -> bool {
        if self.is_empty() {
            return false;
        }
        if !is_steady(origin.table) || !is_steady(origin.column) {
            return true;
        }
        let found = lowered(origin.table, |table| {
            self.tables.get(table).map(|columns| lowered(origin.column, |column| columns.contains(column)))
        });
        if found == Some(true) || !self.strict {
            return found == Some(true);
        }
        match trust() {
            Trust::SystemVariables => false,
            Trust::BaseTables => found.is_none() || origin.schema.is_empty() || origin.column.is_empty(),
            Trust::Unknown | Trust::Warnings => true,
        }
    }
}

fn name(text: &str) -> Option<Name> {
    let text = text.trim();
    // A server writes `?` in place of a character that the session's character set does not have.
    let wrong = |c: char| !c.is_ascii_graphic() || "`'\"?".contains(c);
    (!text.is_empty() && !text.contains(wrong)).then(|| text.to_ascii_lowercase().into_bytes().into())
}

/// All names of 63 bytes and more share one.
fn length_bit(name: &[u8]) -> u64 {
    1 << name.len().min(63)
}

/// Whether a name is what its bytes say. A server writes `?` for what the character set lacks, and to swe7
/// the others are letters; ASCII has none for it.
fn is_steady(name: &[u8]) -> bool {
    is_plain(name) && !name.iter().any(|byte| b"?@[\\]^`{|}~".contains(byte))
}

/// Whether a name is the same bytes in every character set that results may have. Those of UTF-16 and
/// UTF-32 have zeros.
pub fn is_plain(name: &[u8]) -> bool {
    name.iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Call `with` with the name in lower case. No name of a table or column has more than 64 characters.
fn lowered<T>(name: &[u8], with: impl FnOnce(&[u8]) -> T) -> T {
    let mut space = [0; 64];
    match space.get_mut(..name.len()) {
        Some(space) => {
            space.copy_from_slice(name);
            space.make_ascii_lowercase();
            with(space)
        }
        None => with(&name.to_ascii_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# chosen\nSecret.Name\nsecret.bal # money\n\n  plain \n";

    fn origin<'a>(schema: &'a str, table: &'a str, column: &'a str) -> Origin<'a> {
        Origin { schema: schema.as_bytes(), table: table.as_bytes(), column: column.as_bytes() }
    }

    #[test]
    fn chosen_columns_are_encrypted_whatever_the_statement() {
        for strict in [true, false] {
            let rules = Rules::parse(TEXT, strict).unwrap();
            assert_eq!(rules.chosen(), 2);
            for trust in [Trust::Unknown, Trust::BaseTables, Trust::SystemVariables] {
                assert!(rules.encrypts(origin("s", "SECRET", "name"), || trust));
                assert!(rules.encrypts(origin("", "secret", "BAL"), || trust));
            }
        }
    }

    #[test]
    fn permissive_encrypts_nothing_else() {
        let rules = Rules::parse(TEXT, false).unwrap();
        for one in [origin("", "", ""), origin("s", "secret", "id"), origin("s", "view", "name")] {
            assert!(!rules.encrypts(one, || Trust::Unknown));
        }
    }

    #[test]
    fn strict_encrypts_what_it_does_not_know() {
        let rules = Rules::parse(TEXT, true).unwrap();
        let known = [origin("s", "secret", "id"), origin("s", "Plain", "label")];
        let unknown = [
            origin("", "", "label"),
            origin("", "plain", "label"),
            origin("s", "plain", ""),
            origin("s", "view", "label"),
        ];
        for one in known {
            assert!(!rules.encrypts(one, || Trust::BaseTables));
            assert!(rules.encrypts(one, || Trust::Unknown));
        }
        for one in unknown {
            assert!(rules.encrypts(one, || Trust::BaseTables), "{one:?}");
            assert!(!rules.encrypts(one, || Trust::SystemVariables));
        }
    }

    #[test]
    fn without_a_chosen_column_nothing_is_encrypted() {
        let rules = Rules::parse("# none\nplain\n", true).unwrap();
        assert!(rules.is_empty() && !rules.read_statements());
        assert!(!rules.encrypts(origin("", "", ""), || Trust::Unknown));
    }

    #[test]
    fn a_bad_line_is_named() {
        for line in
            ["a.b.c", ".b", "a.", "a b.c", "`a`.b", "kunde.gr\u{f6}\u{df}e", "kunde.gr??e", "a.b\u{1}"]
        {
            let error = Rules::parse(&format!("x.y\n{line}\n"), true).unwrap_err();
            assert_eq!(error, BadLine(2), "{line}");
        }
    }

    #[test]
    fn names_beyond_ascii_count_as_chosen() {
        for strict in [true, false] {
            let rules = Rules::parse(TEXT, strict).unwrap();
            let utf16 = Origin { schema: b"s", table: b"\0s\0e\0c\0r\0e\0t", column: b"\0i\0d" };
            let latin1 = Origin { schema: b"s", table: b"plain", column: b"gr\xf6\xdfe" };
            for one in [utf16, latin1, origin("s", "\u{e4}join", "label")] {
                assert!(rules.encrypts(one, || Trust::BaseTables), "{one:?}");
            }
            assert!(!rules.encrypts(origin("s", "plain", "of two words"), || Trust::BaseTables));
        }
    }

    /// A session in swe7 gets a `?` for the `@` of a chosen name.
    #[test]
    fn names_that_another_may_be_written_as_count_as_chosen() {
        for strict in [true, false] {
            let rules = Rules::parse("secret.e@mail\nplain", strict).unwrap();
            for column in ["e?mail", "e@mail", "[", "\\", "]", "^", "`", "{", "|", "}", "~"] {
                assert!(rules.encrypts(origin("s", "secret", column), || Trust::BaseTables), "{column}");
                assert!(rules.encrypts(origin("s", column, "label"), || Trust::BaseTables), "{column}");
            }
            assert!(!rules.encrypts(origin("s", "plain", "e-mail_$#"), || Trust::BaseTables));
        }
    }

    #[test]
    fn tables_are_known_by_their_whole_names() {
        let long = "x".repeat(100);
        let rules = Rules::parse(&format!("{TEXT}{long}\n"), true).unwrap();
        for table in ["secret", "SECRET", "plain", &long, &long.to_uppercase()] {
            assert!(rules.knows(table.as_bytes()), "{table}");
        }
        for table in ["", "secre", "secrets", "SELECT", "views", "label", &long[1..], &"y".repeat(100)] {
            assert!(!rules.knows(table.as_bytes()), "{table}");
        }
    }

    #[test]
    fn names_longer_than_any_are_no_trouble() {
        let rules = Rules::parse(TEXT, true).unwrap();
        let long = "x".repeat(1000);
        assert!(rules.encrypts(origin("s", &long, &long), || Trust::BaseTables));
    }
}
