"""Proxy and driver together: what the one encrypts the other decrypts, getter by getter."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from encbench.core.connection import DATABASE
from tests.contract.columns.drivers import URLS
from tests.contract.columns.getters import TYPES, compared
from tests.contract.tpcc.program import DRIVERS, Program
from tests.support import confidential, encjdbc, mariadb, mysql
from tests.support.confidential import AES, SM4
from tests.support.subset import chosen, first_of
from tests.support.tpcc import loaded

ENGINES: dict[str, Callable[..., AbstractContextManager[Any]]] = {
    "mariadb": mariadb.running,
    "mysql": mysql.running,
}
MARK = "encbench-columns"


@pytest.fixture(scope="module", params=first_of(ENGINES))
def server(request: pytest.FixtureRequest) -> Iterator[Any]:
    with ENGINES[request.param]({}, dataset=loaded(1)) as running:
        yield running


def run_java(*words: str, program: str) -> subprocess.CompletedProcess[str]:
    """A test program, run to its end."""
    return subprocess.run(
        ["java", "-cp", encjdbc.class_path(), f"io.encbench.jdbc.{program}", *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def java(*words: str) -> str:
    """What the program that compares all getters says."""
    done = run_java(*words, program="ServerConformance")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("driver", chosen(URLS, "Connector/J, binary protocol", "MariaDB's"))
@pytest.mark.parametrize("algorithm", first_of([AES, SM4]))
def test_through_the_proxy_every_getter_gives_what_it_gives_without(
    server: Any, tmp_path: Path, driver: str, algorithm: str
) -> None:
    if server.engine == "mysql" and driver.startswith("MariaDB's"):
        pytest.skip("MySQL's default authentication needs a key or TLS of MariaDB's driver")
    (tmp_path / "password").write_text(server.credentials["password"])
    columns = java("columns")
    with confidential.running(tmp_path, server.layout.port, columns, algorithm) as proxy:
        direct, through = (
            URLS[driver].format(port=port, database=DATABASE)
            for port in (server.layout.port, proxy.port)
        )
        user = server.credentials["username"]
        words = ["through", user, f"{tmp_path}/password", f"{tmp_path}/mek", algorithm[:3]]
        *different, last = java(*words, direct, through).splitlines()
    assert different == []
    json = int(server.engine == "mysql")
    compared(last, types=TYPES + json)


CALLED = (
    "DROP TABLE IF EXISTS @called",
    "CREATE TABLE @called (id INT PRIMARY KEY, name VARCHAR(40) CHARACTER SET utf8mb4, "
    "amount DECIMAL(10,2))",
    "INSERT INTO @called VALUES (1, 'one', 1.5), (2, 'Grüße', 12.25)",
    "DROP PROCEDURE IF EXISTS @gives",
    "CREATE PROCEDURE @gives(IN wanted INT, OUT label VARCHAR(40) CHARACTER SET utf8mb4, "
    "OUT price DECIMAL(10,2)) BEGIN SELECT name, amount FROM called WHERE id = wanted; "
    "SELECT name, amount INTO label, price FROM called WHERE id = wanted; END",
    "DROP FUNCTION IF EXISTS @named",
    "CREATE FUNCTION @named(wanted INT) RETURNS VARCHAR(40) CHARACTER SET utf8mb4 "
    "DETERMINISTIC READS SQL DATA RETURN (SELECT name FROM called WHERE id = wanted)",
)
"""A procedure with a result and two output parameters, and a function."""
GIVEN = [
    *("row name: Grüße", "row text: Grüße", "row amount: 12.25"),
    *("out name: Grüße", "out text: Grüße", "out amount: 12.25", "function: Grüße"),
]


BY_ITSELF = {
    "mariadb": "fails: confidential-proxy withholds the text of this error",
    "mysql": 'fails: For input string: "ENC',
}
"""How Connector/J ends that finds ciphertext in the catalogue."""


def called(
    server: Any, folder: Path, driver: str, *options: str, more: str = ""
) -> dict[str, list[str]]:
    """What a program that calls both says, by the connection: directly or through a proxy."""
    server.admin(*(statement.replace("@", f"{DATABASE}.") for statement in CALLED))
    (folder / "password").write_text(server.credentials["password"])
    columns = "called\ncalled.name\ncalled.amount\n"
    with confidential.running(folder, server.layout.port, columns, AES, *options) as proxy:
        direct, through = (
            URLS[driver].format(port=port, database=DATABASE) + more
            for port in (server.layout.port, proxy.port)
        )
        user = server.credentials["username"]
        words = [user, f"{folder}/password", f"{folder}/mek", direct, through]
        done = run_java(*words, program="Calls")
    assert done.stderr == ""
    found: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        who, _, what = line.partition(": ")
        found.setdefault(who, []).append(what)
    return found


def test_a_call_gives_its_rows_and_no_output_parameters(server: Any, tmp_path: Path) -> None:
    """Through a strict proxy, where the inner driver receives envelopes.

    MariaDB's driver has output parameters under names that JDBC does not show; they are refused.
    """
    if server.engine == "mysql":
        pytest.skip("MySQL's default authentication needs a key or TLS of MariaDB's driver")
    found = called(server, tmp_path, "MariaDB's")
    assert found["direct"] == GIVEN
    sealed = [one for one in found["inner"] if one.endswith("envelope")]
    assert sealed == ["row name: envelope", "out name: envelope"]
    assert found["ours"][:3] == GIVEN[:3]
    assert {one.partition(": ")[2] for one in found["ours"][3:6]} == {"refused 28000"}
    assert found["ours"][6:] == GIVEN[6:]


NO_BODIES = "&noAccessToProcedureBodies=true"
"""Without it, Connector/J needs more rights at the server than a benchmark's user has."""


