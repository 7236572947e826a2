# ruff: noqa: S608 - statements from parts are what is wanted here
"""A generator of statements about the bank, in the manner of SQLsmith: random, and mostly valid.

It leans to what makes a server name a column's origin wrongly: derived tables, common table
expressions, views and aliases that bear known tables' names, unions, functions and variables. The
same seed gives the same statements. None of them depends on the time or on chance, and a LIMIT
stands only after an order by all that is selected. None copies a chosen value into a column that is
not chosen, which no proxy can see.
"""

import random
from dataclasses import dataclass
from typing import Final

INT, NUMBER, TEXT, DAY, BYTES = "int", "number", "text", "day", "bytes"
COLUMNS: Final = {
    "customers": {
        "id": INT,
        "name": TEXT,
        "email": TEXT,
        "born": DAY,
        "active": INT,
        "remark": TEXT,
    },
    "accounts": {
        "id": INT,
        "customer_id": INT,
        "iban": TEXT,
        "balance": NUMBER,
        "kind": TEXT,
        "opened": DAY,
        "seal": BYTES,
    },
    "transfers": {
        "id": INT,
        "source_id": INT,
        "target_id": INT,
        "amount": NUMBER,
        "purpose": TEXT,
        "booked": DAY,
    },
    "holdings": {"customer_id": INT, "holder": TEXT, "account_id": INT, "balance": NUMBER},
}
"""Tables and the view, without the DOUBLE: its text depends on the protocol."""

_ALIASES: Final = ("a", "b", "x", "customers", "accounts", "transfers", "holdings", "`id`")
_LABELS: Final = ("label", "id", "active", "kind", "remark", "name", "seal", "n")
_TEXTS: Final = (
    "'Rent Marker7Q'",
    "'%Marker7Q%'",
    "''",
    "'current'",
    "'o''clock'",
    '"it"',
    "'\\\\n'",
    "NULL",
)
_OF_TEXT: Final = (
    "UPPER({})",
    "LOWER({})",
    "CONCAT({}, '')",
    "CONCAT_WS('-', {}, {other})",
    "SUBSTRING({}, 1, 7)",
    "TRIM({})",
    "REPLACE({}, 'x', 'y')",
    "COALESCE({}, 'none')",
    "NULLIF({}, '')",
    "REVERSE({})",
    "HEX({})",
    "JSON_OBJECT('k', {})",
    "CAST({} AS CHAR(90))",
    "LEFT({}, 9)",
    "{} COLLATE utf8mb4_bin",
    "MD5({})",
)
_OF_NUMBER: Final = (
    "{} + 1",
    "-{}",
    "{} * 2",
    "ROUND({}, 1)",
    "ABS({})",
    "CAST({} AS CHAR)",
    "CAST({} AS SIGNED)",
    "CONCAT({}, '')",
    "IFNULL({}, 0)",
    "GREATEST({}, {other})",
    "FORMAT({}, 2)",
)
_OF_DAY: Final = (
    "YEAR({})",
    "DATE_FORMAT({}, '%d.%m.%Y')",
    "DATE({})",
    "CAST({} AS CHAR)",
    "DAY({})",
)
_OF_BYTES: Final = ("HEX({})", "LENGTH({})", "COALESCE({}, X'00454E4302')")
_FUNCTIONS: Final = {
    INT: _OF_NUMBER,
    NUMBER: _OF_NUMBER,
    TEXT: _OF_TEXT,
    DAY: _OF_DAY,
    BYTES: _OF_BYTES,
}
_AGGREGATES: Final = ("MAX({})", "MIN({})", "COUNT({})", "COUNT(DISTINCT {})", "SUM({})", "AVG({})")
_WINDOWS: Final = (
    "ROW_NUMBER() OVER (ORDER BY {})",
    "MAX({}) OVER ()",
    "COUNT(*) OVER (PARTITION BY {})",
    "DENSE_RANK() OVER (ORDER BY {})",
)
_SHOWS: Final = (
    "SHOW COLUMNS FROM customers",
    "SHOW CREATE TABLE accounts",
    "SHOW CREATE VIEW holdings",
    "SHOW TABLES",
    "DESCRIBE transfers",
    "SELECT table_name, column_name FROM information_schema.columns "
    "WHERE table_schema = 'bank' ORDER BY 1, ordinal_position",
    "SELECT @@autocommit AS id, @@sql_mode",
)


@dataclass(frozen=True)
class Statement:
    """One statement, by the text protocol or by the binary one."""

    text: str
    prepared: bool = False


@dataclass(frozen=True)
class _Source:
    """What a FROM clause gives: its text, and expressions for columns with their kinds."""

    text: str
    alias: str
    columns: tuple[tuple[str, str], ...]


