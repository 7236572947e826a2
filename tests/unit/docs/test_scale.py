"""What docs/scale.md says of the bytes that a trial's samples take."""

import re
from pathlib import Path
from random import Random

import pytest

from encbench.api.trial import Window
from encbench.core.artefact import encode
from encbench.core.records import MetricsRecord, NodeIdle, PodCpu, Samples
from encbench.core.window import KEPT, add_counter
from encbench.reconcile.trial.series import CONTEXT, DATABASE_SERIES, UPTIME_SERIES

REPO = Path(__file__).resolve().parents[3]
PAGE = " ".join((REPO / "docs" / "scale.md").read_text(encoding="utf-8").split())
START = 1_896_000_000
TESTBEDS = 4
WHOLE = ("database_resident_bytes", "database_read_bytes", "database_write_bytes")
PERIODS = ("database_limit_periods", "database_throttled_periods")


def number(pattern: str) -> int:
    """The one that the page has in that place."""
    (found,) = re.findall(pattern, PAGE)
    return int(found.replace(",", ""))


def samples(draw: Random, seconds: float, digits: int | None, most: float) -> Samples:
    """A counter as Prometheus has it: by the millisecond, with so many decimals."""
    value, part, kept = (
        most * draw.random(),
        draw.randrange(1000) / 1000,
        list[tuple[float, float]](),
    )
    known = []
    for second in range(int(seconds + 2 * CONTEXT)):
        value += draw.random() * most / 1000
        known.append((START - CONTEXT + second + part, float(round(value, digits))))
    add_counter(kept, known, START, START + seconds)
    return tuple(kept)


def stored(seconds: float) -> tuple[int, int]:
    """Bytes and series of a trial beside three idle databases, with its client elsewhere."""
    draw = Random(1)

    def cpu(digits: int = 9) -> Samples:
        return samples(draw, seconds, digits, 10_000.0)

    series = {name: samples(draw, seconds, 0, 1e10) for name in (*WHOLE, *PERIODS)}
    series |= {name: cpu() for name in (*DATABASE_SERIES, *UPTIME_SERIES) if name not in series}
    series |= {f"node_{what}_seconds": cpu(2) for what in ("idle", "waiting", "stolen")}
    place = {"testbed": "study-7c2ab9de-cell-1-tde", "node": "worker-1.example.com"}
    pods = [PodCpu(part=part, samples=cpu(), **place) for part in ("database", "agent") * TESTBEDS]
    pods.append(PodCpu(part="recorder", samples=cpu(), **place))
    node = NodeIdle(node="worker-2", cores=4, samples=cpu(2), waiting=cpu(2), stolen=cpu(2))
    window = Window(start=START, end=START + seconds)
    record = MetricsRecord(window=window, series=series, pods=tuple(pods), client_nodes=(node,))
    return len(encode(record)), len(series) + len(pods) + 3


@pytest.mark.parametrize("seconds", [60.0, 600.0, 24 * 3600.0])
def test_a_sample_takes_as_many_bytes_as_the_page_says(seconds: float) -> None:
    each, most = number(r"a sample takes (\d+) bytes"), number(r"at most (\d+) samples a series")
    size, series = stored(seconds)
    kept = min(seconds + 2 * CONTEXT, most)
    assert size == pytest.approx(each * series * kept, rel=0.04)
    assert most >= KEPT


def test_the_samples_of_a_minute_take_as_much_as_the_page_says() -> None:
    size, series = stored(60.0)
    assert series == number(r"(\d+) series with four testbeds")
    assert size == pytest.approx(number(r"`metrics.json` of that trial[^|]*\| ([\d,]+)"), rel=0.03)
    others = number(r"without its samples and what the tool prints \| ([\d,]+)")
    total = (size + others) * 100_000 / 1e9
    (said,) = re.findall(r"object store \| ([\d.]+) GB", PAGE)
    assert total == pytest.approx(float(said), rel=0.03)
