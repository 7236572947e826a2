"""A strict proxy in front of a real server leaks no chosen value, whatever the statement.

What is looked at is every byte that the proxy sent, not what a client makes of it.
"""

from collections.abc import Iterator

import pytest
from cryptography.exceptions import InvalidTag

from tests.contract.columns import corpus
from tests.contract.columns.servers import Server
from tests.contract.columns.wire import PING, WITH_CURSOR, Result, ServerError, Wire
from tests.support import confidential
from tests.support.confidential import AES, SM4, Recorder, is_envelope, opened

NAME = (b"secret", b"name")
SECRETS = (corpus.MARKER.encode(), corpus.NUMBER.encode())
NO_CURSOR = 0x02
"""A flag of EXECUTE that servers ignore."""


@pytest.fixture(scope="module", params=[AES, SM4])
def recorder(request: pytest.FixtureRequest, server: Server) -> Iterator[Recorder]:
    """What is on the wire between a strict proxy and its clients."""
    with server.proxy(corpus.COLUMNS, request.param) as proxy:
        with confidential.recording(proxy.port) as made:
            yield made
        assert proxy.said == ""


def shown(results: list[Result]) -> bytes:
    """All names and values of results, one after the other."""
    names = [name for one in results for column in one.columns for name in column.names]
    return b"|".join(
        [*names, *(value or b"NULL" for one in results for row in one.rows for value in row)]
    )


def compared(plain: list[Result], sealed: list[Result], *, texts: list[Result]) -> int:
    """Both are the same but for envelopes, which hold the text form; how many there were."""
    found = 0
    assert len(plain) == len(sealed) == len(texts)
    for before, after, text in zip(plain, sealed, texts, strict=True):
        assert len(before.rows) == len(after.rows)
        for rows in zip(before.rows, after.rows, text.rows, strict=True):
            columns = zip(before.columns, after.columns, strict=True)
            for (column, announced), *values in zip(columns, *rows, strict=True):
                direct, seen, as_text = values
                if not is_envelope(seen):
                    assert seen == direct
                    continue
                found += 1
                assert isinstance(seen, bytes)
                envelope = opened(seen, announced.origin)
                assert envelope.text == as_text
                assert (envelope.kind, envelope.decimals) == (column.kind, column.decimals)
                assert (envelope.flags, envelope.charset) == (column.flags, column.charset)
    return found


def clean(recorder: Recorder) -> None:
    for secret in SECRETS:
        assert secret not in recorder.seen


def prepared(wire: Wire, statement: str) -> list[Result]:
    made = wire.prepare(statement)
    results = wire.execute(made.number)
    wire.command(0x19, made.number.to_bytes(4, "little"))
    return results


@pytest.mark.parametrize("statement", corpus.LEAKS)
def test_by_both_protocols(
    server: Server, recorder: Recorder, capabilities: int, statement: str
) -> None:
    ordered = "RAND" not in statement
    with server.wire(capabilities=capabilities) as direct:
        text, binary = direct.query(statement), prepared(direct, statement)
    assert any(secret in shown(text) for secret in SECRETS), "the statement shows none"
    recorder.clear()
    with server.wire(recorder.port, capabilities) as wire:
        sealed = wire.query(statement), prepared(wire, statement)
    clean(recorder)
    assert confidential.MAGIC in recorder.seen
    if ordered:
        assert compared(text, sealed[0], texts=text) > 0
        assert compared(binary, sealed[1], texts=text) > 0


@pytest.mark.parametrize("number", range(max(map(len, corpus.OWN.values()))))
def test_of_one_engine(server: Server, recorder: Recorder, capabilities: int, number: int) -> None:
    if number >= len(corpus.OWN[server.engine]):
        pytest.skip("this engine has fewer")
    statement = corpus.OWN[server.engine][number]
    reads = not statement.startswith(("INSERT", "DELETE"))
    recorder.clear()
    with server.wire(recorder.port, capabilities) as wire:
        wire.query(statement)
    clean(recorder)
    assert confidential.MAGIC in recorder.seen
    if reads:
        with server.wire(capabilities=capabilities) as direct:
            assert any(secret in shown(direct.query(statement)) for secret in SECRETS)


@pytest.mark.parametrize("statement", corpus.TEXT_ONLY)
def test_by_several_results(
    server: Server, recorder: Recorder, capabilities: int, statement: str
) -> None:
    with server.wire(capabilities=capabilities) as direct:
        plain = direct.query(statement)
    assert any(secret in shown(plain) for secret in SECRETS), "the statement shows none"
    recorder.clear()
    with server.wire(recorder.port, capabilities) as wire:
        sealed = wire.query(statement)
    clean(recorder)
    assert compared(plain, sealed, texts=plain) > 0


