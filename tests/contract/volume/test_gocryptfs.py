"""A real MariaDB on the real gocryptfs and on the real pass-through: proofs, breakages, resets."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from encbench.adapters.agent import HttpAgent
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.evidence import Proof
from encbench.engines.registry import engine
from encbench.proofs import volume
from encbench.proofs.volume import process_name
from encbench.sidecars.agent.api import AgentApi
from encbench.sidecars.agent.config import AgentConfig
from encbench.sidecars.agent.control import build
from encbench.sidecars.agent.metrics import metrics
from encbench.sidecars.agent.watched import watched
from tests.contract.database.harness import MARKER, agent_config
from tests.support import mariadb, sidecars
from tests.support.fuse import Pod, running
from tests.support.golden import prepared
from tests.support.search import files_with
from tests.support.testbeds import PLAINTEXT


def mode_of(cipher: str) -> EncryptionModeSpec:
    own = {"gocryptfs": {"cipher": cipher}}
    return EncryptionModeSpec.model_validate({"atRest": {"method": "volume", "volume": own}})


CIPHERS = ("AES-GCM", "XChaCha20-Poly1305", "none")
MODES = {cipher: mode_of(cipher) for cipher in CIPHERS}
PLAIN = EncryptionModeSpec()


@asynccontextmanager
async def serving(config: AgentConfig, proc: Path) -> AsyncIterator[tuple[HttpAgent, str]]:
    """An agent with that configuration."""
    database = HttpAgent(quick_seconds=30, full_seconds=60)
    parts = build(config, watched(config, proc))
    with sidecars.answering(AgentApi(parts).answer) as address:
        yield database, address
        await database.aclose()


def config_of(pod: Pod) -> AgentConfig:
    """The agent's configuration, as `database.fuse` gives it."""
    own = mode_of(pod.mount.cipher).gocryptfs
    assert own is not None
    return replace(agent_config(pod.server), lower=pod.disk, volume_process=process_name(own))


async def evidence_of(config: AgentConfig, proc: Path, number: int, *, full: bool) -> Any:
    async with serving(config, proc) as (database, address):
        marker = MARKER.format(number)
        return await database.evidence(address, sidecars.access(config.token), marker, full=full)


def judged(evidence: dict[str, Any], mode: EncryptionModeSpec, *, full: bool) -> Proof:
    """As `reconcile.effects.agent` does it."""
    proof = engine("mariadb").judge(evidence, mode, full=full)
    return volume.judge(proof, evidence, mode, full=full)


@pytest.fixture(
    scope="module",
    params=["AES-GCM", pytest.param("XChaCha20-Poly1305", marks=pytest.mark.full), "none"],
)
def pod(request: pytest.FixtureRequest) -> Iterator[Pod]:
    """A server in each mode. Tests leave it as they found it."""
    mode = MODES[request.param].model_dump(mode="json", by_alias=True, exclude_none=True)
    with running(mode, request.param) as one:
        one.server.fill(4)
        yield one


@pytest.mark.parametrize("full", [False, True])
async def test_the_mode_in_force_is_proven_and_no_other(pod: Pod, full: bool) -> None:
    evidence = await evidence_of(config_of(pod), pod.proc, 100 + full, full=full)
    below = evidence["volume"]["lower"]
    assert (below["searched"] > 20) is full
    for cipher, mode in MODES.items():
        proof = judged(evidence, mode, full=full)
        assert proof.ok is (cipher == pod.mount.cipher), proof.summary


def test_what_lies_below_is_what_the_mode_says(pod: Pod) -> None:
    """Seen without any code of ours: the bytes on the disk."""
    pod.server.admin(
        "CREATE TABLE sbtest.told (t VARCHAR(64))",
        "INSERT INTO sbtest.told VALUES ('a text that nobody would write by chance')",
        "FLUSH TABLES sbtest.told FOR EXPORT",
    )
    text = b"a text that nobody would write by chance"
    above = Path(pod.server.layout.data, "sbtest", "told.ibd").read_bytes()
    below = list(files_with(pod.disk, text))
    pod.server.admin("DROP TABLE sbtest.told")
    assert text in above
    assert bool(below) is (pod.mount.cipher == "none")
    assert (pod.disk / "gocryptfs.conf").exists() is (pod.mount.cipher != "none")


