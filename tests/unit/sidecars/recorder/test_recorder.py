"""What a run leaves in the pod's status, and how much of its output."""

import errno
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from encbench.core.artefact import digest_of
from encbench.sidecars.recorder import barrier, process, recorder, upload
from encbench.sidecars.recorder.barrier import BarrierStamp
from encbench.sidecars.recorder.config import RecorderConfig, from_environment
from encbench.sidecars.recorder.moment import Moment, at_unix
from encbench.sidecars.recorder.observation import Observation
from encbench.sidecars.recorder.process import Throttling, Usage
from encbench.sidecars.recorder.recorder import RunDriver, cannot, cut_off, termination_message
from encbench.sidecars.recorder.run import Run
from encbench.wire.files import OUTPUT, SERIES, SUMMARY, TIMETABLE
from encbench.wire.slices import OwnSlots

BEGAN = BarrierStamp(Moment(1000.0, 0.0), 0)
SLOTS = OwnSlots(warmup=2.0, period=1.1, slice=1.0, settle=0.5, slots=1, own=[0])


def test_termination_message_is_small_and_whole() -> None:
    message = json.loads(termination_message("p", {"output.log": "sha256:0"}, None))
    assert message == {"prefix": "p", "digests": {"output.log": "sha256:0"}}
    long = termination_message("p" * 900, {"summary.json": "sha256:" + "0" * 64}, "e" * 9000)
    assert len(long) <= 4096
    assert json.loads(long)["error"] == "e" * 1024


def test_an_output_that_nobody_would_read_is_cut_off_with_a_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "LARGEST", 8)
    output = tmp_path / "output.log"
    output.write_text("12345678")
    cut_off(output)
    assert output.read_text() == "12345678"
    output.write_text("123456789")
    cut_off(output)
    assert output.read_text() == "12345678\nencbench: cut off here; the tool wrote 9 bytes\n"


def config(folder: Path) -> RecorderConfig:
    (folder / "token").write_text("t0ken\n")
    return from_environment(
        {
            "ENCBENCH_TOOL": "sysbench",
            "ENCBENCH_PROCESS": "sysbench",
            "ENCBENCH_PREFIX": "bench/trial",
            "ENCBENCH_STORE": "http://store/bucket",
            "ENCBENCH_WARMUP": "2",
            "ENCBENCH_CPU_LIMIT": "1.5",
            "ENCBENCH_MEMORY_LIMIT": "268435456",
            "ENCBENCH_RUN_DIR": str(folder),
            "ENCBENCH_CREDENTIALS": str(folder),
            "ENCBENCH_PORT": "9471",
            "ENCBENCH_CONTROL_PORT": "9473",
            "ENCBENCH_GRACE": "55",
        }
    )


