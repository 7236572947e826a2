"""Bad input is refused in one sentence with its exit code; the key is shown nowhere."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.support import confidential
from tests.support.confidential import AES, KEY, arguments, program
from tests.support.daemon import free_port

USAGE, CONTENT, UNREADABLE, UNAVAILABLE = 64, 65, 66, 69


def run(*argv: str) -> tuple[int, str]:
    """Exit code and what was said; a program that serves instead fails the test."""
    done = subprocess.run(
        [program(), *argv], capture_output=True, text=True, timeout=10, check=False
    )
    assert done.stdout == "" or done.returncode == 0
    return done.returncode, done.stderr + done.stdout


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("fe", "2 characters instead of 32 hex digits"),
        (KEY * 2, "64 characters instead of 32 hex digits"),
        (KEY[:-1], "31 characters"),
        (KEY + " ", "33 characters"),
        (KEY[:-1] + "g", "other than the hex digits"),
        ("", "0 characters"),
    ],
)
def test_a_key_that_is_none(tmp_path: Path, key: str, said: str) -> None:
    code, message = run(*arguments(tmp_path, 1, "a.b", key=key))
    assert code == CONTENT
    assert said in message
    assert message.count("\n") == 1
    assert not key or key not in message


@pytest.mark.parametrize("columns", ["a.b.c", "a.", "two words", "`a`.b"])
def test_columns_that_are_none(tmp_path: Path, columns: str) -> None:
    code, message = run(*arguments(tmp_path, 1, f"x.y\n{columns}\n"))
    assert code == CONTENT
    assert "line 2 is neither table.column nor the name of a table" in message


def test_usage(tmp_path: Path) -> None:
    assert run()[0] == USAGE
    assert run("--mek", KEY)[0] == USAGE
    assert KEY not in run(KEY)[1]
    code, message = run(*arguments(tmp_path, 1, "", "SM4_128_CBC"))
    assert (code, "AES_128_GCM or SM4_128_GCM" in message) == (USAGE, True)
    code, message = run(*arguments(tmp_path, 1, ""), "--workers", "0")
    assert (code, "a number from 1 to 1024" in message) == (USAGE, True)
    (tmp_path / "mek").unlink()
    line = arguments(tmp_path, 1, "")
    line[line.index("--mek-file") + 1] = str(tmp_path / "nothing")
    assert run(*line)[0] == UNREADABLE
    line = arguments(tmp_path, 1, "")
    line[1] = "192.0.2.1:1"
    assert run(*line)[0] == UNAVAILABLE


def test_help_names_every_option() -> None:
    code, text = run("--help")
    assert code == 0
    for option in (
        "listen",
        "upstream",
        "mek-file",
        "algorithm",
        "columns",
        "permissive",
        "workers",
        "row-memory",
    ):
        assert f"--{option}" in text


def test_it_has_a_worker_for_every_processor(tmp_path: Path) -> None:
    processors = len(os.sched_getaffinity(0))
    with confidential.running(tmp_path, free_port()) as proxy:
        assert 3 <= proxy.threads <= processors + 2  # one accepts, and one keeps time
    with confidential.running(tmp_path, free_port(), "", AES, "--workers", "3") as proxy:
        assert proxy.threads == 5


def test_the_key_is_nowhere_to_be_read(tmp_path: Path) -> None:
    with confidential.running(tmp_path, free_port(), "a.b\n") as proxy:
        shown = Path(f"/proc/{proxy.process.pid}/cmdline").read_bytes()
        shown += Path(f"/proc/{proxy.process.pid}/environ").read_bytes()
        assert KEY.encode() not in shown
        assert proxy.announced.startswith("listens at 127.0.0.1:")
        assert KEY not in proxy.announced
    assert KEY not in proxy.said
