"""What a run leaves in the pod's status, and how much of its output."""

import json
from pathlib import Path

import pytest

from encbench.sidecars.recorder import recorder
from encbench.sidecars.recorder.recorder import cut_off, termination_message


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
