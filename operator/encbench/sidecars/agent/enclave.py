"""What a server shows of encrypted column types: facts for their proof.

The agent opens the one row that no workload touches with the mode's key, as the client does. It
seals a marker of its own, has the server index it, and looks for the plaintext in both files. The
key and the values stay here: the answer holds names, a digest and figures.

The agent's sessions look names up in the server's own schema, so that every other name has its
schema here, operators included.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from encbench.adapters.sql import Row, Session, StatementRefused
from encbench.core.columns.probes import digest_of
from encbench.engines.marker import ROWS, Statement
from encbench.engines.postgresql import marker as plain
from encbench.engines.postgresql.enclave import SCHEMA, TYPES
from encbench.sidecars.agent.files import Stop, search_file
from encbench.sidecars.agent.probe import OpenSession
from encbench.wire import agent as wire

ROW_TABLE, ROW_ID = "sbtest1", 0
DIGESTED = ("k", "c", "pad")
"""The columns of that row that the client's digest covers, in this order."""
_ROWS = f"{SCHEMA}.{ROW_TABLE}"
_SUFFIX = "_sealed"

_OURS = f"relname ~ '^sbtest[0-9]+$' AND relnamespace = '{SCHEMA}'::regnamespace"
COLUMN_TYPES = (
    "SELECT relname, attname, format_type(atttypid, atttypmod) FROM pg_class "  # noqa: S608
    "JOIN pg_attribute ON attrelid = pg_class.oid "
    f"WHERE {_OURS} AND relkind = 'r' AND attnum > 0 AND NOT attisdropped ORDER BY 1, attnum"
)
INDEXES = (
    "SELECT t.relname, i.relname, attname, opcname FROM pg_index "  # noqa: S608
    f"JOIN (SELECT oid, relname FROM pg_class WHERE {_OURS}) t ON t.oid = indrelid "
    "JOIN pg_class i ON i.oid = indexrelid "
    "JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0] "
    "JOIN pg_opclass o ON o.oid = indclass[0] WHERE indisvalid ORDER BY 1, 2"
)
_SHORT = {f"{SCHEMA}.{kind}": kind for kind in TYPES}
"""Names of the extension's types as the server gives them here, and as the proof knows them."""
CALIBRATION = (
    "SELECT transition_asked, transition_achieved, value_asked, value_achieved "  # noqa: S608
    # With its argument: without one, a function of the user's own could match better.
    f"FROM {SCHEMA}.enclave_calibrate(1000)"
)
CROSSINGS = f"SELECT transitions FROM {SCHEMA}.enclave_crossings()"  # noqa: S608


def hidden(marker: str) -> str:
    """The text that is sealed: the marker's bytes in reverse order."""
    return marker[::-1]


