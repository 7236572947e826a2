"""What every `ports.Agent` does, fake and real."""

import asyncio
import time
from contextlib import suppress

import pytest

from encbench.adapters.agent import HttpAgent
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.engines.registry import engine
from encbench.ports import Rejected, Unavailable
from encbench.wire import agent as wire
from tests.contract.database.harness import ServedAgent, agent
from tests.contract.database.modes import MODES
from tests.contract.database.proving import prove
from tests.support import sidecars
from tests.support.answers import whole
from tests.support.daemon import free_port
from tests.support.fake_agent import FakeAgent, FakeServer
from tests.support.mariadb import MariaDB, running
from tests.support.testbeds import PLAINTEXT

WRONG = sidecars.access("wrong")
FACTS = {
    "version",
    "startedAt",
    "processId",
    "settings",
    "kernel",
    "cpuModel",
    "cpuFlags",
    "hostname",
    "room",
    "clock",
}


async def test_the_server_says_what_it_is(either: ServedAgent) -> None:
    facts = await either.server()
    assert set(facts) - {"cpuGovernor"} == FACTS, "and the governor, where the machine shows it"
    assert facts["version"].startswith("10.11.")
    assert facts["settings"]["log_bin"] == "ON"
    assert abs(facts["clock"] - time.time()) < 5
    assert facts["startedAt"] < facts["clock"]
    assert 0 < facts["room"]["freeBytes"] < facts["room"]["bytes"]


async def test_the_room_is_known_without_the_server_s_facts(either: ServedAgent) -> None:
    said = await either.database.room(either.address, either.access)
    whole(wire.RoomAnswer, said)
    assert said["room"] is not None
    assert 0 < said["room"]["freeBytes"] < said["room"]["bytes"]


async def test_the_start_is_the_same_each_time(either: ServedAgent) -> None:
    first, second = await either.server(), await either.server()
    assert first["startedAt"] == second["startedAt"]
    assert first["processId"] == second["processId"]


@pytest.mark.parametrize("full", [False, True])
async def test_the_mode_in_force_is_proven(either: ServedAgent, full: bool) -> None:
    evidence = await either.evidence(1, full=full)
    mode = EncryptionModeSpec.model_validate(either.mode)
    proof = engine("mariadb").judge(evidence, mode, full=full)
    assert proof.ok, proof.summary
    assert (len(evidence["files"]) > 1) is full
    assert evidence["full"] is full


@pytest.mark.parametrize("full", [False, True])
async def test_no_other_mode_is_proven(either: ServedAgent, full: bool) -> None:
    evidence = await either.evidence(2, full=full)
    for mode in MODES.values():
        if mode != either.mode:
            other = EncryptionModeSpec.model_validate(mode)
            assert not engine("mariadb").judge(evidence, other, full=full).ok


async def test_the_marker_leaves_no_table_behind(either: ServedAgent) -> None:
    first = await either.evidence(3, full=False)
    second = await either.evidence(4, full=True)
    left = [file["path"] for file in second["files"] if first["markerTable"] in file["path"]]
    assert left == []
    assert second["markerTable"] != first["markerTable"]


async def test_a_wrong_token_is_refused(either: ServedAgent) -> None:
    with pytest.raises(Rejected):
        await either.database.server(either.address, WRONG)
    with pytest.raises(Rejected):
        await either.database.evidence(either.address, WRONG, "encbench-marker-1", full=False)


async def test_a_marker_that_is_none_is_refused(either: ServedAgent) -> None:
    for marker in ("short", "'; DROP DATABASE sbtest; --", "x" * 200):
        with pytest.raises(Rejected):
            await either.database.evidence(either.address, either.access, marker, full=False)


async def test_nobody_there_is_unavailable() -> None:
    real = HttpAgent(quick_seconds=5)
    for database in (FakeAgent(), real):
        with pytest.raises(Unavailable):
            await database.server(f"127.0.0.1:{free_port()}", WRONG)
    await real.aclose()


