"""How the benchmark beside BenchmarkSQL sums up and judges."""

from pathlib import Path

import pytest

from tests.bench.tpcc_beside import (
    AGAIN,
    LEAN,
    MEMORY,
    SAME,
    TERMINALS,
    THEIRS,
    Launch,
    report,
    summed,
    workloads,
)
from tests.bench.tpcc_driven import Slice, environment
from tests.support import tpcc
from tests.support.tpcc import Bench
from tests.unit.bench.servers import SERVER

SIX = Launch(60_000, 0.5, 700)
SPREAD = (0.99, 1.0, 1.01)


def test_a_launch_has_the_sum_of_its_slices() -> None:
    found = summed([Slice(0, 0.1, 1.0), Slice(400, 0.3, 3.0)], 3_000_000)
    assert found == pytest.approx(Launch(6_000, 1.0, 3.0))


def test_each_client_has_the_memory_of_the_same_pod_and_as_many_terminals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tpcc, "home", lambda: tmp_path)
    for spec in workloads(tmp_path).values():
        assert spec.client.resources.memory == MEMORY
        bench = Bench(SERVER, tmp_path)
        found = environment(spec, bench, tmp_path)
        assert found["JAVA_TOOL_OPTIONS"] == "-XX:MaxRAM=1073741824 -XX:+UseSerialGC"
        assert found["TPCC_JAVA_OPTIONS"] == "-Xmx512m"
        (own,) = bench.arguments(spec, TERMINALS)
        assert {"terminals=8", "sutThreads=8"} & set(own.split())


def test_each_client_makes_as_many_new_orders_of_a_hundred(tmp_path: Path) -> None:
    mixes = {str(spec.tpcc.mix.weights) for spec in workloads(tmp_path).values() if spec.tpcc}
    assert len(mixes) == 1


def launches(factor: float, cpu: float, resident: float) -> list[Launch]:
    """Three beside BenchmarkSQL's."""
    return [
        Launch(SIX.per_minute * factor * one, SIX.cpu_ms * cpu / one, SIX.resident_mb * resident)
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
    seen = {THEIRS: [SIX] * 3, AGAIN: [SIX] * 3, SAME: launches(*same), LEAN: launches(*lean)}
    assert report(seen) is (missed == 0)
    said = capsys.readouterr().out
    assert said.count("MISSED") == missed
    assert said.count(" asked") == 4
    assert said.count("(A/A)") == 3


def test_the_clients_are_compared_with_the_mean_of_both_of_benchmarksql(
    capsys: pytest.CaptureFixture[str],
) -> None:
    four = Launch(SIX.per_minute * 4, SIX.cpu_ms, SIX.resident_mb)
    seen = {THEIRS: [SIX] * 3, AGAIN: [four] * 3, SAME: launches(4, 1, 1), LEAN: launches(4, 1, 1)}
    report(seen)
    said = capsys.readouterr().out
    assert "BenchmarkSQL 6 again: 240,000 [240,000, 240,000], 4.000 [4.000, 4.000] times" in said
    assert "lean statements: 239,992 [234,103, 246,029], 2.000 [1.951, 2.050] times" in said
