"""CPU of a trial in turns: from the agent's readings at the edges of its slices."""

from dataclasses import replace

import pytest

from encbench.core.records import DiskIo, ProxyCpu, TrialCpu
from encbench.core.slices import Slices
from encbench.reconcile.trial.gather import in_slices
from encbench.reconcile.trial.series import MetricsPlace
from tests.support.slices import slices

UNSURE = "the alignment error of 3.1 % is above 2 %"


def place(proxy_limit: float | None) -> MetricsPlace:
    return MetricsPlace(
        "ns", "study", "bed", "n1", 0.5, 0.5, proxy_limit=proxy_limit, in_turns=True
    )


def test_both_are_known_although_the_series_are_withheld() -> None:
    of_series = TrialCpu(withheld={"database": UNSURE, "proxy": UNSURE, "idle": "in turns"})
    found = in_slices(of_series, slices((0.8, 0.2), (0.4, 0.4)), place(0.36))
    assert found.database is not None and found.proxy is not None
    assert found.database.cores == pytest.approx(0.3)
    assert found.database.limit_cores == 0.5
    assert found.proxy.cores == pytest.approx(0.15)
    assert found.proxy.limit_cores == 0.36
    assert found.withheld == {"idle": "in turns"}


def test_memory_is_that_of_the_series() -> None:
    of_series = TrialCpu(proxy=ProxyCpu(cores=9.0, limit_cores=0.36, memory_max_bytes=7))
    found = in_slices(of_series, slices((0.8, 0.2)), place(0.36))
    assert found.proxy is not None
    assert found.proxy.cores == pytest.approx(0.1)
    assert found.proxy.memory_max_bytes == 7


def test_too_few_readings_of_the_proxy_withhold_it_alone() -> None:
    found = in_slices(TrialCpu(), slices((0.8, 0.2), (0.4, None)), place(0.36))
    assert found.database is not None
    assert found.proxy is None
    assert found.withheld == {
        "proxy": "there are no readings of the proxy at the edges of the slices"
    }


def test_too_few_readings_of_the_server_withhold_it() -> None:
    found = in_slices(TrialCpu(), slices((0.8, None), (None, None)), place(None))
    assert found.database is None and found.proxy is None
    assert found.withheld == {
        "database": "there are no readings of the server at the edges of the slices"
    }


def test_a_file_system_has_its_own_part() -> None:
    plain = slices((0.8, None), (0.4, None))
    rows = tuple(row.model_copy(update={"volume_cpu_seconds": 0.2}) for row in plain.rows)
    beneath = replace(place(None), volume_limit=0.25)
    found = in_slices(TrialCpu(), plain.model_copy(update={"rows": rows}), beneath)
    assert found.database is not None and found.volume is not None
    assert found.database.cores == pytest.approx(0.3), "with the file system's"
    assert found.volume.cores == pytest.approx(0.1)
    assert found.volume.limit_cores == 0.25
    without = in_slices(TrialCpu(), plain, beneath)
    assert without.volume is None
    assert without.withheld == {
        "volume": "there are no readings of the file system at the edges of the slices"
    }


def test_what_a_limit_held_up_is_that_of_its_own_slices() -> None:
    plain = slices((0.8, None), (0.4, None))
    rows = tuple(row.model_copy(update={"periods": {"database": (20, 5)}}) for row in plain.rows)
    of_series = TrialCpu(throttled={"database": 0.9})
    found = in_slices(of_series, plain.model_copy(update={"rows": rows}), place(None))
    assert found.throttled == {"database": 0.25}
    assert in_slices(of_series, plain, place(None)).throttled is None


def with_disk(*known: tuple[float | None, float | None]) -> Slices:
    """Slices of two seconds each, with the bytes read and written."""
    plain = slices(*((0.8, None) for _ in known))
    rows = (
        row.model_copy(update={"read_bytes": read, "write_bytes": write})
        for row, (read, write) in zip(plain.rows, known, strict=True)
    )
    return plain.model_copy(update={"rows": tuple(rows)})


def test_the_disk_is_that_of_its_own_slices() -> None:
    found = DiskIo.in_slices(with_disk((4096.0, 1000.0), (8192.0, 0.0)))
    assert found == DiskIo(read_bytes_per_second=12288 / 4, write_bytes_per_second=250.0)
    assert DiskIo.in_slices(with_disk((4096.0, 1.0), (None, 1.0))) is None
