"""What a run leaves in the pod's status."""

import json

from encbench.sidecars.recorder.recorder import termination_message


def test_termination_message_is_small_and_whole() -> None:
    message = json.loads(termination_message("p", {"output.log": "sha256:0"}, None))
    assert message == {"prefix": "p", "digests": {"output.log": "sha256:0"}}
    long = termination_message("p" * 900, {"summary.json": "sha256:" + "0" * 64}, "e" * 9000)
    assert len(long) <= 4096
    assert json.loads(long)["error"] == "e" * 1024