async def test_a_server_that_does_not_answer_is_unavailable(plaintext_server: MariaDB) -> None:
    fake = FakeAgent({"db:9472": FakeServer(token="secret", starting=True)})
    with pytest.raises(Unavailable):
        await fake.server("db:9472", sidecars.access("secret"))
    assert await fake.room("db:9472", sidecars.access("secret"))
    with pytest.raises(Unavailable):
        await fake.evidence(
            "db:9472", sidecars.access("secret"), "encbench-marker-0001", full=False
        )
    async with agent(plaintext_server, PLAINTEXT) as real:
        plaintext_server.stop()
        try:
            with pytest.raises(Unavailable):
                await real.server()
            with pytest.raises(Unavailable):
                await real.evidence(5, full=False)
            assert (await real.database.room(real.address, real.access))["room"]
        finally:
            plaintext_server.start()


async def test_a_stop_is_armed_once_and_looked_at_without_being_armed(either: ServedAgent) -> None:
    """Far in the future: tests/contract/recovery really stops servers."""
    database, where, access = either.database, either.address, either.access
    assert await database.stopped(where, access, "one") == {"run": "one", "state": "unknown"}
    first = await database.stop(where, access, "one", how="Crash", after=9e5, seconds=60.0)
    assert (first["run"], first["state"], first["stop"]) == ("one", "armed", "Crash")
    again = await database.stop(where, access, "one", how="Clean", after=0.0, seconds=1.0)
    assert again == first == await database.stopped(where, access, "one")
    with pytest.raises(Unavailable, match="one has not ended"):
        await database.stop(where, access, "two", how="Crash", after=9e5, seconds=60.0)
    assert await database.disarm(where, access, "two") == {"run": "two", "state": "unknown"}
    off = await database.disarm(where, access, "one")
    assert off["state"] == "disarmed"
    assert off == await database.disarm(where, access, "one")
    assert (await either.server())["processId"]


async def test_a_disarmed_stop_makes_room_for_another_once_its_time_has_come(
    either: ServedAgent,
) -> None:
    """Soon, but not before a slow machine has disarmed it: the server must go on."""
    database, where, access = either.database, either.address, either.access
    process = (await either.server())["processId"]
    await database.stop(where, access, "one", how="Crash", after=6.0, seconds=60.0)
    assert (await database.disarm(where, access, "one"))["state"] == "disarmed"
    with pytest.raises(Unavailable, match="one has not ended"):
        await database.stop(where, access, "two", how="Crash", after=9e5, seconds=60.0)
    async with asyncio.timeout(30):
        second = None
        while second is None:
            await asyncio.sleep(0.1)
            with suppress(Unavailable):
                second = await database.stop(
                    where, access, "two", how="Crash", after=9e5, seconds=60.0
                )
    assert (second["run"], second["state"]) == ("two", "armed")
    assert await database.stopped(where, access, "one") == {"run": "one", "state": "unknown"}
    assert (await database.disarm(where, access, "two"))["state"] == "disarmed"
    assert (await either.server())["processId"] == process


async def test_a_stop_that_cannot_be_meant_is_refused(either: ServedAgent) -> None:
    with pytest.raises(Rejected, match="stop must be Clean or Crash"):
        await either.database.stop(
            *(either.address, either.access, "one"),
            how="Kill",  # type: ignore[arg-type]
            after=0.0,
            seconds=60.0,
        )
    with pytest.raises(Rejected):
        await either.database.stop(
            either.address, WRONG, "one", how="Crash", after=0.0, seconds=60.0
        )


async def test_a_server_whose_letters_have_two_bytes_is_proven_too() -> None:
    """The marker's column has a character set of its own, beside that of the database."""
    with running(PLAINTEXT, overrides={"character_set_server": "utf16"}) as server:
        proof = await prove(server, PLAINTEXT, 1, full=True)
    assert proof.ok, proof.summary
