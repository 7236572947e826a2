"""Generated statements, sent to a server and to a strict proxy before it: both give the same.

Of what the proxy sends, every chosen value is an envelope that opens to the server's own, and no
byte of one is seen. With all columns chosen there is nothing but envelopes. A failure shows the
seed and the statement; `ENCBENCH_FUZZ_SEED` repeats a run.
"""

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import pytest

from tests.contract.columns.servers import PASSWORD, USER, Server
from tests.contract.columns.wire import CLOSE, Column, Result, ServerError, Wire
from tests.contract.conformance import bank
from tests.contract.conformance.bank import all_columns, fresh
from tests.contract.conformance.statements import Generator, Statement
from tests.fuzz.budget import SEED
from tests.support import confidential
from tests.support.confidential import AES, SM4, Recorder, is_envelope, opened

SHORT, LONG = 2_000, 100_000
"""Statements in `make test` and in `make test-full`."""
OPEN = ("SELECT @@", "SHOW WARNINGS")
"""Statements of which a strict proxy leaves something in plaintext, whatever is chosen."""
FLOATING = {4, 5}
TRIES = 3
"""A plan may change between two executions, and with it the order of rows. Two sessions may even
differ as long as they live, because each keeps statistics of its open tables. One more
try therefore compares as loosely as SQL allows."""
LOOSE = 1 / 1_000
"""The share of statements that may need it."""
CHOSEN = {tuple(line.split(".")) for line in bank.SOME.splitlines() if "." in line}


@dataclass(frozen=True)
class Side:
    """A proxy's client: what it hears, and whether all columns are chosen."""

    wire: Wire
    recorder: Recorder
    everything: bool


@dataclass(frozen=True)
class Heard:
    """What answered a statement."""

    results: tuple[Result, ...] = ()
    error: int | None = None


def run(wire: Wire, statement: str, *, prepared: bool = False) -> Heard:
    """Run it; a prepared one is closed again."""
    try:
        if not prepared:
            return Heard(tuple(wire.query(statement)))
        made = wire.prepare(statement)
        results = wire.execute(made.number)
        wire.command(CLOSE, made.number.to_bytes(4, "little"))
        return Heard(tuple(results))
    except ServerError as error:
        return Heard(error=error.args[0])


@contextmanager
def sides(server: Server, algorithm: str) -> Iterator[tuple[Wire, list[Side]]]:
    """The server itself, and clients of two strict proxies: with some columns chosen, and all."""
    fresh(server)
    with ExitStack() as stack:
        found = []
        for columns in (bank.SOME, all_columns(server)):
            proxy = stack.enter_context(server.proxy(columns, algorithm))
            recorder = stack.enter_context(confidential.recording(proxy.port))
            wire = stack.enter_context(Wire(recorder.port, USER, PASSWORD, database=bank.DATABASE))
            found.append(Side(wire, recorder, everything=columns != bank.SOME))
        direct = Wire(server.port, USER, PASSWORD, database=bank.DATABASE)
        yield stack.enter_context(direct), found


def test_generated_statements(server: Server) -> None:
    checked(server, AES, int(os.environ.get(SEED, "1")), SHORT)


@pytest.mark.full
@pytest.mark.parametrize("algorithm", [AES, SM4])
def test_many_generated_statements(server: Server, algorithm: str) -> None:
    checked(server, algorithm, int(os.environ.get(SEED) or time.time()), LONG)


def checked(server: Server, algorithm: str, seed: int, count: int) -> None:
    """Run that many statements of a seed; each proxy gets every second group."""
    print(f"{SEED}={seed}")
    generator = Generator(seed)
    sent = valid = opened_values = group = loose = 0
    with sides(server, algorithm) as (direct, proxies):
        while sent < count:
            statements = generator.next()
            side = proxies[group % len(proxies)]
            group += 1
            where = f"{SEED}={seed}, {algorithm}: {[one.text for one in statements]}"
            for attempt in range(TRIES + 1):
                last = attempt == TRIES
                try:
                    good, values = alike(direct, side, statements, loosely=last)
                    if last:
                        loose += 1
                        print(f"loosely: {where}")
                    break
                except AssertionError as error:
                    if last:
                        raise AssertionError(f"{where}: {error}") from error
            sent += len(statements)
            valid += good
            opened_values += values
    print(f"{sent} statements, {valid} without an error; {opened_values} values opened")
    print(f"{loose} compared loosely")
    assert loose <= LOOSE * sent
    assert valid > 0.8 * sent
    assert opened_values > sent


def alike(
    direct: Wire, side: Side, statements: list[Statement], *, loosely: bool
) -> tuple[int, int]:
    """How many of the statements succeed, and how many values were opened."""
    plain = [run(direct, one.text) for one in statements]
    binary = [
        run(direct, one.text, prepared=True) if one.prepared else text
        for one, text in zip(statements, plain, strict=True)
    ]
    side.recorder.clear()
    sealed = [run(side.wire, one.text, prepared=one.prepared) for one in statements]
    values = 0
    for one, *answers in zip(statements, plain, binary, sealed, strict=True):
        values += compared(one, *answers, everything=side.everything, loosely=loosely)
    heard = bytes(side.recorder.seen).lower()
    for marker in bank.MARKERS:
        assert marker not in heard, f"{marker!r} was seen"
    return sum(one.error is None for one in plain), values


def compared(
    statement: Statement,
    plain: Heard,
    binary: Heard,
    sealed: Heard,
    *,
    everything: bool,
    loosely: bool,
) -> int:
    """How many values were opened."""
    assert sealed.error == plain.error
    assert len(sealed.results) == len(plain.results) == len(binary.results)
    found = 0
    for text, own, seen in zip(plain.results, binary.results, sealed.results, strict=True):
        assert len(seen.columns) == len(text.columns) == len(own.columns)
        width = range(len(seen.columns))
        closed = [n for n in width if any(is_envelope(row[n]) for row in seen.rows)]
        clear = [n for n in width if n not in closed]
        if not statement.text.startswith(OPEN):
            for number in clear:
                must = everything or tuple(map(bytes.decode, text.columns[number].origin)) in CHOSEN
                silent = all(row[number] is None for row in seen.rows)
                assert silent or not must, f"column {number + 1} is open"
        opened_rows = [[_opened(row[n], seen.columns[n]) for n in closed] for row in seen.rows]
        found += sum(value is not None for row in opened_rows for value in row)
        kinds = [text.columns[n].kind for n in closed]
        same(opened_rows, _of(text, closed), kinds, loosely=loosely)
        same(_of(seen, clear), _of(own, clear), [0 for _ in clear], loosely=loosely)
    return found


Row = list[bytes | None]


def _opened(value: bytes | None, column: Column) -> bytes | None:
    return None if value is None else opened(value, column.origin).text


def _of(result: Result, numbers: list[int]) -> list[Row]:
    return [[row[n] for n in numbers] for row in result.rows]


def same(seen: list[Row], wanted: list[Row], kinds: list[int], *, loosely: bool) -> None:
    """Both have the same values; loosely, in any order.

    Loosely also means that values are equal which the tables' collation takes for equal, because
    any of them may stand for a group, and between equal ones LIMIT cuts anywhere.
    """

    def value(text: bytes | None, kind: int) -> object:
        if text is None or kind not in FLOATING:
            return text.rstrip(b" ").lower() if loosely and text else text
        return float(text)

    one, other = ([tuple(map(value, row, kinds)) for row in rows] for rows in (seen, wanted))
    if loosely:
        assert Counter(one) == Counter(other)
    else:
        assert one == other
