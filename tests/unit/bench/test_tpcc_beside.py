"""The benchmark beside BenchmarkSQL, with a script in its place."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.bench import tpcc_beside
from tests.bench.tpcc_beside import LEAN, MEMORY, SAME, THEIRS, Driven, Window, _specs, report
from tests.support import tpcc
from tests.support.tpcc import Bench
from tests.support.workloads import tpcc_spec

LOG = Path(__file__).parents[2] / "data/tpcc/benchmarksql6.log"
SERVER = SimpleNamespace(
    engine="postgresql",
    layout=SimpleNamespace(port=5432),
    credentials={"username": "encbench", "password": "secret", "ca.crt": ""},
)
SIX = Window(60_000, 0.5, 700)
OPTIONS = "-XX:MaxRAM=1073741824 -XX:+UseSerialGC"
SPREAD = (0.99, 1.0, 1.01)


class Watched(Driven):
    """One that tells its script when the readings are made, however slow the machine is."""

    def _used(self, process: "subprocess.Popen[bytes]", began: float) -> tuple[float, float]:
        used = super()._used(process, began)
        (self.home / "read").touch()
        return used


def driven(folder: Path, script: str) -> Driven:
    """BenchmarkSQL, whose script is this."""
    program = folder / "home/run/runBenchmark.sh"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    home = program.parents[1]
    fields = {"dialect": 6, "benchmarksql": {"home": str(home)}}
    client = {"resources": {"cpu": "2", "memory": MEMORY}}
    spec = tpcc_spec(fields, {"warmup": "1m", "duration": "1m"}, client)
    (folder / "window").mkdir()
    return Watched(spec, Bench(SERVER, folder / "window"), home)


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Windows of a second, and no client of ours."""
    for name, value in {"WARMUP": 0.0, "EDGE": 0.2, "MINUTES": 1 / 60}.items():
        monkeypatch.setattr(tpcc_beside, name, value)
    monkeypatch.setattr(tpcc, "home", lambda: tmp_path)


@pytest.mark.usefixtures("brief")
def test_a_window_has_the_client_s_rate_and_its_processes_cpu(tmp_path: Path) -> None:
    seen = tmp_path / "props"
    busy = f"timeout 60 sh -c 'while [ ! -e {tmp_path}/home/read ]; do :; done'"
    window = driven(tmp_path, f'cp "$1" {seen}; {busy}; cat {LOG}').measured()
    assert window.per_minute == pytest.approx(74_230, rel=0.001)
    # One core at most; a machine with other things to do gives less, or reads late.
    cores = window.cpu_ms * window.per_minute / 60_000
    assert 0 < cores < 2
    assert window.resident_mb > 0.5
    own = seen.read_text()
    assert "sutThreads=8" in own
    assert f"resultDirectory={tmp_path}/window/scratch" in own


@pytest.mark.usefixtures("brief")
def test_a_client_that_fails_ends_it_with_its_words(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no such driver"):
        driven(tmp_path, "echo no such driver; exit 1").measured()


@pytest.mark.usefixtures("brief")
def test_benchmarksql_has_the_memory_of_a_pod(tmp_path: Path) -> None:
    seen = tmp_path / "options"
    driven(tmp_path, f'echo "$JAVA_TOOL_OPTIONS" > {seen}; cat {LOG}').measured()
    assert seen.read_text() == f"-Xmx716m -Djava.net.preferIPv6Addresses=system {OPTIONS}\n"


def test_each_client_has_the_memory_of_the_same_pod(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tpcc, "home", lambda: tmp_path)
    for spec in _specs(tmp_path).values():
        found = Driven(spec, Bench(SERVER, tmp_path), tmp_path)._environment()
        assert found["JAVA_TOOL_OPTIONS"] == OPTIONS
        assert found["TPCC_JAVA_OPTIONS"] == "-Xmx512m"


def windows(factor: float, cpu: float, resident: float) -> list[Window]:
    """Three windows beside BenchmarkSQL's."""
    return [
        Window(SIX.per_minute * factor * one, SIX.cpu_ms * cpu / one, SIX.resident_mb * resident)
        for one in SPREAD
    ]


@pytest.mark.parametrize(
    ("same", "lean", "missed"),
    [
        ((1.3, 0.5, 0.2), (2.0, 0.3, 0.2), 0),
        ((1.09, 0.5, 0.2), (2.0, 0.3, 0.2), 1),
        ((1.3, 0.69, 0.2), (2.0, 0.3, 0.2), 1),
        ((1.3, 0.8, 0.4), (1.7, 0.3, 0.2), 3),
    ],
)
def test_the_worse_end_of_an_interval_is_judged(
    same: tuple[float, float, float],
    lean: tuple[float, float, float],
    missed: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen = {THEIRS: [SIX] * 3, SAME: windows(*same), LEAN: windows(*lean)}
    assert report(seen) is (missed == 0)
    said = capsys.readouterr().out
    assert said.count("MISSED") == missed
    assert said.count(" asked") == 4
