"""Our client with the encrypting driver: known rows read through it, URLs that hold a secret."""

import hashlib
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from encbench.core.connection import DATABASE
from tests.contract.tpcc.program import DRIVERS, Done, Program
from tests.support import mariadb, mysql
from tests.support.subset import first_of
from tests.support.tpcc import loaded

OURS = "io.encbench.jdbc.EncbenchDriver"
ENGINES: dict[str, Callable[..., AbstractContextManager[Any]]] = {
    "mariadb": mariadb.running,
    "mysql": mysql.running,
}
ROWS = {
    "config": ("cfg_name = 'warehouses'", ()),
    "warehouse": ("w_id = 1", ("w_ytd",)),
    "district": ("d_w_id = 1 AND d_id = 1", ("d_ytd", "d_next_o_id")),
    "customer": (
        "c_w_id = 1 AND c_d_id = 1 AND c_id = 1",
        ("c_balance", "c_ytd_payment", "c_payment_cnt", "c_delivery_cnt", "c_data"),
    ),
    "history": ("hist_id = (SELECT MIN(hist_id) FROM @bmsql_history)", ()),
    "new_order": ("no_w_id = 1 AND no_d_id = 1 AND no_o_id = 3000", ()),
    "oorder": ("o_w_id = 1 AND o_d_id = 1 AND o_id = 1", ()),
    "order_line": ("ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 1 AND ol_number = 1", ()),
    "item": ("i_id = 1", ()),
    "stock": ("s_w_id = 1 AND s_i_id = 1", ("s_quantity", "s_ytd", "s_order_cnt", "s_remote_cnt")),
}
"""docs/design/0007-columns.md, once more and by hand: the row, and the columns that change."""


@pytest.fixture(scope="module", params=first_of(ENGINES))
def program(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Program]:
    """A server with one warehouse."""
    with ENGINES[request.param]({}, dataset=loaded(1)) as server:
        yield Program(server, tmp_path_factory.mktemp("columns"), 1)


def url(program: Program) -> str:
    """Of our driver around the engine's own."""
    _, _, scheme, tls = DRIVERS[program.server.engine]
    port = program.server.layout.port
    return f"jdbc:encbench:jdbc:{scheme}://127.0.0.1:{port}/{DATABASE}?{tls}"


def run(program: Program, **properties: object) -> Done:
    """A short run through our driver."""
    whole = {"driver": OURS, "terminals": 2, "runSeconds": 2, "probeColumns": "true", **properties}
    if "connFile" in whole:
        whole["conn"] = ""
    else:
        whole["conn"] = url(program)
    return program.run("run", **whole)


def digest(program: Program, table: str) -> str:
    """What the design says that the client prints."""
    condition, changed = ROWS[table]
    schema = program.server.admin(
        "SELECT column_name FROM information_schema.columns WHERE table_schema = "  # noqa: S608
        f"'{DATABASE}' AND table_name = 'bmsql_{table}' ORDER BY ordinal_position"
    )
    names = [name for (name,) in schema if name not in changed]
    values = [
        program.one(f"SELECT CAST({name} AS CHAR) FROM @bmsql_{table} WHERE {condition}")  # noqa: S608
        for name in names
    ]
    texts = ["\\N" if value is None else _text(value) for value in values]
    return hashlib.sha256("\x1f".join(texts).encode()).hexdigest()


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def probed(done: Done) -> list[list[str]]:
    """The words after the mark of each line about a known row."""
    lines = [line.split() for line in done.output.splitlines()]
    return [words[1:] for words in lines if words and words[0] == "encbench-columns"]


def test_known_rows_are_read_before_and_after_and_are_what_was_loaded(program: Program) -> None:
    wanted = [[f"bmsql_{table}", digest(program, table)] for table in ROWS]
    done = run(program)
    assert done.code == 0, done.said
    assert done.result["transactions"] > 0
    lines = probed(done)
    assert lines[: len(ROWS)] == wanted
    assert [line for line in lines[len(ROWS) :] if line[1] != "absent"] == [
        line for line, after in zip(wanted, lines[len(ROWS) :], strict=True) if after[1] != "absent"
    ]
    assert [table for table, said in lines if said == "absent"] in ([], ["bmsql_new_order"])
    begins = done.output.index('"event":"started"')
    assert done.output.index("encbench-columns") < begins < done.output.rindex("encbench-columns")
    assert done.named("started")[0]["driver"].startswith("encbench around ")


def test_another_value_is_another_digest(program: Program) -> None:
    before = digest(program, "item")
    program.admin("UPDATE @bmsql_item SET i_price = i_price + 1 WHERE i_id = 1")
    assert ["bmsql_item", before] not in probed(run(program))


def test_nothing_is_read_unless_it_is_asked_for(program: Program) -> None:
    assert probed(run(program, probeColumns="false")) == []


def test_a_url_from_a_file_is_never_printed(program: Program) -> None:
    secret = secrets.token_hex(16)
    file = program.folder / "url"
    file.write_text(f"{url(program)}&encbench.mekFile=/no/such/{secret}\n")
    done = run(program, connFile=file)
    assert done.code == 1
    assert secret not in done.output + done.said
    assert "the MEK file" in done.said


def test_a_key_that_is_none_ends_it_and_is_not_shown(program: Program, tmp_path: Path) -> None:
    key = secrets.token_hex(15)
    file = tmp_path / "mek"
    file.write_text(key)
    done = run(program, mekFile=file)
    assert done.code == 1
    assert "write a file of 32 hexadecimal digits, 16 bytes" in done.said
    assert key not in done.output + done.said
    file.write_text(secrets.token_hex(16) + "\n")
    good = run(program, mekFile=file)
    assert good.code == 0, good.said
    assert file.read_text().strip() not in good.output + good.said
