"""What a program of ours leaves when it ends with an error, and what a status takes of it."""

import json
from pathlib import Path

import pytest

from encbench.wire.failure import failure, leave
from encbench.wire.foreign import LONGEST


def test_the_sentence_is_in_the_message_and_in_the_log(tmp_path: Path) -> None:
    message = tmp_path / "message"
    message.touch()
    with pytest.raises(SystemExit, match="encbench: the disk is full"):
        leave("the disk is full", message)
    assert failure(message.read_text()) == "the disk is full"


def test_a_pod_without_a_place_for_messages_still_gets_the_log(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="encbench: x"):
        leave("x", tmp_path / "message")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "message", ["", "encbench: x", "[]", "{}", "null", '{"failure": 1}', '{"failure": ""}']
)
def test_other_messages_are_none(message: str) -> None:
    assert failure(message) is None


def test_a_sentence_stays_one_short_line() -> None:
    said = failure(json.dumps({"failure": "a\nb\x1b[31m" + "c" * 5000}))
    assert said is not None
    assert said.startswith("a b [31mccc")
    assert len(said) == LONGEST
