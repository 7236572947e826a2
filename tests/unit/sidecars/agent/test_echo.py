"""An engine whose marker has an echo: a search distinguishes the two."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from encbench.adapters.sql import Row
from encbench.engines.mysql import catalogue
from encbench.engines.mysql.marker import echo
from encbench.sidecars.agent.evidence import EvidenceSource
from encbench.sidecars.agent.files import CHUNK, search_file
from encbench.sidecars.agent.probe import probe
from encbench.wire.agent import EvidenceRequest

MARKER = "encbench-marker-0001"
ECHO = echo(MARKER)


def never() -> None:
    """Do not stop the search."""


@pytest.mark.parametrize("offset", [0, CHUNK - len(MARKER) + 1, CHUNK - 1, 2 * CHUNK - 5])
def test_one_is_not_taken_for_the_other(tmp_path: Path, offset: int) -> None:
    for text, hits in ((MARKER, (True, False)), (ECHO, (False, True)), ("", (False, False))):
        path = tmp_path / "file"
        path.write_bytes(b"\0" * offset + text.encode() + b"\0" * 100)
        seen = search_file(path, MARKER.encode(), never, forget=False, echo=ECHO.encode())
        assert (seen.found, seen.echoed) == hits
        assert search_file(path, MARKER.encode(), never, forget=False).echoed is False


class Session:
    """A MySQL that writes the marker to its table, the echo to its dictionary."""

    def __init__(self, data: Path) -> None:
        self.data = data

    def rows(self, statement: str, arguments: Sequence[object] = ()) -> list[Row]:
        if statement.startswith("INSERT"):
            name = statement.split()[2].removeprefix("sbtest.")
            (self.data / "sbtest").mkdir(parents=True)
            (self.data / "sbtest" / f"{name}.ibd").write_text(str(arguments[0]))
            (self.data / "mysql.ibd").write_text(str(arguments[1]))
            (self.data / "ibdata1").write_text("neither")
        answers: dict[str, list[Row]] = {
            catalogue.BINARY_LOGS: [("binlog.000001", 1, "Yes")],
            catalogue.STATUS: [("Ssl_server_not_after", "")],
        }
        return answers.get(statement, [])

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize("engine", ["mysql", "percona"])
def test_evidence_says_where_each_lies(tmp_path: Path, engine: str) -> None:
    data = tmp_path / "data"
    source = EvidenceSource(lambda: Session(data), probe(engine), tmp_path)
    request = EvidenceRequest(marker=MARKER, full=True, seconds=60.0)
    made = source.gather(request, lambda: False)
    seen = {file["path"]: (file["found"], file.get("echoed")) for file in made["files"]}
    assert seen == {
        "data/ibdata1": (False, None),
        "data/mysql.ibd": (False, True),
        f"data/sbtest/{made['markerTable']}.ibd": (True, None),
    }
    assert made["catalogue"]["binaryLogs"] == [{"name": "binlog.000001", "encrypted": True}]
    assert made["catalogue"]["variables"] == {"Ssl_server_not_after": ""}