def test_connector_j_calls_with_our_driver_only(server: Any, tmp_path: Path) -> None:
    """By itself it asks the catalogue for the parameters first, and finds ciphertext there."""
    found = called(server, tmp_path, "Connector/J", more=NO_BODIES)
    assert found["ours"] == found["direct"] == GIVEN
    (fails,) = found["inner"]
    assert fails.startswith(BY_ITSELF[server.engine])
    assert "Grüße" not in fails


def test_without_strict_it_calls_by_itself_too(server: Any, tmp_path: Path) -> None:
    """The output parameters are expressions, which no rule names, so they pass."""
    found = called(server, tmp_path, "Connector/J", "--permissive", more=NO_BODIES)
    assert found["ours"] == found["direct"] == GIVEN
    assert found["inner"][0] == "row name: envelope"
    assert found["inner"][2] == "row amount: no number"
    assert found["inner"][3:] == GIVEN[3:]


@pytest.fixture(scope="module")
def program(server: Any, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """One warehouse, which was loaded past the proxy."""
    return Program(server, tmp_path_factory.mktemp("tpcc"), 1)


@pytest.mark.parametrize("algorithm", first_of([AES, SM4]))
def test_tpcc_runs_with_every_column_encrypted_and_reads_what_was_loaded(
    program: Program, tmp_path: Path, algorithm: str
) -> None:
    names = program.server.admin(
        "SELECT table_name, column_name FROM information_schema.columns "  # noqa: S608
        f"WHERE table_schema = '{DATABASE}' AND table_name LIKE 'bmsql%'"
    )
    columns = "".join(f"{table}.{column}\n" for table, column in names)
    # The proxy may take a table's own line as well: the tables that it has to know.
    columns += "".join(f"{table}\n" for table in sorted({table for table, _ in names}))
    _, _, scheme, tls = DRIVERS[program.server.engine]
    with confidential.running(tmp_path, program.server.layout.port, columns, algorithm) as proxy:
        inner = f"jdbc:{scheme}://127.0.0.1:{proxy.port}/{DATABASE}?{tls}"
        ours = {
            "driver": "io.encbench.jdbc.EncbenchDriver",
            "conn": f"jdbc:encbench:{inner}",
            "mekFile": tmp_path / "mek",
        }
        folder = tmp_path / "props"
        folder.mkdir()
        one = replace(program, folder=folder)
        direct = one.run("run", terminals=2, runTxnsPerTerminal=1, probeColumns="true")
        through = one.run("run", terminals=2, runSeconds=3, probeColumns="true", **ours)
        checked = one.run("check", **ours)
    assert direct.code == 0, direct.said
    assert through.code == 0, through.said
    assert through.result["transactions"] > 0
    assert through.result["errors"] == 0
    assert through.named("started")[0]["driver"].startswith("encbench around ")
    assert checked.code == 0, checked.said
    assert known(through.output) == known(direct.output)


def known(output: str) -> set[str]:
    """The lines about rows that were there."""
    lines = [line for line in output.splitlines() if line.startswith(MARK)]
    assert len(lines) == 20
    return {line for line in lines if "bmsql_new_order" not in line}