@dataclass(frozen=True)
class EnclaveLook:
    """How to look, in an arm whose columns have encrypted types."""

    seal: Callable[[int | str], str]
    """A value in base64."""
    opened: Callable[[bytes], str]
    """The plaintext; ValueError says why not."""
    data: Path
    """The data directory."""

    def seen(
        self, open_session: OpenSession, table: str, marker: str, stop: Stop
    ) -> wire.EnclaveSeen:
        """The evidence's `enclave`. Blocks; SqlError when the server is away or too slow.

        The marker's table stays until `drop`.
        """
        with closing(open_session()) as session:
            try:
                for statement in self.plant(table, marker):
                    session.rows(*statement)
                return self.facts(session, table, marker, stop)
            except StatementRefused as error:
                return _refused(str(error))

    def plant(self, table: str, marker: str) -> Iterator[Statement]:
        """Make a table of the sealed marker with an index on it, both in their files."""
        name, text = self._name(table), hidden(marker)
        yield f"CREATE TABLE {name} (marker {SCHEMA}.enc_text NOT NULL)", ()
        for _ in range(ROWS):
            # Base64 of a value that this agent has sealed.
            yield f"INSERT INTO {name} VALUES ('{self.seal(text)}')", ()  # noqa: S608
        yield f"CREATE INDEX ON {name} (marker)", ()
        yield f"VACUUM (FULL) {name}", ()

    def drop(self, table: str) -> Statement:
        """Remove that table."""
        return f"DROP TABLE IF EXISTS {self._name(table)}", ()

    def facts(self, session: Session, table: str, marker: str, stop: Stop) -> wire.EnclaveSeen:
        """What the server shows. SqlError when it fails a statement."""
        types: dict[str, dict[str, str]] = {}
        for name, column, kind in session.rows(COLUMN_TYPES):
            types.setdefault(str(name), {})[str(column)] = _SHORT.get(str(kind), str(kind))
        own = types.get(ROW_TABLE, {})
        plans = list(self._plans(session, own))
        return {
            "types": types,
            "indexes": [_index(row) for row in session.rows(INDEXES)],
            "plans": plans,
            "searches": list(self._searches(session, own, plans)),
            "row": self._row(session, own),
            "calibration": _calibration(session.rows(CALIBRATION)[0]),
            "marker": list(self._searched(session, table, marker, stop)),
            "refused": None,
        }

    def _name(self, table: str) -> str:
        return f"{plain.SCHEMA}.{table}{_SUFFIX}"

    def _condition(self, column: str, operator: str, value: int, kind: str | None) -> str:
        """The column of that type beside a value."""
        if kind not in TYPES:
            return f"{column} {operator} {value}"
        return f"{column} OPERATOR({SCHEMA}.{operator}) '{self.seal(value)}'::{SCHEMA}.{kind}"

    def _statements(self, lookup: str, types: dict[str, str]) -> dict[str, str]:
        """A point and a range, by that column, as the client asks for them."""
        kind = types.get(lookup)
        total = f"{SCHEMA}.sum" if types.get("k") in TYPES else "SUM"
        low, high = (self._condition(lookup, *end, kind) for end in ((">=", 1), ("<=", 100)))
        # Names and kinds are of a fixed set; numbers are constants or sealed here.
        return {
            "point": f"SELECT c FROM {_ROWS} WHERE {self._condition(lookup, '=', 1, kind)}",  # noqa: S608
            "range": f"SELECT {total}(k) FROM {_ROWS} WHERE {low} AND {high}",  # noqa: S608
        }

    def _plans(self, session: Session, types: dict[str, str]) -> Iterator[wire.EnclavePlanRow]:
        for lookup in ("id", "k") if types else ():
            for workload, statement in self._statements(lookup, types).items():
                nodes = list(_nodes(session.rows(f"EXPLAIN (FORMAT JSON) {statement}")[0][0]))
                yield wire.EnclavePlanRow(
                    lookup=lookup,
                    workload=workload,
                    nodes=[node["Node Type"] for node in nodes],
                    indexes=[node["Index Name"] for node in nodes if "Index Name" in node],
                )

    def _searches(
        self, session: Session, types: dict[str, str], plans: Sequence[wire.EnclavePlanRow]
    ) -> Iterator[wire.EnclaveSearchRow]:
        """Search encrypted indexes for the row that no workload touches: it has one version."""
        for plan in plans:
            lookup, kind = plan["lookup"], types.get(plan["lookup"])
            if plan["workload"] != "point" or not plan["indexes"] or kind not in TYPES:
                continue
            before = int(session.rows(CROSSINGS)[0][0])
            wanted = self._condition(lookup, "=", ROW_ID, kind)
            session.rows(f"SELECT c FROM {_ROWS} WHERE {wanted}")  # noqa: S608 sealed here
            transitions = int(session.rows(CROSSINGS)[0][0]) - before
            yield wire.EnclaveSearchRow(lookup=lookup, transitions=transitions)

    def _row(self, session: Session, types: dict[str, str]) -> wire.EnclaveRow:
        made = wire.EnclaveRow(table=ROW_TABLE, found=False, digest=None, wrong={})
        if not set(DIGESTED) <= types.keys():
            return made
        kinds = [types[name] for name in DIGESTED]
        # Names and kinds are of a fixed set; the number is a constant or sealed here.
        read = ", ".join(
            f"{SCHEMA}.{kind}_send({name})" if kind in TYPES else name
            for name, kind in zip(DIGESTED, kinds, strict=True)
        )
        wanted = self._condition("id", "=", ROW_ID, types.get("id"))
        rows = session.rows(f"SELECT {read} FROM {_ROWS} WHERE {wanted}")  # noqa: S608
        if not rows:
            return made
        made["found"] = True
        opened = []
        for name, kind, value in zip(DIGESTED, kinds, rows[0], strict=True):
            try:
                text = self.opened(bytes(value)) if kind in TYPES else str(value)
            except ValueError as error:
                made["wrong"][name] = str(error)
            else:
                opened.append(text.rstrip(" "))
        if not made["wrong"]:
            made["digest"] = digest_of(text.encode() for text in opened)
        return made

    def _searched(
        self, session: Session, table: str, marker: str, stop: Stop
    ) -> Iterator[wire.SealedFile]:
        name = self._name(table)
        files = session.rows(
            "SELECT pg_relation_filepath(oid) FROM pg_class WHERE oid = CAST(%s AS regclass) "
            "UNION ALL SELECT pg_relation_filepath(indexrelid) FROM pg_index "
            "WHERE indrelid = CAST(%s AS regclass)",
            (name, name),
        )
        for (path,) in files:
            searched = search_file(
                self.data / str(path), hidden(marker).encode(), stop, forget=False
            )
            yield wire.SealedFile(path=str(path), bytes=searched.size, found=searched.found)


def _refused(why: str) -> wire.EnclaveSeen:
    return {
        "types": {},
        "indexes": [],
        "plans": [],
        "searches": [],
        "row": {"table": ROW_TABLE, "found": False, "digest": None, "wrong": {}},
        "calibration": {"transitionAsked": 0, "transition": 0, "valueAsked": 0, "value": 0},
        "marker": [],
        "refused": why,
    }


def _index(row: Row) -> wire.EnclaveIndexRow:
    table, name, column, operators = (str(part) for part in row)
    return wire.EnclaveIndexRow(table=table, name=name, column=column, operatorClass=operators)


def _calibration(row: Row) -> wire.CalibrationRow:
    transition_asked, transition, value_asked, value = (float(figure) for figure in row)
    return wire.CalibrationRow(
        transitionAsked=transition_asked, transition=transition, valueAsked=value_asked, value=value
    )


def _nodes(plan: str | Sequence[Any]) -> Iterator[dict[str, Any]]:
    """All nodes of a plan, which some drivers give as text, the uppermost first."""
    plans: Sequence[Any] = json.loads(plan) if isinstance(plan, str) else plan
    pending: list[dict[str, Any]] = [one["Plan"] for one in plans]
    while pending:
        node = pending.pop()
        pending += node.get("Plans", ())
        yield node