@pytest.mark.parametrize(("statement", "rows"), corpus.OPEN)
def test_what_is_not_chosen_is_plain(
    server: Server, recorder: Recorder, statement: str, rows: list[list[bytes]] | None
) -> None:
    with server.wire(recorder.port) as wire:
        (result,) = wire.query(statement)
    if rows is None:
        assert all(is_envelope(value) for row in result.rows for value in row)
    else:
        assert result.rows == rows


def test_out_parameters(server: Server, recorder: Recorder, capabilities: int) -> None:
    recorder.clear()
    with server.wire(recorder.port, capabilities) as wire:
        statement = wire.prepare("CALL gives(?)")
        results = wire.execute(statement.number, (b"x",))
    (value,), (column,) = results[0].rows[0], results[0].columns
    assert value is not None
    print(f"an output parameter's origin: {column.origin}")
    assert opened(value, column.origin).text.startswith(SECRETS[0])
    clean(recorder)


@pytest.mark.parametrize("column", ["name", "name AS x", "(name)"])
def test_rows_of_a_cursor(
    server: Server, recorder: Recorder, capabilities: int, column: str
) -> None:
    """The server names its columns after the table that keeps the rows: none is in plaintext."""
    query = f"SELECT id, {column} FROM secret WHERE id < 3 ORDER BY id"  # noqa: S608
    recorder.clear()
    with server.wire(recorder.port, capabilities) as wire:
        statement = wire.prepare(query)
        (opening,) = wire.execute(statement.number, cursor=1)
        assert opening.rows == []
        fetched = [wire.fetch(statement.number, opening.columns, 1) for _ in range(2)]
        with pytest.raises(ServerError):
            wire.fetch(statement.number + 1, opening.columns, 1)
        wire.simple(0x1A, statement.number.to_bytes(4, "little"))
    for result, number, which in zip(fetched, (b"1", b"2"), ("one", "two"), strict=True):
        (row,) = result.rows
        columns = zip(opening.columns, row, strict=True)
        texts = [opened(value or b"", announced.origin).text for announced, value in columns]
        assert texts == [number, f"{corpus.MARKER}{which}".encode()]
    clean(recorder)


@pytest.mark.parametrize(
    ("statement", "flags"),
    [
        ("CALL scrolls()", WITH_CURSOR),
        ("CALL scrolls()", NO_CURSOR),
        ("SELECT '' AS a, name FROM secret WHERE id = scrolled()", NO_CURSOR),
    ],
)
def test_a_routine_s_cursor_is_not_the_client_s(
    server: Server, recorder: Recorder, capabilities: int, statement: str, flags: int
) -> None:
    """The server says that there is one, and sends rows all the same."""
    with server.wire(capabilities=capabilities) as direct:
        text = direct.query(statement)
        plain = direct.execute(direct.prepare(statement).number, cursor=flags)
    recorder.clear()
    with server.wire(recorder.port, capabilities) as wire:
        sealed = wire.execute(wire.prepare(statement).number, cursor=flags)
        wire.simple(PING)
    clean(recorder)
    assert compared(plain, sealed, texts=text) > 0


def test_announced_as_binary_strings(server: Server, recorder: Recorder, capabilities: int) -> None:
    query = "SELECT id, num, name FROM secret"
    with server.wire(capabilities=capabilities) as direct:
        (plain,) = direct.query(query)
    with server.wire(recorder.port, capabilities) as wire:
        (result,) = wire.query(query)
        statement = wire.prepare(query)
        (executed,) = wire.execute(statement.number)
    assert statement.columns == result.columns == executed.columns
    assert result.columns[0] == plain.columns[0]
    for before, after in zip(plain.columns[1:], result.columns[1:], strict=True):
        assert (after.kind, after.charset, after.flags & 0x80) == (0xFD, 63, 0x80)
        assert after.flags & 0x8970 == 0
        assert after.flags & 0x0F == before.flags & 0x0F
        assert after.length >> 24 == 0x40 | before.kind & 0x3F
        assert after.length & 0xFFFF == min(before.length, 0xFFFF)
        assert before.names == after.names


