"""Reading a file while it grows."""

import os
import time
from itertools import pairwise
from pathlib import Path

import pytest

from encbench.sidecars.recorder import follow
from encbench.sidecars.recorder.follow import OutputFollower, pause, reader
from encbench.tools.sysbench.progress import SysbenchReader
from encbench.tools.tpcc.progress import LONGEST


def test_lines_come_once_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "output.log"
    output = OutputFollower(path)
    assert output.poll() == []
    assert output.changed is None
    with path.open("a") as file:
        file.write("one\ntw")
        file.flush()
        assert output.poll() == ["one"]
        assert output.poll() == []
        file.write("o\n\nthree\n")
        file.flush()
        assert output.poll() == ["two", "", "three"]


def test_the_time_is_that_of_the_write_not_of_the_look(tmp_path: Path) -> None:
    path = tmp_path / "output.log"
    path.write_text("line\n")
    before = time.clock_gettime(time.CLOCK_BOOTTIME)
    written = time.time() - 3.25
    os.utime(path, (written, written))
    output = OutputFollower(path)
    output.poll()
    assert output.changed is not None
    assert output.changed.unix == pytest.approx(written, abs=0.001)
    after = time.clock_gettime(time.CLOCK_BOOTTIME)
    assert before - 0.001 <= output.changed.monotonic + 3.25 <= after + 0.001


def test_bytes_that_are_no_text_do_not_stop_us(tmp_path: Path) -> None:
    path = tmp_path / "output.log"
    path.write_bytes(b"\xff\xfe line\n")
    assert OutputFollower(path).poll() == ["\ufffd\ufffd line"]


def test_a_backspace_ends_a_line_as_a_newline_does(tmp_path: Path) -> None:
    path = tmp_path / "output.log"
    path.write_bytes(b"status one\b\b\bstatus two\b\b\blast\n")
    lines = [line for line in OutputFollower(path).poll() if line]
    assert lines == ["status one", "status two", "last"]


def test_looks_come_closer_as_a_report_is_due() -> None:
    moment, looks = 10.05, []
    while moment < 11.05:
        looks.append(moment)
        moment += pause(moment, has_warmup=True)
    gaps = [after - before for before, after in pairwise(looks)]
    nearest = min(look - 11.0 for look in looks if look >= 11.0)
    assert nearest <= 0.006
    assert len(looks) < 25
    assert max(gaps) == pytest.approx(0.2)


def test_a_recorder_looks_away_while_others_begin() -> None:
    assert pause(None, has_warmup=True) == pytest.approx(0.2)
    assert pause(0.01, has_warmup=True) == pytest.approx(0.2)
    assert pause(None, has_warmup=False) == pytest.approx(0.02)  # Its CPU counts from here.


def test_readers() -> None:
    assert isinstance(reader("sysbench"), SysbenchReader)
    for tool in ("sysbench", "tpcc"):
        assert reader(tool) is not reader(tool)  # it remembers, so each run has its own
    with pytest.raises(ValueError, match="pgbench"):
        reader("pgbench")


def test_no_more_than_a_part_is_read_at_once_and_no_more_than_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "CHUNK", 4)
    monkeypatch.setattr(follow, "LARGEST", 10)
    path = tmp_path / "output.log"
    path.write_text("a\nb\nc\nd\ne\nf\ng\n")
    output = OutputFollower(path)
    assert [output.poll() for _ in range(4)] == [["a", "b"], ["c", "d"], ["e"], []]


def test_a_line_without_an_end_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the recorder is killed, and not even the trial's log says what the tool wrote."""
    monkeypatch.setattr(follow, "CHUNK", 4)
    monkeypatch.setattr(follow, "LONGEST_LINE", 5)
    path = tmp_path / "output.log"
    path.write_bytes(b"abcdefghijklmnop\nnext\n")
    output, lines = OutputFollower(path), list[str]()
    for _ in range(6):
        lines += output.poll()
        assert len(output._rest) <= 5
    assert lines == ["abcde", "next"]


def test_a_long_line_within_a_chunk_is_cut_off_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "LONGEST_LINE", 3)
    path = tmp_path / "output.log"
    path.write_text("abcdef\ng\n")
    assert OutputFollower(path).poll() == ["abc", "g"]


def test_a_line_of_the_tpcc_client_is_looked_at_whole() -> None:
    assert follow.LONGEST_LINE >= LONGEST
