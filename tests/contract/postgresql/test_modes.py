"""The agent beside a real PostgreSQL: facts, evidence, and what they prove."""

import time
from pathlib import Path

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.engines.registry import engine
from encbench.ports import Unavailable
from encbench.reconcile.testbed.provision import is_version
from tests.contract.database.harness import agent
from tests.contract.postgresql.modes import MODES
from tests.support.postgres import Postgres

JUDGE = engine("postgresql").judge


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(mode: str, request: pytest.FixtureRequest) -> Postgres:
    found = request.getfixturevalue(f"{mode}_server")
    assert isinstance(found, Postgres)
    return found


async def test_the_server_says_what_it_is(plaintext_server: Postgres) -> None:
    async with agent(plaintext_server, MODES["plaintext"]) as there:
        first, second = await there.server(), await there.server()
    assert first["version"] == plaintext_server.admin("SHOW server_version")[0][0].split()[0]
    assert is_version(first["version"], first["version"].split(".")[0])
    assert is_version(first["version"], first["version"])
    assert first["settings"]["shared_buffers"] == "64MB"
    assert first["settings"]["data_directory"] == plaintext_server.layout.data
    assert first["startedAt"] == second["startedAt"] < time.time()
    assert first["processId"] == second["processId"]


@pytest.mark.parametrize("full", [False, True])
async def test_the_mode_in_force_is_proven_and_no_other(
    server: Postgres, mode: str, full: bool
) -> None:
    async with agent(server, MODES[mode]) as there:
        evidence = await there.evidence(1, full=full)
    for name, spec in MODES.items():
        proof = JUDGE(evidence, EncryptionModeSpec.model_validate(spec), full=full)
        assert proof.ok is (name == mode), proof.summary
    assert (len(evidence["files"]) > 1) is full
    found = {file["kind"] for file in evidence["files"] if file["found"]}
    assert found == ({"table", "redo"} if full else {"table"})


async def test_the_marker_leaves_no_table_behind(plaintext_server: Postgres) -> None:
    async with agent(plaintext_server, MODES["plaintext"]) as there:
        first = await there.evidence(3, full=False)
        second = await there.evidence(4, full=True)
    assert first["markerFile"] not in [file["path"] for file in second["files"] if file["bytes"]]
    left = plaintext_server.admin("SELECT relname FROM pg_class WHERE relname LIKE 'encbench_mar%'")
    assert left == []


async def test_what_an_interrupted_proof_left_is_removed(plaintext_server: Postgres) -> None:
    async with agent(plaintext_server, MODES["plaintext"]) as there:
        await there.evidence(5, full=False)
        plaintext_server.admin(
            "CREATE TABLE encbench_agent.encbench_marker_0123456789abcdef (marker text)",
            "ALTER TABLE encbench_agent.encbench_marker_0123456789abcdef OWNER TO encbench_agent",
        )
        await there.evidence(6, full=False)
    left = plaintext_server.admin("SELECT relname FROM pg_class WHERE relname LIKE 'encbench_mar%'")
    assert left == []


async def test_a_proof_writes_no_other_page_and_settling_does(plaintext_server: Postgres) -> None:
    """Else a trial would begin with clean buffers by way of its proof."""
    plaintext_server.admin(
        "ALTER SYSTEM SET checkpoint_timeout = '1d'",
        "SELECT pg_reload_conf()",
        "CREATE TABLE dirt (filling text)",
        "INSERT INTO dirt SELECT repeat('x', 500) FROM generate_series(1, 5000)",
    )
    file = plaintext_server.admin("SELECT pg_relation_filepath('dirt')")[0][0]
    try:
        async with agent(plaintext_server, MODES["plaintext"]) as there:
            await there.evidence(7, full=False)
            assert not written(plaintext_server, file)
            said = await there.database.settle(there.address, there.access)
        assert said["settled"] is True
        assert written(plaintext_server, file)
    finally:
        plaintext_server.admin(
            "DROP TABLE dirt", "ALTER SYSTEM RESET checkpoint_timeout", "SELECT pg_reload_conf()"
        )


def written(server: Postgres, file: str) -> bool:
    return b"xxxx" in Path(server.layout.data, file).read_bytes()


async def test_a_server_that_does_not_answer_is_unavailable(plaintext_server: Postgres) -> None:
    async with agent(plaintext_server, MODES["plaintext"]) as there:
        plaintext_server.stop()
        try:
            with pytest.raises(Unavailable):
                await there.server()
            with pytest.raises(Unavailable):
                await there.evidence(8, full=False)
        finally:
            plaintext_server.start()
        assert (await there.server())["processId"]
