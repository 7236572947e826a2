"""Every type by both protocols: an envelope holds the value's text form and says its type."""

import struct

import pytest

from tests.contract.columns.servers import Server
from tests.contract.columns.wire import Column, Result
from tests.support.confidential import AES, SM4, is_envelope, opened

QUERY = "SELECT * FROM types ORDER BY id"
FLOAT, DOUBLE = 4, 5


def chosen(server: Server) -> str:
    """Every column of the table but its key."""
    with server.wire() as direct:
        (result,) = direct.query(QUERY)
    names = [column.org_name.decode() for column in result.columns[1:]]
    return "".join(f"types.{name}\n" for name in names)


def same_number(kind: int, text: bytes, other: bytes) -> bool:
    """Whether both are the same number; a float's text form has fewer digits than it."""
    if kind == DOUBLE:
        return float(text) == float(other)
    return struct.pack("<f", float(text)) == struct.pack("<f", float(other)) or (
        abs(float(text) - float(other)) <= 1e-5 * abs(float(other))
    )


def held(column: Column, sealed: bytes | None, text: bytes | None) -> None:
    if sealed is None or text is None:
        assert sealed is text
        return
    envelope = opened(sealed, column.origin)
    assert (envelope.kind, envelope.decimals) == (column.kind, column.decimals)
    assert (envelope.flags, envelope.charset) == (column.flags, column.charset)
    if column.kind in (FLOAT, DOUBLE):
        assert same_number(column.kind, envelope.text, text)
    else:
        assert envelope.text == text, column


@pytest.mark.parametrize("algorithm", [AES, SM4])
def test_every_type(server: Server, capabilities: int, algorithm: str) -> None:
    with server.wire(capabilities=capabilities) as direct:
        (plain,) = direct.query(QUERY)
        (binary,) = direct.execute(direct.prepare(QUERY).number)
    assert len(plain.rows) == 4
    with (
        server.proxy(chosen(server), algorithm) as proxy,
        server.wire(proxy.port, capabilities) as wire,
    ):
        (text,) = wire.query(QUERY)
        (executed,) = wire.execute(wire.prepare(QUERY).number)
    for result, keys in ((text, plain), (executed, binary)):
        for rows in zip(result.rows, keys.rows, plain.rows, strict=True):
            assert rows[0][0] == rows[1][0]
            for column, sealed, value in zip(
                plain.columns[1:], rows[0][1:], rows[2][1:], strict=True
            ):
                assert sealed is None or is_envelope(sealed)
                held(column, sealed, value)


def test_a_double_reads_back_the_same(server: Server) -> None:
    with server.wire() as direct:
        (binary,) = direct.execute(
            direct.prepare("SELECT db, fl FROM types WHERE id IN (2, 4)").number
        )
    with server.proxy(chosen(server)) as proxy, server.wire(proxy.port) as wire:
        statement = wire.prepare("SELECT db, fl FROM types WHERE id IN (2, 4)")
        (sealed,) = wire.execute(statement.number)
    for before, after in zip(binary.rows, sealed.rows, strict=True):
        double, single = (
            float(opened(value or b"", column.origin).text)
            for value, column in zip(after, sealed.columns, strict=True)
        )
        assert [struct.pack("<d", double), struct.pack("<f", single)] == before


def test_some_columns_of_a_binary_row(server: Server, capabilities: int) -> None:
    """Those that are not chosen keep their bytes beside envelopes, in every type."""
    with server.wire(capabilities=capabilities) as direct:
        (plain,) = direct.execute(direct.prepare(QUERY).number)
    names = [column.org_name.decode() for column in plain.columns]
    for parity in (0, 1):
        rules = "".join(f"types.{name}\n" for name in names[parity::2])
        with server.proxy(rules) as proxy, server.wire(proxy.port, capabilities) as wire:
            (sealed,) = wire.execute(wire.prepare(QUERY).number)
        _every_second(plain, sealed, parity)


def _every_second(plain: Result, sealed: Result, parity: int) -> None:
    for before, after in zip(plain.rows, sealed.rows, strict=True):
        for number, (direct, seen) in enumerate(zip(before, after, strict=True)):
            if number % 2 == parity:
                assert (seen is None) == (direct is None)
                assert seen is None or is_envelope(seen)
            else:
                assert seen == direct