async def test_cpu_and_io_are_the_file_systems_too(pod: Pod) -> None:
    proc, config = pod.proc, config_of(pod)
    alone = replace(config, volume_process=None)
    before, server_before = scraped(config, proc), scraped(alone, proc)
    for _ in range(3):
        pod.server.admin("UPDATE sbtest.filling SET pad = REVERSE(pad)")
    async with serving(config, proc) as (database, address):
        assert (await database.settle(address, sidecars.access(config.token)))["settled"]
    after, server_after = scraped(config, proc), scraped(alone, proc)
    cpu = "encbench_database_cpu_seconds_total"
    assert after[cpu] - before[cpu] > server_after[cpu] - server_before[cpu]
    own = "encbench_volume_cpu_seconds_total"
    assert 0 < after[own] - before[own] < after[cpu] - before[cpu]
    assert own not in server_after
    written = "encbench_database_write_bytes_total"
    assert after[written] - before[written] > 1 << 20


def scraped(config: AgentConfig, proc: Path) -> dict[str, float]:
    seen = watched(config, proc)
    return {one.name: one.value for one in metrics(seen.read, seen.proxy, seen.volume)}


async def test_a_data_directory_beside_the_mount_is_caught() -> None:
    """The mount stands, with a server's files of old on it, and the server writes elsewhere."""
    with running({}, "AES-GCM") as pod, mariadb.running(PLAINTEXT) as beside:
        elsewhere = agent_config(beside)
        config = replace(config_of(pod), volume=elsewhere.volume, socket=elsewhere.socket)
        proc = beside.proc
        program = pod.mount.program
        assert program is not None
        (proc / str(program)).symlink_to(Path("/proc", str(program)))
        evidence = await evidence_of(config, proc, 200, full=True)
    proof = judged(evidence, MODES["AES-GCM"], full=True)
    failed = {check.name for check in proof.checks if not check.ok}
    assert "mount of the server's files" in failed
    assert "the marker's file below the mount" in failed
    assert judged(evidence, PLAIN, full=True).ok, "which is what it is: plaintext"


async def test_a_mount_that_is_no_longer_the_servers_is_caught() -> None:
    """What the agent sees is not what counts: the server's own mounts do."""
    with running({}, "AES-GCM") as pod:
        view = pod.proc
        own = view / str(pod.server.process.pid if pod.server.process else 0)
        own.unlink()
        own.mkdir()
        real = Path("/proc", own.name)
        for name in ("stat", "statm", "io"):
            (own / name).symlink_to(real / name)
        lines = (real / "mountinfo").read_text(encoding="utf-8").splitlines(keepends=True)
        without = [line for line in lines if "fuse.gocryptfs" not in line]
        (own / "mountinfo").write_text("".join(without), encoding="utf-8")
        evidence = await evidence_of(config_of(pod), view, 201, full=False)
    proof = judged(evidence, MODES["AES-GCM"], full=False)
    assert {check.name for check in proof.checks if not check.ok} == {"mount of the server's files"}


# -- stopping, copying, coming back


@pytest.mark.full
@pytest.mark.parametrize("cipher", ["AES-GCM", "none"])
def test_resets_copy_what_lies_below(cipher: str) -> None:
    with running({}, cipher) as pod:
        pod.server.fill(2)
        loaded = pod.server.admin("CHECKSUM TABLE sbtest.filling")
        pod.down()
        assert not pod.mount.mounted
        assert pod.mount.stopped
        made = prepared(str(pod.mount.lower), "golden", below=True)
        assert made["action"] == "copied"
        for number in range(3):
            pod.up()
            assert not pod.mount.stopped
            assert pod.server.admin("CHECKSUM TABLE sbtest.filling") == loaded
            pod.server.admin("UPDATE sbtest.filling SET pad = 'x'")
            pod.down()
            said = prepared(str(pod.mount.lower), f"trial-{number}", below=True, cold=True)
            assert said["action"] == "restored"
            assert said["bytes"] == made["bytes"]
        pod.up()
        assert pod.server.admin("CHECKSUM TABLE sbtest.filling") == loaded


@pytest.mark.full
def test_a_server_that_was_killed_leaves_no_word_of_a_stop() -> None:
    with running({}, "AES-GCM") as pod:
        assert pod.server.process is not None
        pod.server.process.kill()
        pod.server.process.wait()
        pod.mount.stop()
        assert not pod.mount.mounted
        assert not pod.mount.stopped
        with pytest.raises(AssertionError):
            prepared(str(pod.mount.lower), "golden", below=True)


@pytest.mark.full
def test_a_file_system_that_was_killed_comes_back() -> None:
    with running({}, "AES-GCM") as pod:
        pod.server.fill(1)
        pod.server.stop()
        pod.mount.kill()
        with pytest.raises(OSError, match=r"Transport endpoint|connection abort"):
            list(pod.mount.point.iterdir())
        pod.up()
        assert pod.server.admin("SELECT COUNT(*) > 4000 FROM sbtest.filling") == [(1,)]