@pytest.mark.parametrize("more", [(), ("--permissive",)], ids=["strict", "permissive"])
def test_names_in_another_character_set(server: Server, more: tuple[str, ...]) -> None:
    """The server then writes the names in it, and they match no rule: they count as chosen."""
    with (
        server.proxy(corpus.COLUMNS, AES, *more) as proxy,
        confidential.recording(proxy.port) as recorder,
        server.wire(recorder.port) as wire,
    ):
        wire.query("SET character_set_results = utf16")
        (result,) = wire.query("SELECT name, num FROM secret WHERE id = 1")
        assert all(is_envelope(value) for value in result.rows[0])
        assert corpus.MARKER.encode("utf-16-be") not in recorder.seen
        clean(recorder)


@pytest.mark.parametrize("more", [(), ("--permissive",)], ids=["strict", "permissive"])
def test_a_name_that_a_character_set_lacks(server: Server, more: tuple[str, ...]) -> None:
    """In swe7 there is no `@`, for which the server writes a `?`."""
    with (
        server.proxy(f"{corpus.COLUMNS}mails.e@mail\n", AES, *more) as proxy,
        confidential.recording(proxy.port) as recorder,
        server.wire(recorder.port) as wire,
    ):
        for charset in ("utf8mb4", "swe7"):
            wire.query(f"SET character_set_results = {charset}")
            (result,) = wire.query("SELECT `e@mail` FROM mails")
            assert all(is_envelope(value) for value in result.rows[0])
        assert result.columns[0].org_name == b"e?mail"
        clean(recorder)


@pytest.mark.parametrize("statement", corpus.ERRORS)
def test_texts_of_errors(server: Server, recorder: Recorder, statement: str) -> None:
    """What a server says of an error can be a chosen value; its number is left."""
    with server.wire() as direct, pytest.raises(ServerError, match=corpus.MARKER) as plain:
        direct.query(statement)
    recorder.clear()
    with (
        server.wire(recorder.port) as wire,
        pytest.raises(ServerError, match="withholds") as sealed,
    ):
        wire.query(statement)
    assert sealed.value.args[0] == plain.value.args[0]
    clean(recorder)


def test_an_error_while_a_cursor_opens(
    server: Server, recorder: Recorder, capabilities: int
) -> None:
    """The server has sent the definitions by then; the session goes on."""
    with server.wire(recorder.port, capabilities) as wire:
        several = wire.prepare("SELECT (SELECT name FROM secret)")
        with pytest.raises(ServerError, match=r"1242.*withholds"):
            wire.execute(several.number, cursor=WITH_CURSOR)
        wire.simple(PING)


def test_warnings_show_level_and_number(server: Server, recorder: Recorder) -> None:
    """Drivers read these two after many statements; the text may hold a value."""
    recorder.clear()
    with server.wire(recorder.port) as wire:
        wire.query("SELECT CAST(name AS SIGNED) FROM secret WHERE id = 1")
        (result,) = wire.query("SHOW WARNINGS")
    (level, number, text), *_ = result.rows
    assert (level, number) == (b"Warning", b"1292")
    assert corpus.MARKER.encode() in opened(text or b"").text
    clean(recorder)


def test_nonces_are_never_used_twice(server: Server, recorder: Recorder) -> None:
    nonces = []
    for _ in range(3):
        with server.wire(recorder.port) as wire:
            for _ in range(3):
                (result,) = wire.query("SELECT name, num, txt, doc FROM secret WHERE id < 3")
                for row in result.rows:
                    for column, value in zip(result.columns, row, strict=True):
                        envelope = opened(value or b"", column.origin)
                        nonces.append((envelope.key_id, envelope.nonce))
    assert len(nonces) == len(set(nonces)) == 72
    assert len({key_id for key_id, _ in nonces}) == 3, "each connection has a key of its own"


def test_a_value_opens_in_its_own_column_alone(server: Server, recorder: Recorder) -> None:
    with server.wire(recorder.port) as wire:
        (result,) = wire.query("SELECT name, num, UPPER(name) FROM secret WHERE id = 1")
    name, number, derived = (value or b"" for value in result.rows[0])
    assert opened(name, NAME).text.startswith(SECRETS[0])
    for value, origin in (
        (name, (b"secret", b"num")),
        (name, (b"plain", b"name")),
        (name, (b"", b"")),
        (number, NAME),
        (derived, NAME),
    ):
        with pytest.raises(InvalidTag):
            opened(value, origin)


def test_permissive_is_for_rules_alone(server: Server) -> None:
    with (
        server.proxy(corpus.COLUMNS, AES, "--permissive") as proxy,
        server.wire(proxy.port) as wire,
    ):
        (result,) = wire.query("SELECT name, UPPER(name) FROM secret WHERE id = 1")
    chosen, derived = result.rows[0]
    assert is_envelope(chosen)
    assert derived == corpus.MARKER.upper().encode() + b"ONE"
