"""Gathering evidence with a session that only writes down what it is asked."""

import errno
import io
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from encbench.adapters.sql import Row, Session, SqlError
from encbench.engines.innodb import marker
from encbench.engines.mariadb import catalogue
from encbench.engines.marker import table_name
from encbench.sidecars.agent import evidence
from encbench.sidecars.agent.evidence import EvidenceError, EvidenceSource
from encbench.sidecars.agent.probe import probe
from encbench.wire.agent import ColumnsSeen

MARKER = "encbench-marker-0001"
TABLE = table_name(MARKER)
QUIET: list[Row] = [("innodb_system", 1, 1, None, 0)]
BUSY: list[Row] = [("innodb_system", 1, 1, None, 1)]


class Recorded:
    """A session with scripted answers; one kind of statement may fail."""

    def __init__(
        self, volume: Path, *, fails: str = "", tablespaces: Sequence[list[Row]] = ()
    ) -> None:
        self.statements: list[str] = []
        self.closed = False
        self._volume = volume
        self._fails = fails
        self._tablespaces: list[list[Row]] = list(tablespaces) or [QUIET]

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Row]:
        if self.closed:
            raise SqlError("closed")
        self.statements.append(statement)
        if self._fails and statement.startswith(self._fails):
            self.closed = True
            raise SqlError("the database server did not do what was asked: no")
        if statement.startswith("INSERT"):
            own = self._volume / "data" / "sbtest" / f"{TABLE}.ibd"
            own.parent.mkdir(parents=True, exist_ok=True)
            own.write_bytes(str(arguments[0]).encode())
        if statement == catalogue.TABLESPACES:
            return self._tablespaces.pop(0) if len(self._tablespaces) > 1 else self._tablespaces[0]
        if statement == catalogue.ENCRYPTION_SETTINGS:
            return [("log_bin", "ON")]
        return [("encbench_marker_old",)] if statement == marker.LEFT_BEHIND[0] else []

    def close(self) -> None:
        self.closed = True


def run(
    volume: Path,
    *sessions: Recorded,
    full: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
    seconds: float = 60.0,
) -> Any:
    waiting = list(sessions)
    source = EvidenceSource(lambda: waiting.pop(0), probe("mariadb"), volume)
    return source.gather({"marker": MARKER, "full": full, "seconds": seconds}, cancelled)


def test_the_order_of_things(tmp_path: Path) -> None:
    session = Recorded(tmp_path)
    made = run(tmp_path, session)
    starts = [statement.split(" (")[0].split(" WHERE")[0] for statement in session.statements]
    assert starts[1] == "DROP TABLE IF EXISTS sbtest.encbench_marker_old"
    assert [s.split()[0] for s in starts[2:7]] == ["CREATE", "INSERT", "COMMIT", "FLUSH", "UNLOCK"]
    assert starts[-1] == f"DROP TABLE IF EXISTS sbtest.{TABLE}"
    assert "FLUSH BINARY LOGS" not in starts
    assert session.closed
    assert made["files"] == [
        {"path": f"data/sbtest/{TABLE}.ibd", "kind": "table", "bytes": len(MARKER), "found": True}
    ]
    assert made["catalogue"]["variables"] == {"log_bin": "ON"}
    assert made["markerTable"] == TABLE
    assert made["markerFile"] == f"data/sbtest/{TABLE}.ibd"


def test_a_full_search_completes_the_logs_and_reads_everything(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp" / "spilled").write_bytes(b"x" + MARKER.encode())
    session = Recorded(tmp_path)
    made = run(tmp_path, session, full=True)
    assert "FLUSH BINARY LOGS" in session.statements
    assert [file["path"] for file in made["files"] if file["found"]] == [
        f"data/sbtest/{TABLE}.ibd",
        "tmp/spilled",
    ]


def test_a_full_proof_waits_for_background_encryption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "SETTLE_POLL_SECONDS", 0.0)
    made = run(tmp_path, Recorded(tmp_path, tablespaces=[BUSY, BUSY, QUIET]), full=True)
    assert made["catalogue"]["tablespaces"][0]["busy"] is False
    monkeypatch.setattr(evidence, "SETTLE_SECONDS", 0.0)
    made = run(tmp_path, Recorded(tmp_path, tablespaces=[BUSY]), full=True)
    assert made["catalogue"]["tablespaces"][0]["busy"] is True


@pytest.mark.parametrize("fails", ["INSERT", "FLUSH", "SHOW"])
def test_the_table_goes_after_an_error_too(tmp_path: Path, fails: str) -> None:
    first, second = Recorded(tmp_path, fails=fails), Recorded(tmp_path)
    with pytest.raises(EvidenceError, match="did not do what was asked"):
        run(tmp_path, first, second)
    assert second.statements == [f"DROP TABLE IF EXISTS sbtest.{TABLE}"]
    assert first.closed
    assert second.closed


def test_it_ends_when_nobody_waits(tmp_path: Path) -> None:
    session = Recorded(tmp_path)
    with pytest.raises(EvidenceError, match="has gone"):
        run(tmp_path, session, cancelled=lambda: True)
    assert session.statements[-1] == f"DROP TABLE IF EXISTS sbtest.{TABLE}"


def test_it_ends_after_the_time_that_its_caller_gives_it(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="the search took longer than 0 s"):
        run(tmp_path, Recorded(tmp_path), full=True, seconds=0.0)


def test_a_session_that_the_server_ends_during_the_search_costs_nothing(tmp_path: Path) -> None:
    """It is idle for as long as the search lasts, which may be longer than `wait_timeout`."""
    first, second = Recorded(tmp_path), Recorded(tmp_path)

    def idle() -> bool:
        first.close()
        return False

    def columns(session: Session, *, full: bool) -> ColumnsSeen:
        session.rows("SELECT 1")
        return {"chosen": 0, "all": 0, "tables": []}

    waiting = [first, second]
    source = EvidenceSource(lambda: waiting.pop(0), probe("mariadb"), tmp_path, columns=columns)
    made = source.gather({"marker": MARKER, "full": True, "seconds": 60.0}, idle)
    assert made["columns"] == {"chosen": 0, "all": 0, "tables": []}
    assert second.statements == [f"DROP TABLE IF EXISTS sbtest.{TABLE}"]


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    class Elsewhere(Recorded):
        def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Row]:
            return [] if statement.startswith("INSERT") else super().rows(statement, arguments)

    with pytest.raises(EvidenceError, match=r"cannot read .*No such file"):
        run(tmp_path, Elsewhere(tmp_path))


def test_a_file_that_fails_while_it_is_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(io.FileIO):
        def readinto(self, *_: Any) -> int:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    real = Path.open

    def broken(path: Path, *how: Any, **more: Any) -> Any:
        return Broken(path) if how == ("rb",) else real(path, *how, **more)

    monkeypatch.setattr(Path, "open", broken)
    with pytest.raises(EvidenceError, match=rf"cannot read .*/{TABLE}\.ibd: Input/output error"):
        run(tmp_path, Recorded(tmp_path))
