"""What the agent reports of encrypted column types, with a session that holds what a test says."""

import base64
import functools
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from encbench.adapters.enclavecipher import seal, unseal
from encbench.adapters.sql import SqlError, StatementRefused
from encbench.sidecars.agent import enclave
from encbench.sidecars.agent.enclave import EnclaveLook, hidden

KEY, OTHER = bytes(range(16)), bytes(16)
MARKER, TABLE = "encbench-marker-0001", "encbench_marker_0123456789abcdef"
SHOWN = {"enc_int4": "public.enc_int4", "enc_text": "public.enc_text"}
"""What the server calls the extension's types in a session that does not look in their schema."""
TYPES = {"id": "integer", "k": "enc_int4", "c": "enc_text", "pad": "character(60)"}
READ = "SELECT public.enc_int4_send"
PLAN = [
    {
        "Plan": {
            "Node Type": "Aggregate",
            "Plans": [{"Node Type": "Index Scan", "Index Name": "k_1"}],
        }
    }
]


def look(data: Path) -> EnclaveLook:
    return EnclaveLook(functools.partial(seal, key=KEY), functools.partial(unseal, key=KEY), data)


def sealed(value: int | str, key: bytes = KEY) -> bytes:
    return base64.b64decode(seal(value, key))


class Session:
    """Answers by the beginning of a statement."""

    def __init__(self, **answers: Any) -> None:
        self.statements: list[str] = []
        self.types = answers.get("types", TYPES)
        self.row = answers.get("row", [(sealed(7), sealed("text"), "pad   ")])
        self.plan = answers.get("plan", PLAN)
        self.crossed = 100

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Any]:
        self.statements.append(statement)
        answers: dict[str, Callable[[], list[Any]]] = {
            enclave.COLUMN_TYPES: lambda: [
                ("sbtest1", name, SHOWN.get(kind, kind)) for name, kind in self.types.items()
            ],
            enclave.INDEXES: lambda: [("sbtest1", "k_1", "k", "enc_int4_ops")],
            enclave.CROSSINGS: lambda: [(self.crossed,)],
            enclave.CALIBRATION: lambda: [(8000, 8011.5, 1200, 1199.0)],
        }
        if statement in answers:
            return answers[statement]()
        if statement.startswith("SELECT c FROM"):
            self.crossed += 3
        if statement.startswith("EXPLAIN"):
            return [(self.plan,)]
        if "pg_relation_filepath" in statement:
            return [("base/1/heap",), ("base/1/index",)]
        return list(self.row)

    def close(self) -> None: ...


def facts(data: Path, session: Session) -> Any:
    for name in ("heap", "index"):
        path = data / "base" / "1" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(sealed(hidden(MARKER)))
    return look(data).facts(session, TABLE, MARKER, lambda: None)


def test_what_the_server_has(tmp_path: Path) -> None:
    made = facts(tmp_path, Session())
    assert made["types"] == {"sbtest1": TYPES}
    assert made["indexes"][0] == {
        "table": "sbtest1",
        "name": "k_1",
        "column": "k",
        "operatorClass": "enc_int4_ops",
    }
    assert made["calibration"]["transition"] == 8011.5
    assert made["calibration"]["valueAsked"] == 1200


def test_the_row_is_opened_and_only_its_digest_leaves(tmp_path: Path) -> None:
    session = Session()
    made = facts(tmp_path, session)
    digest = hashlib.sha256(b"7\x1ftext\x1fpad").hexdigest()
    assert made["row"] == {"table": "sbtest1", "found": True, "digest": digest, "wrong": {}}
    asked = next(s for s in session.statements if s.startswith(READ))
    assert asked == (
        "SELECT public.enc_int4_send(k), public.enc_text_send(c), pad FROM public.sbtest1 "
        "WHERE id = 0"
    )


def test_a_row_is_found_by_an_encrypted_id(tmp_path: Path) -> None:
    session = Session(types={**TYPES, "id": "enc_int4"})
    facts(tmp_path, session)
    (asked,) = [s for s in session.statements if s.startswith(READ)]
    condition = asked.rpartition("WHERE id OPERATOR(public.=) '")[2]
    literal = condition.removesuffix("'::public.enc_int4")
    assert unseal(base64.b64decode(literal), KEY) == "0"


def test_another_key_opens_nothing(tmp_path: Path) -> None:
    made = facts(tmp_path, Session(row=[(sealed(7, OTHER), sealed("text"), "pad")]))
    assert made["row"]["wrong"] == {"k": "the mode's key does not open it"}
    assert made["row"]["digest"] is None


