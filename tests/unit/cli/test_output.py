"""Answers read as they should on a terminal, and are bytes elsewhere."""

import io
import sys
from pathlib import Path

import pytest

from encbench.cli.output import write, write_in_any_encoding
from tests.support.encoded_terminal import EncodedTerminal

ANSWER = "loss −3.1 % … ≤ 5 %\x1b[2J\n"


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("latin-1", "loss -3.1 % ... <= 5 % [2J\n"),
        ("cp1252", "loss -3.1 % … <= 5 % [2J\n"),
        ("utf-8", "loss −3.1 % … ≤ 5 % [2J\n"),
    ],
)
def test_a_terminal_gets_letters_of_its_encoding(
    encoding: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = EncodedTerminal(encoding)
    monkeypatch.setattr(sys, "stdout", out)
    write_in_any_encoding()
    write(ANSWER.encode(), None)
    assert out.written() == shown


def test_a_pipe_and_a_file_get_the_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report is UTF-8 wherever it is read."""
    pipe = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(pipe, "latin-1"))
    write_in_any_encoding()
    write(ANSWER.encode(), None)
    write(ANSWER.encode(), str(tmp_path / "answer"))
    assert pipe.getvalue() == (tmp_path / "answer").read_bytes() == ANSWER.encode()
