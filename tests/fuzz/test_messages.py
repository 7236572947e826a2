"""What containers leave in their termination messages, which any image can write."""

from collections.abc import Callable
from typing import Any

from encbench.reconcile.pods import pod_facts
from encbench.reconcile.testbed.starting import PREPARE, data_copy
from encbench.reconcile.troubles import trouble
from encbench.wire.failure import failure
from encbench.wire.initialise import refused_settings
from encbench.wire.recorder import termination_digests
from tests.fuzz.budget import Budget
from tests.fuzz.inputs import documents
from tests.unit.reconcile.seen import NOW

MESSAGES = [
    {"failure": "the driver's jar has another digest"},
    {"refusedSettings": ["innodb_buffer_pool_size", "max_connections"]},
    {"prefix": "a/b", "digests": {"output.log": "sha256:" + "0" * 64}, "error": "x"},
    {"action": "copied", "files": 3, "bytes": 4096, "seconds": 0.5},
]
FOUND = [
    b"[" * 4096,
    b'{"digests": []}',
    b'{"digests": {"a": 1}}',
    b'{"action": "copied", "files": 0.0, "bytes": 4096, "seconds": 0.5}',
]
"""What earlier runs have stumbled over."""


def pod(message: str, container: str) -> dict[str, Any]:
    """One whose init container has ended with this message."""
    ended = {"exitCode": 1, "reason": "Error", "message": message}
    status = {"name": container, "state": {"terminated": ended}}
    meta = {"name": "p", "uid": "u", "creationTimestamp": "2030-01-01T00:00:00Z"}
    return {"metadata": meta, "status": {"initContainerStatuses": [status]}}


READERS: tuple[Callable[[str], object], ...] = (
    failure,
    refused_settings,
    lambda text: data_copy(pod_facts(pod(text, PREPARE.removeprefix("init:")))),
    lambda text: trouble([pod_facts(pod(text, "initialise"))], NOW),
    lambda text: trouble([pod_facts(pod(text, "driver"))], NOW),
)


def test_termination_messages(budget: Budget) -> None:
    def check(content: bytes) -> None:
        message = content.decode(errors="replace")[:4096]
        for read in READERS:
            read(message)
        assert all(isinstance(one, str) for one in termination_digests(message).values())

    budget.spend(check, documents(MESSAGES), FOUND)


def test_a_sentence_holds_no_control_characters() -> None:
    assert failure('{"failure": "a\\u001b[31m\\nb"}') == "a [31m b"
