"""Resets of real servers by the golden copy: the same state each time, whatever was done to it."""

import hashlib
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.engines.registry import engine
from tests.contract.client.sysbench import Bench
from tests.contract.database.harness import agent
from tests.support import debian, mariadb, mysql, postgres
from tests.support.golden import prepared
from tests.support.subset import first_of
from tests.support.testbeds import PLAINTEXT, TDE

TDE_OF_MYSQL: dict[str, Any] = {"atRest": {"method": "engine"}}
RESETS = 20
FEW = 3
Start = Callable[[], AbstractContextManager[Any]]
SERVERS: dict[str, tuple[Start, dict[str, Any], int]] = {
    "mariadb-tde": (lambda: mariadb.running(TDE), TDE, RESETS),
    "mysql-tde": (lambda: mysql.running(TDE_OF_MYSQL), TDE_OF_MYSQL, FEW),
    "postgresql": (lambda: postgres.running(PLAINTEXT), PLAINTEXT, FEW),
}


class Subject:
    """A loaded server with a golden copy."""

    def __init__(self, server: Any, mode: dict[str, Any], resets: int, folder: Path) -> None:
        self.server, self.mode, self.resets = server, mode, resets
        self.bench = Bench(server, folder)
        assert self.bench.load() == (0, "")
        self.loaded = self.rows()
        server.stop()
        self.volume = server.layout.volume
        self.made = prepared(self.volume, "golden")
        self.golden = digests(Path(self.volume))
        self.up()

    def up(self) -> None:
        """Start as a pod does."""
        self.server.initialise()
        self.server.start()

    def rows(self) -> list[tuple[Any, ...]]:
        """Every table's content in one figure."""
        if self.server.engine == "postgresql":
            question = "SELECT count(*), md5(string_agg(t::text, '|' ORDER BY id)) FROM sbtest{} t"
        else:
            question = "CHECKSUM TABLE sbtest.sbtest{}"
        return [row for number in (1, 2) for row in self.server.admin(question.format(number))]

    def reset(self, number: int) -> dict[str, Any]:
        """Write, stop, restore; what the container says."""
        code, output = self.bench.run("oltp_write_only", warmup="0s", duration="1s")
        assert code == 0, output
        assert self.rows() != self.loaded, "nothing was written, so nothing is shown"
        self.server.stop()
        return prepared(self.volume, f"trial-{number}")


def digests(volume: Path) -> dict[str, str]:
    """Every file of the server with its content."""
    return {
        path.relative_to(volume).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for name in ("data", "keyring", "tmp")
        for path in sorted((volume / name).rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


@pytest.fixture(params=first_of(SERVERS))
def subject(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Subject]:
    debian.install("sysbench")
    start, mode, resets = SERVERS[request.param]
    with start() as server:
        yield Subject(server, mode, resets, tmp_path_factory.mktemp("client"))


@pytest.mark.full
async def test_many_resets_in_a_row_leave_the_same_state(subject: Subject) -> None:
    assert subject.made["action"] == "copied"
    assert subject.made["files"] == len(subject.golden)
    if subject.server.engine == "mysql":
        assert any(name.startswith("keyring/") for name in subject.golden)
    for number in range(1, subject.resets + 1):
        said = subject.reset(number)
        assert said["action"] == "restored"
        assert said["bytes"] == subject.made["bytes"]
        assert digests(Path(subject.volume)) == subject.golden, f"reset {number}"
        subject.up()
        assert subject.rows() == subject.loaded, f"reset {number}"
    async with agent(subject.server, subject.mode) as there:
        evidence = await there.evidence(1, full=True)
    mode = EncryptionModeSpec.model_validate(subject.mode)
    proof = engine(subject.server.engine).judge(evidence, mode, full=True)
    assert proof.ok, proof.summary
    assert not [file for file in evidence["files"] if file["path"].startswith("golden/")]


def test_a_cold_start_reads_from_the_disk() -> None:
    """What the page cache holds of the files is gone; the server has to ask the disk."""
    with mariadb.running(PLAINTEXT) as server:
        server.fill(24)
        server.stop()
        table = Path(server.layout.data, "sbtest", "filling.ibd")
        table.read_bytes()
        assert cached(table) > 0.9
        assert prepared(server.layout.volume, "")["action"] == "kept"
        assert cached(table) > 0.9
        prepared(server.layout.volume, "", cold=True)
        assert cached(table) < 0.01


def cached(path: Path) -> float:
    """Share of a file that is in the page cache."""
    command = ["fincore", "--bytes", "--noheadings", "--output", "RES", str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(done.stdout) / path.stat().st_size
