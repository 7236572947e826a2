"""What cannot be meant is refused with one sentence and code 2, before anything is started."""

import subprocess
from pathlib import Path

import pytest

from tests.support.tpcc import home

GOOD = {
    "db": "postgres",
    "driver": "org.postgresql.Driver",
    # Nothing listens there, and the client says so with code 1.
    "conn": "jdbc:postgresql://127.0.0.1:1/tpcc",
    "user": "bench",
    "warehouses": "2",
    "terminals": "8",
    "runMins": "5",
}
REFUSED = {
    "weights": ({"newOrderWeight": "45", "paymentWeight": "45"}, "add up to 90, not to 100"),
    "terminals": (
        {"terminals": "21", "terminalWarehouseFixed": "true"},
        "more than the 20 districts of 2 warehouses",
    ),
    "length": ({"runTxnsPerTerminal": "10"}, "set one of them"),
    "driver": ({"driver": "com.example.Driver"}, "there is no driver com.example.Driver"),
    "dialect": ({"db": "oracle"}, "write postgres, mysql or mariadb"),
    "url": ({"conn": "jdbc:mysql://127.0.0.1:1/tpcc"}, "does not take the URL"),
    "property": ({"terminal": "8"}, "did you mean terminals?"),
    "password": ({"password": "geheim"}, "passwordFile"),
    "password file": ({"passwordFile": "/nonexistent"}, "cannot be read"),
}


def _run(folder: Path, *words: str, **properties: str) -> "subprocess.CompletedProcess[str]":
    file = folder / "props"
    file.write_text("".join(f"{name}={value}\n" for name, value in properties.items()))
    return subprocess.run(
        [f"{home()}/tpcc", *words, "--props", str(file)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, tmp_path: Path) -> None:
    properties, sentence = REFUSED[case]
    done = _run(tmp_path, "run", **{**GOOD, **properties})
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "geheim" not in done.stderr


def test_what_is_not_refused_is_tried(tmp_path: Path) -> None:
    done = _run(tmp_path, "run", **GOOD)
    assert done.returncode == 1
    assert "127.0.0.1:1 refused" in done.stderr


def test_help(tmp_path: Path) -> None:
    for words in (["--help"], *([word, "--help"] for word in ("load", "run", "check", "drop"))):
        done = subprocess.run(
            [f"{home()}/tpcc", *words], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0
        begins = "A TPC-C client" if words == ["--help"] else f"tpcc {words[0]} --props FILE"
        assert done.stdout.startswith(begins)