@pytest.mark.parametrize("types", [{}, {"id": "integer"}])
def test_tables_that_are_not_there(tmp_path: Path, types: dict[str, str]) -> None:
    made = facts(tmp_path, Session(types=types))
    assert made["row"]["found"] is False
    assert facts(tmp_path, Session(row=[]))["row"]["found"] is False


@pytest.mark.parametrize("plan", [PLAN, json.dumps(PLAN)], ids=["list", "text"])
def test_plans_of_each_statement(tmp_path: Path, plan: Any) -> None:
    session = Session(plan=plan)
    made = facts(tmp_path, session)
    assert [(one["lookup"], one["workload"]) for one in made["plans"]] == [
        ("id", "point"),
        ("id", "range"),
        ("k", "point"),
        ("k", "range"),
    ]
    assert made["plans"][0]["nodes"] == ["Aggregate", "Index Scan"]
    explained = [s for s in session.statements if s.startswith("EXPLAIN")]
    assert explained[1].endswith(
        "SELECT public.sum(k) FROM public.sbtest1 WHERE id >= 1 AND id <= 100"
    )
    assert "'::public.enc_int4 AND k OPERATOR(public.<=) '" in explained[3]
    plain = Session(types={**TYPES, "k": "integer"})
    facts(tmp_path, plain)
    (by_k,) = [s for s in plain.statements if "WHERE k >=" in s]
    assert by_k.endswith("SELECT SUM(k) FROM public.sbtest1 WHERE k >= 1 AND k <= 100")


def test_searches_of_encrypted_indexes(tmp_path: Path) -> None:
    session = Session()
    made = facts(tmp_path, session)
    assert made["searches"] == [{"lookup": "k", "transitions": 3}]
    (asked,) = [s for s in session.statements if s.startswith("SELECT c FROM")]
    literal = asked.partition("WHERE k OPERATOR(public.=) '")[2].removesuffix("'::public.enc_int4")
    assert unseal(base64.b64decode(literal), KEY) == "0", "which no workload writes"
    scanned = Session(plan=[{"Plan": {"Node Type": "Seq Scan"}}])
    assert facts(tmp_path, scanned)["searches"] == []
    assert not any(s.startswith("SELECT c FROM") for s in scanned.statements), "it may take long"


def test_a_marker_that_is_sealed_and_one_that_is_not(tmp_path: Path) -> None:
    made = facts(tmp_path, Session())
    assert [(one["path"], one["found"]) for one in made["marker"]] == [
        ("base/1/heap", False),
        ("base/1/index", False),
    ]
    (tmp_path / "base" / "1" / "index").write_bytes(b"x" + hidden(MARKER).encode())
    made = facts(tmp_path, Session())
    assert [one["found"] for one in made["marker"]] == [False, True]


class Failing(Session):
    """Fails a kind of statement with that error."""

    def __init__(self, fails: str, error: SqlError) -> None:
        super().__init__()
        self.fails, self.error = fails, error

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Any]:
        if statement.startswith(self.fails):
            raise self.error
        return super().rows(statement, arguments)


def test_a_server_that_cannot_open_what_the_agent_seals(tmp_path: Path) -> None:
    session = Failing("CREATE INDEX", StatementRefused("the key does not open a value"))
    made = look(tmp_path).seen(lambda: session, TABLE, MARKER, lambda: None)
    assert made["refused"] == "the key does not open a value"
    assert (made["types"], made["row"]["digest"]) == ({}, None)


def test_a_server_that_is_away_or_too_slow_has_refused_nothing(tmp_path: Path) -> None:
    sessions = [Failing("VACUUM", SqlError("timed out")), Session()]
    with pytest.raises(SqlError, match="timed out"):
        look(tmp_path).seen(lambda: sessions.pop(0), TABLE, MARKER, lambda: None)


def test_the_marker_reaches_the_server_sealed_alone(tmp_path: Path) -> None:
    statements = [text for text, _ in look(tmp_path).plant(TABLE, MARKER)]
    assert statements[0] == (
        f"CREATE TABLE encbench_agent.{TABLE}_sealed (marker public.enc_text NOT NULL)"
    )
    assert [text.split()[0] for text in statements[-2:]] == ["CREATE", "VACUUM"]
    values = {text.split("'")[1] for text in statements if text.startswith("INSERT")}
    assert len(values) == 16
    assert {unseal(base64.b64decode(value), KEY) for value in values} == {hidden(MARKER)}
    assert not any(MARKER in text or hidden(MARKER) in text for text in statements)
