"""The digest of a driver's jar, and nothing else that a container might say."""

from pathlib import Path

import pytest

from encbench.wire.failure import failure
from encbench.wire.jar import jar_digest, leave_digest

DIGEST = f"sha256:{'0a' * 32}"


def test_what_is_left_is_read(tmp_path: Path) -> None:
    message = tmp_path / "termination-log"
    leave_digest(DIGEST, message)
    assert not message.exists(), "the kubelet makes it"
    message.touch()
    leave_digest(DIGEST, message)
    assert jar_digest(message.read_text()) == DIGEST
    assert failure(message.read_text()) is None


@pytest.mark.parametrize(
    "message",
    ["", "a text", "[]", '{"jar": 1}', '{"jar": "0a"}', '{"jar": "sha256:<b>"}', '{"failure": ""}'],
)
def test_any_other_text_is_none(message: str) -> None:
    assert jar_digest(message) is None
