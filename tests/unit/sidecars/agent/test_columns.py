"""What the agent reports about columns, with sessions that hold what a test says."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from encbench.adapters.sql.raw import RawColumn, RawResult
from encbench.core.columns.envelope import UNBOUND, ColumnKind, Envelope
from encbench.core.columns.probes import SAMPLE
from encbench.sidecars.agent.columns import ColumnsLook, sample

KIND = ColumnKind(3, 0, 0x4203, 63)
NONCE = bytes(8)


def envelope(
    text: bytes, *, algorithm: int = 1, nonce: bytes = NONCE, type_: int = KIND.type
) -> bytes:
    """A value that `opened` below opens to its text."""
    return (
        b"\x00ENC\x02"
        + bytes([algorithm, type_, KIND.decimals])
        + KIND.flags.to_bytes(2, "big")
        + KIND.charset.to_bytes(2, "big")
        + b"randomrandom"
        + nonce
        + text
        + b"t" * 16
    )


def opened(found: Envelope, bound: bytes) -> bytes:
    assert bound == UNBOUND
    if found.sealed.startswith(b"foreign"):
        raise ValueError("the mode's key does not open it")
    return found.sealed[:-16]


@dataclass
class Catalogue:
    names: Sequence[str] = ("t", "encbench_marker_0123456789abcdef")

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Sequence[Any]]:
        assert "BASE TABLE" in statement
        assert arguments == ("sbtest",)
        return [(name,) for name in self.names]

    def close(self) -> None: ...


@dataclass
class Side:
    row: tuple[bytes | None, ...] | None
    columns: tuple[RawColumn, ...] = (RawColumn("id", KIND), RawColumn("c", KIND))
    asked: list[str] = field(default_factory=list)
    closed: int = 0

    def first(self, statement: str) -> RawResult:
        self.asked.append(statement)
        return RawResult(self.columns, self.row)

    def close(self) -> None:
        self.closed += 1


def look(own: Side, through: Side, **changes: Any) -> ColumnsLook:
    given: dict[str, Any] = {
        "chosen": frozenset({"t.c"}),
        "direct": lambda: own,
        "proxied": lambda: through,
        "opened": opened,
        **changes,
    }
    return ColumnsLook(**given)


def table(own: Side, through: Side) -> Any:
    (told,) = look(own, through).facts(Catalogue(), full=True)["tables"]
    assert isinstance(told, dict)
    return told


def test_a_value_that_opens_to_the_servers_own_is_encrypted() -> None:
    own, through = Side((b"1", b"text")), Side((b"1", envelope(b"text")))
    told = table(own, through)
    assert told["plain"] == ["id"]
    assert told["encrypted"] == {"AES_128_GCM": ["c"]}
    assert told["wrong"] == {}
    assert own.asked == through.asked == ["SELECT * FROM `t` LIMIT 1"], "no marker's table"
    assert (own.closed, through.closed) == (1, 1)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (b"other", "it is no envelope"),
        (envelope(b"other"), "the key opens it to a value that differs from the server's"),
        (envelope(b"foreign text"), "the mode's key does not open it"),
        (envelope(b"text", algorithm=7), "its algorithm has the unknown number 7"),
        (envelope(b"text", type_=253), "its header names a type that differs from the server's"),
        (envelope(b"text")[:30], "it has 30 bytes, too few for an envelope"),
        (None, "it is NULL on one side only"),
    ],
)
def test_everything_else_is_wrong(value: bytes | None, why: str) -> None:
    told = table(Side((b"1", b"text")), Side((b"1", value)))
    assert told["wrong"] == {"c": why}
    assert told["encrypted"] == {}
    assert told["plain"] == ["id"]


def test_a_nonce_is_used_once() -> None:
    through = Side((envelope(b"1"), envelope(b"text")))
    told = table(Side((b"1", b"text")), through)
    assert told["encrypted"] == {"AES_128_GCM": ["id"]}
    assert told["wrong"] == {"c": "its nonce was used before"}


def test_null_stays_null() -> None:
    told = table(Side((b"1", None)), Side((b"1", None)))
    assert told["null"] == ["c"]


def test_ciphertext_that_the_table_itself_holds_is_not_plaintext() -> None:
    stored = envelope(b"foreign")
    told = table(Side((b"1", stored)), Side((b"1", stored)))
    assert "c" in told["wrong"]


def test_a_plain_value_keeps_its_announcement() -> None:
    announced = (RawColumn("id", ColumnKind(253, 0, 128, 63)), RawColumn("c", KIND))
    told = table(Side((b"1", b"text")), Side((b"1", b"text"), columns=announced))
    assert told["wrong"] == {"id": "the proxy announces a plain value with another type"}


@pytest.mark.parametrize("row", [None, (b"1", b"text")])
def test_a_result_with_other_rows_or_columns(row: Any) -> None:
    told = table(Side((b"1", b"text")), Side(None))
    assert told["wrong"] == {"*": "the proxy's result differs from the server's"}
    told = table(Side(row), Side(row, columns=(RawColumn("id", KIND), RawColumn("d", KIND))))
    assert told["wrong"] == {"*": "the proxy's result differs from the server's"}


def test_a_table_without_a_row() -> None:
    told = table(Side(None), Side(None))
    assert (told["row"], told["digest"]) == (False, None)


def test_both_sessions_end_whatever_happens() -> None:
    own, through = Side((b"1", b"x")), Side((b"1",))
    with pytest.raises(IndexError):
        look(own, through).facts(Catalogue(), full=True)
    assert (own.closed, through.closed) == (1, 1)


def test_around_a_trial_some_tables_stand_for_many() -> None:
    names = [f"sbtest{n}" for n in range(1, 251)]
    own, through = Side((b"1", b"x")), Side((b"1", b"x"))
    chosen = frozenset({"sbtest77.c"})
    told = look(own, through, chosen=chosen).facts(Catalogue(names), full=False)
    read = [one["table"] for one in told["tables"]]
    assert len(read) == SAMPLE
    assert {"sbtest77", "sbtest1", "sbtest250"} <= set(read)
    assert told["all"] == 250
    full = look(own, through, chosen=chosen).facts(Catalogue(names), full=True)
    assert len(full["tables"]) == 250


@pytest.mark.parametrize("count", [1, 8, 16, 17, 250])
def test_a_sample_is_of_so_many(count: int) -> None:
    names = [f"sbtest{n}" for n in range(1, count + 1)]
    for chosen in ([], [f"{name}.c" for name in names], ["sbtest1.c"]):
        found = sample(names, chosen)
        assert len(found) == min(count, SAMPLE)
        assert len(set(found)) == len(found)
