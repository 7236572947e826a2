"""What the operator reads of a recorder that has ended."""

import pytest

from encbench.wire.recorder import termination_digests, termination_error


def test_the_digests_of_a_run() -> None:
    message = '{"prefix": "p", "digests": {"output.log": "sha256:00"}, "error": "away"}'
    assert termination_digests(message) == {"output.log": "sha256:00"}


@pytest.mark.parametrize("message", ["", "Traceback", "[]", "3", '{"prefix": "p"}'])
def test_another_message_has_none(message: str) -> None:
    assert termination_digests(message) == {}
    assert termination_error(message) == ""


def test_why_a_run_is_not_stored() -> None:
    assert termination_error('{"digests": {}, "error": "no\\u001b space"}') == "no  space"
    assert termination_error('{"digests": {}, "error": 3}') == ""