class Generator:
    """Statements without end."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._number = 0

    def next(self) -> list[Statement]:
        """One statement, or a few that belong together."""
        self._number += 1
        dice = self._chance.random()
        if dice < 0.03:
            return [Statement(self._chance.choice(_SHOWS))]
        if dice < 0.04:
            warned = "SELECT CAST(name AS SIGNED) FROM customers ORDER BY id"
            return [Statement(warned), Statement("SHOW WARNINGS")]
        if dice < 0.13:
            return self._change()
        if dice < 0.18:
            return self._variable()
        text = self._query()
        # The binary protocol's DOUBLE, which a star selects, has another text.
        prepared = self._chance.random() < 0.3 and "SELECT *" not in text
        return [Statement(text, prepared)]

    # Queries.

    def _query(self) -> str:
        dice = self._chance.random()
        if dice < 0.12:
            return self._union()
        if dice < 0.24:
            return self._with()
        if dice < 0.36:
            return self._grouped()
        return self._plain()

    def _plain(self) -> str:
        source = self._source(2)
        if self._chance.random() < 0.1:
            return f"SELECT * FROM {source.text}{self._where(source)}"
        selected = [self._labelled(source) for _ in range(self._chance.randint(1, 4))]
        text = f"SELECT {self._maybe('DISTINCT ', 0.1)}{', '.join(selected)} FROM {source.text}"
        text += self._where(source)
        if self._chance.random() < 0.3:
            text += f" ORDER BY {', '.join(str(n + 1) for n in range(len(selected)))}"
            # Equal rows are equal in every order, where the order is by all that is selected.
            text += f" LIMIT {self._chance.randint(0, 9)}" if self._chance.random() < 0.5 else ""
        elif self._chance.random() < 0.1:
            text += " FOR UPDATE"
        elif self._chance.random() < 0.1:
            text = text.replace("SELECT ", self._chance.choice(("SELECT /* c */ ", "select\t")), 1)
        return text

    def _union(self) -> str:
        first, second = self._source(1), self._source(1)
        word = self._chance.choice(("UNION", "UNION ALL"))
        one, other = self._expression(first), self._expression(second)
        return (
            f"SELECT {one} AS {self._label()} FROM {first.text}{self._where(first)} "
            f"{word} SELECT {other} FROM {second.text}{self._where(second)}"
        )

    def _with(self) -> str:
        inner = self._source(1)
        name = self._alias()
        label = self._label()
        text = f"SELECT {self._expression(inner)} AS {label} FROM {inner.text}{self._where(inner)}"
        reference = name if self._chance.random() < 0.6 else f"{name} AS {self._alias()}"
        return f"WITH {name} AS ({text}) SELECT {label} FROM {reference}"

    def _grouped(self) -> str:
        source = self._source(2)
        key, (column, _) = self._expression(source), self._chance.choice(source.columns)
        if self._chance.random() < 0.4:
            window = self._chance.choice(_WINDOWS).format(column)
            return f"SELECT {window} AS {self._label()} FROM {source.text}{self._where(source)}"
        aggregate = self._chance.choice(_AGGREGATES).format(column)
        if self._chance.random() < 0.3:
            return f"SELECT {aggregate} AS {self._label()} FROM {source.text}{self._where(source)}"
        having = self._maybe(" HAVING COUNT(*) > 0", 0.3)
        return (
            f"SELECT {key} AS grouped, {aggregate} AS {self._label()} FROM {source.text}"
            f"{self._where(source)} GROUP BY grouped{having}"
        )

    # Sources.

    def _source(self, depth: int) -> _Source:
        first = self._one_source(depth)
        if self._chance.random() < 0.75 or depth == 0:
            return first
        second = self._one_source(depth - 1)
        while second.alias == first.alias:
            second = self._one_source(depth - 1)
        joined = self._chance.choice((" JOIN {}", " LEFT JOIN {}", " CROSS JOIN {}", ", {}"))
        on = ""
        if "CROSS" not in joined and "," not in joined:
            left, right = self._number_of(first), self._number_of(second)
            on = f" ON {left} = {right}"
        text = first.text + joined.format(second.text) + on
        return _Source(text, first.alias, first.columns + second.columns)

    def _one_source(self, depth: int) -> _Source:
        if depth > 0 and self._chance.random() < 0.3:
            return self._derived(depth - 1)
        table = self._chance.choice(tuple(COLUMNS))
        named = self._chance.random() < 0.55
        alias = self._alias() if named else table
        text = f"{table}{self._chance.choice((' ', ' AS '))}{alias}" if named else table
        if not named and self._chance.random() < 0.2:
            text = f"bank.{table}"
        columns = tuple((f"{alias}.{name}", kind) for name, kind in COLUMNS[table].items())
        return _Source(text, alias, columns)

    def _derived(self, depth: int) -> _Source:
        inner, alias = self._source(depth), self._alias()
        labels = self._chance.sample(_LABELS, self._chance.randint(1, 3))
        columns, kinds = [], []
        for label in labels:
            column, kind = self._chance.choice(inner.columns)
            columns.append(f"{column} AS {label}")
            kinds.append(kind)
        text = f"SELECT {self._maybe('DISTINCT ', 0.2)}{', '.join(columns)} FROM {inner.text}"
        return _Source(
            f"({text}{self._where(inner)}) {alias}",
            alias,
            tuple((f"{alias}.{label}", kind) for label, kind in zip(labels, kinds, strict=True)),
        )

    # Expressions.

    def _labelled(self, source: _Source) -> str:
        text = self._expression(source)
        dice = self._chance.random()
        if dice < 0.5:
            return text
        return f"{text} AS {self._label()}" if dice < 0.9 else f"{text} `{self._label()}`"

    def _expression(self, source: _Source) -> str:
        column, kind = self._chance.choice(source.columns)
        dice = self._chance.random()
        if dice < 0.5:
            return column
        if dice < 0.85:
            other, _ = self._chance.choice(source.columns)
            return self._chance.choice(_FUNCTIONS[kind]).format(column, other=other)
        if dice < 0.92:
            other, _ = self._chance.choice(source.columns)
            return f"CASE WHEN {column} IS NULL THEN {other} ELSE {column} END"
        table = self._chance.choice(tuple(COLUMNS))
        name = self._chance.choice(tuple(COLUMNS[table]))
        return f"(SELECT MAX(s.{name}) FROM {table} s)"

    def _where(self, source: _Source) -> str:
        dice = self._chance.random()
        if dice < 0.4:
            return ""
        column, kind = self._chance.choice(source.columns)
        if dice < 0.5:
            return f" WHERE {column} IS {self._maybe('NOT ', 0.6)}NULL"
        if dice < 0.6:
            table = self._chance.choice(("customers", "accounts"))
            return f" WHERE {self._number_of(source)} IN (SELECT id FROM {table})"
        if kind in {INT, NUMBER}:
            comparison = self._chance.choice(("<", ">", "=", "<>", "<=>"))
            return f" WHERE {column} {comparison} {self._chance.choice((0, 1, 2, 10, 12, 519402))}"
        if kind == TEXT:
            comparison = self._chance.choice(("LIKE", "=", "<>", "NOT LIKE"))
            return f" WHERE {column} {comparison} {self._chance.choice(_TEXTS)}"
        return f" WHERE {column} IS NOT NULL AND 1 = 1"

    def _number_of(self, source: _Source) -> str:
        found = [column for column, kind in source.columns if kind == INT]
        return self._chance.choice(found or [column for column, _ in source.columns])

    def _alias(self) -> str:
        return self._chance.choice(_ALIASES)

    def _label(self) -> str:
        return self._chance.choice(_LABELS)

    def _maybe(self, text: str, probability: float) -> str:
        return text if self._chance.random() < probability else ""

    # What changes something.

    def _change(self) -> list[Statement]:
        """A transaction with a change, a look at what it made, and its end."""
        key = 1000 + self._number
        change, table = self._chance.choice(
            (
                (
                    f"INSERT INTO customers (id, name, email) "
                    f"VALUES ({key}, 'New Marker7Q', 'n{key}@Marker7Q.example')",
                    "customers",
                ),
                (
                    "UPDATE customers SET remark = 'changed', name = UPPER(name) WHERE id < 3",
                    "customers",
                ),
                ("UPDATE accounts SET balance = balance + 0.01 WHERE id = 10", "accounts"),
                ("DELETE FROM transfers WHERE amount > 519402", "transfers"),
                (
                    f"INSERT INTO transfers (id, source_id, target_id, amount, purpose) "
                    f"SELECT id + {key}, source_id, target_id, amount, CONCAT(purpose, '!') "
                    "FROM transfers",
                    "transfers",
                ),
                ("INSERT INTO customers (id, name) VALUES (1, 'Twice Marker7Q')", "customers"),
                ("UPDATE customers SET email = 'ada@Marker7Q.example'", "customers"),
                ("INSERT INTO accounts SELECT * FROM accounts", "accounts"),
                ("CALL transfer(10, 13, 0.75, 'Marker7Q fuzz', @remaining, @holder)", "accounts"),
            )
        )
        columns = "balance" if change.startswith("CALL") else ", ".join(COLUMNS[table])
        look = f"SELECT {columns} FROM {table} ORDER BY id"
        return [Statement(text) for text in ("BEGIN", change, look, "ROLLBACK")]

    def _variable(self) -> list[Statement]:
        """A value that is kept in the session and read back."""
        table = self._chance.choice(tuple(COLUMNS))
        name = self._chance.choice(tuple(COLUMNS[table]))
        label = self._chance.choice(tuple(COLUMNS))
        return [
            Statement(f"SET @kept = (SELECT MAX({name}) FROM {table})"),
            Statement(f"SELECT @kept AS {self._label()}"),
            Statement(f"SELECT {label}.x FROM (SELECT @kept AS x) {label}"),
        ]