@pytest.mark.parametrize("step", [0.0, -5.0, 5.0])
def test_a_clock_that_is_set_after_the_release_moves_no_start(
    step: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tool and turnstile get the moment as their clock shows it by then."""
    run, clock = Run(), time.time
    run.wait()
    start_at, began = clock() + 0.3, time.monotonic()
    run.release(start_at, {}, SLOTS)
    monkeypatch.setattr(time, "time", lambda: clock() + step)
    (tmp_path / "began").write_text("1.0 0\n")
    read, write = os.pipe()
    RunDriver(config(tmp_path), run)._start(os.getpid(), write, start_at)
    took = time.monotonic() - began
    assert 0.29 < took < 4
    told, go = os.read(read, 100).split()
    os.close(read)
    assert float(told) == pytest.approx(start_at + step, abs=0.01)
    assert go == b"go"
    first, slot, *_ = (line.split() for line in (tmp_path / TIMETABLE).read_text().splitlines())
    assert float(first[1]) == pytest.approx(start_at + step + 1.9, abs=0.01)
    assert float(slot[2]) == pytest.approx(start_at + step + 2.0, abs=0.01)
    assert run.state == "running"


def test_an_output_that_is_cut_off_has_the_digest_of_what_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator refuses a file whose digest is another one."""
    monkeypatch.setattr(recorder, "LARGEST", 8)
    output = tmp_path / OUTPUT
    output.write_text("123456789")
    digests = RunDriver(config(tmp_path), Run())._finish(BEGAN, 0.0)
    stored = output.read_bytes()
    said = json.loads((tmp_path / SUMMARY).read_text())["output"]
    assert said == {"bytes": len(stored), "digest": digest_of(stored)}
    assert digests[OUTPUT] == said["digest"]


def test_what_a_cpu_limit_held_up_in_the_window_is_in_the_summary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, driver, output = time.time(), RunDriver(config(tmp_path), Run()), tmp_path / OUTPUT
    lines = (
        ("Threads started!", 12.0, 0.0),
        ("[ 2s ] Checkpoint report:", 10.0, 1.0),
        ("the end", 0.0, 3.5),
    )
    for line, ago, held_up in lines:
        with output.open("a") as file:
            file.write(f"{line}\n")
        os.utime(output, (now - ago, now - ago))
        when = at_unix(now - ago).monotonic
        usage = Usage(when, 1.0, None, None, Throttling(held_up, 10 * held_up, 100.0))
        monkeypatch.setattr(driver, "_usage", lambda usage=usage: usage)
        driver._read_output()
    driver._finish(BEGAN, 0.0)
    summary = json.loads((tmp_path / SUMMARY).read_text())
    assert summary["throttledSeconds"] == pytest.approx(2.5, abs=0.01)
    assert summary["throttledPeriods"] == pytest.approx(25.0, abs=0.1)


def test_what_a_tool_wrote_last_counts_though_its_wrapper_has_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wrapper may end after the look for its note, and before the look for itself."""
    run, output = Run(), tmp_path / OUTPUT
    output.touch()

    def has_just_ended(_: int) -> bool:
        figures = "thds: 4 tps: 300.00 qps: 6.00 (r/w/o: 4/1/1) lat (ms,95%): 1.86 err/s: 0.00"
        output.write_text(f"[ 1s ] {figures}\n")
        (tmp_path / "ended").write_text("0 12.0 0\n")
        return False

    monkeypatch.setattr(process, "is_alive", has_just_ended)
    RunDriver(config(tmp_path), run)._follow(os.getpid())
    assert run.last is not None
    assert run.last.tps == 300.0


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The URLs at which a run stores its files, after a tool that has written some output."""
    urls = list[str]()
    (tmp_path / OUTPUT).write_text("the tool's own\n")
    (tmp_path / "ended").write_text("0 12.0 0\n")
    monkeypatch.setattr(Observation, "series", lambda _: b"time\n")
    monkeypatch.setattr(barrier, "wrapper", lambda _: os.getpid())
    monkeypatch.setattr(barrier, "open_start", lambda _: os.open(os.devnull, os.O_WRONLY))
    monkeypatch.setattr(barrier, "began", lambda _: BEGAN)
    monkeypatch.setattr(upload, "put", lambda url, *_: urls.append(url))
    return urls


def failed(folder: Path, run: Run) -> Any:
    """What a run that fails says in the end."""
    settings = config(folder)._replace(termination_log=folder / "message")
    assert RunDriver(settings, run).main() == 1
    return json.loads((folder / "message").read_text())


def released() -> Run:
    run = Run()
    run.wait()
    run.release(time.time(), {OUTPUT: "http://store.invalid/output"})
    return run


def test_a_full_disk_is_named_and_the_tool_s_output_is_kept(
    tmp_path: Path, stored: list[str]
) -> None:
    (tmp_path / SERIES).symlink_to("/dev/full")
    assert failed(tmp_path, released()) == {
        "prefix": "bench/trial/client-0",
        "digests": {OUTPUT: digest_of(b"the tool's own\n")},
        "error": "cannot write series.csv: No space left on device",
    }
    assert stored == ["http://store.invalid/output"]


def test_of_a_long_output_no_more_is_kept_than_is_read(
    tmp_path: Path, stored: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk may be full before it is cut off."""
    monkeypatch.setattr(recorder, "LARGEST", 8)
    (tmp_path / TIMETABLE).mkdir()
    run = released()
    run.slots = SLOTS
    assert OUTPUT in failed(tmp_path, run)["digests"]
    assert (tmp_path / OUTPUT).read_text().startswith("the tool\nencbench: cut off here;")
    assert stored


def test_before_the_release_there_is_no_place_for_an_output(
    tmp_path: Path, stored: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Path) -> int:
        raise OSError(errno.EIO, "Input/output error", "start")

    monkeypatch.setattr(barrier, "open_start", broken)
    said = failed(tmp_path, Run())
    assert (said["digests"], stored) == ({}, [])
    assert said["error"] == "cannot read or write start: Input/output error"


def test_an_output_that_is_not_stored_has_no_digest(
    tmp_path: Path, stored: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator would miss it in the bucket."""

    def away(*_: Any) -> None:
        raise upload.Away("no route to the store")

    monkeypatch.setattr(upload, "put", away)
    (tmp_path / SERIES).symlink_to("/dev/full")
    assert failed(tmp_path, released())["digests"] == {}


def test_what_was_finished_keeps_its_digests(
    tmp_path: Path, stored: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise OSError(errno.EIO, "Input/output error", SUMMARY)

    monkeypatch.setattr(upload, "put", broken)
    assert failed(tmp_path, released())["digests"].keys() == {OUTPUT, SERIES, SUMMARY}


def test_the_end_of_a_run_names_its_file_and_what_it_was_used_for() -> None:
    broken = OSError(errno.EIO, "Input/output error", "/run/encbench/output.log")
    assert cannot(broken) == "cannot read or write output.log: Input/output error"
    full = OSError(errno.ENOSPC, "No space left on device")
    assert cannot(full) == "cannot write a file: No space left on device"
    quota = OSError(errno.EDQUOT, "Disk quota exceeded", "/run/encbench/series.csv")
    assert cannot(quota) == "cannot write series.csv: Disk quota exceeded"
