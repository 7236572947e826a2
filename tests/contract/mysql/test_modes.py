"""The agent beside a real MySQL: facts, evidence, and what they prove."""

import signal
import time
from pathlib import Path

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.engines.mysql import catalogue
from encbench.engines.registry import engine
from tests.contract.database.harness import MARKER, agent
from tests.contract.database.proving import prove
from tests.contract.mysql.modes import ALL, MODES
from tests.support.mysql import MySQL, running
from tests.support.search import files_with
from tests.support.subset import chosen
from tests.support.testbeds import PLAINTEXT

JUDGE = engine("mysql").judge


@pytest.fixture(params=chosen(MODES, "plaintext", "tde"))
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(mode: str, request: pytest.FixtureRequest) -> MySQL:
    found = request.getfixturevalue(f"{mode}_server")
    assert isinstance(found, MySQL)
    return found


async def test_the_server_says_what_it_is(plaintext_server: MySQL) -> None:
    async with agent(plaintext_server, PLAINTEXT) as there:
        first, second = await there.server(), await there.server()
    assert first["version"].startswith("9.7.")
    assert first["settings"]["datadir"] == f"{plaintext_server.layout.data}/"
    assert first["startedAt"] == second["startedAt"] < time.time()
    assert first["processId"] == second["processId"]


@pytest.mark.parametrize("full", [False, True])
async def test_the_mode_in_force_is_proven_and_no_other(
    server: MySQL, mode: str, full: bool
) -> None:
    async with agent(server, MODES[mode]) as there:
        evidence = await there.evidence(1, full=full)
    for name, spec in MODES.items():
        proof = JUDGE(evidence, EncryptionModeSpec.model_validate(spec), full=full)
        assert proof.ok is (name == mode), proof.summary
    assert (len(evidence["files"]) > 1) is full


READABLE = {
    "plaintext": {"table", "redo", "binlog", "doublewrite"},
    "tde": set(),
    "tables": {"redo", "binlog"},
    "rest": {"table", "doublewrite"},
}
ECHOED = {
    "plaintext": {"table", "redo", "binlog", "doublewrite", "undo", "system"},
    "tde": set(),
    "tables": {"redo", "binlog", "doublewrite", "undo", "system"},
    "rest": {"table", "doublewrite"},
}


async def test_where_marker_and_echo_are_readable(server: MySQL, mode: str) -> None:
    """By our own look at the files while the marker's table is there, not by the agent's search."""
    async with agent(server, MODES[mode]) as there:
        evidence = await there.evidence(2, full=True)
    found = {file["kind"] for file in evidence["files"] if file["found"]}
    echoed = {file["kind"] for file in evidence["files"] if file.get("echoed")}
    assert found == READABLE[mode]
    assert echoed == ECHOED[mode]
    left = _kinds_with(server, MARKER.format(2).encode())
    assert left <= READABLE[mode]
    assert {"redo", "binlog"} & READABLE[mode] <= left


def _kinds_with(server: MySQL, text: bytes) -> set[str]:
    root = Path(server.layout.volume)
    return {catalogue.kind_of(path.relative_to(root).as_posix()) for path in files_with(root, text)}


async def test_the_marker_leaves_no_table_behind(tde_server: MySQL) -> None:
    async with agent(tde_server, ALL) as there:
        first = await there.evidence(3, full=False)
        second = await there.evidence(4, full=True)
    left = [file["path"] for file in second["files"] if first["markerTable"] in file["path"]]
    assert left == []
    assert tde_server.admin("SHOW TABLES IN sbtest LIKE 'encbench_mar%'") == []


async def test_a_settled_server_has_nothing_of_its_tables_left_to_write(tde_server: MySQL) -> None:
    tde_server.fill(8)
    try:
        async with agent(tde_server, ALL) as there:
            said = await there.database.settle(there.address, there.access)
        question = "SELECT COUNT(*) FROM sbtest.filling"
        assert said["settled"] is True
        assert tde_server.admin(question) == [(36_000,)]
        # The export's own file, with the key of an encrypted table, went with the lock.
        assert _tables(tde_server) == ["filling.ibd"]
    finally:
        tde_server.admin("DROP TABLE sbtest.filling")


def test_temporary_tables_are_in_plaintext_under_tde(tde_server: MySQL) -> None:
    """What the judge exempts, measured: MySQL cannot encrypt it."""
    statements = (
        "CREATE TEMPORARY TABLE rows_ (id INT AUTO_INCREMENT PRIMARY KEY, pad VARCHAR(200))",
        "SET SESSION cte_max_recursion_depth = 500000",
        # More than the buffer pool holds.
        "INSERT INTO rows_ (pad) WITH RECURSIVE seq AS (SELECT 1 AS n UNION ALL "
        "SELECT n + 1 FROM seq WHERE n < 450000) "
        "SELECT CONCAT(REPEAT('temporary-marker-', 9), n) FROM seq",
    )
    with tde_server.session() as session, session.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        assert _kinds_with(tde_server, b"temporary-marker-") == {"temporary"}


@pytest.mark.full
async def test_a_database_stays_what_it_is_until_it_is_half_built() -> None:
    """Proven after either end; made anew, with its keyring, where no mark says it was whole."""
    with running(ALL) as server:
        server.admin(
            "CREATE TABLE sbtest.kept (id INT PRIMARY KEY, pad CHAR(36))",
            "INSERT INTO sbtest.kept WITH RECURSIVE seq AS (SELECT 1 AS n UNION ALL "
            "SELECT n + 1 FROM seq WHERE n < 1000) SELECT n, REPEAT('x', 36) FROM seq",
        )
        made = _keyring(server)
        for number, how in ((1, signal.SIGTERM), (2, signal.SIGKILL)):
            server.stop(how)
            server.initialise()
            server.start()
            assert server.admin("SELECT COUNT(*) FROM sbtest.kept") == [(1000,)]
            assert _keyring(server) == made
            proof = await prove(server, ALL, number, full=True)
            assert proof.ok, proof.summary
        server.stop()

        _break_off(server)
        server.initialise()
        server.start()
        assert server.admin("SHOW TABLES IN sbtest") == []
        assert _keyring(server) != made


def _keyring(server: MySQL) -> bytes:
    return Path(server.layout.keyring).read_bytes()


def _break_off(server: MySQL) -> None:
    """As if the init container had been killed in the middle."""
    Path(server.layout.volume, "initialised").unlink()
    Path(server.layout.data, "mysql.ibd").unlink()


def _tables(server: MySQL) -> list[str]:
    return sorted(path.name for path in Path(server.layout.data, "sbtest").iterdir())
