"""Answers of sidecars against the types that `wire` declares."""

from typing import Any

import pytest

from encbench.wire.agent import ChecksAnswer, RecoveryAnswer
from encbench.wire.recorder import ReleaseRequest, StateAnswer
from encbench.wire.shape import misfit
from encbench.wire.slices import SlicesFile

STATE: dict[str, Any] = {
    "state": "waiting",
    "startAt": None,
    "exitCode": None,
    "lastTps": 1.5,
    "digests": {"output.log": "sha256:0"},
    "clock": 1.7e9,
    "error": None,
}


def test_what_fits() -> None:
    assert misfit(StateAnswer, STATE) is None
    assert misfit(StateAnswer, {**STATE, "further": object()}) is None, "of a newer version"
    for window in (None, {"start": 1.7e9, "end": 1.7e9 + 60}):
        assert misfit(StateAnswer, {**STATE, "window": window}) is None, "of 0.1.0"
    assert misfit(RecoveryAnswer, {"run": "a", "state": "unknown"}) is None
    assert misfit(SlicesFile, {"schema": "x", "slices": [], "latency": [[1.0, 2.0, 3]]}) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"state": "asleep"}, "state is none of waiting, released"),
        ({"clock": "now"}, "clock is not a number"),
        ({"clock": True}, "clock is not a number"),
        ({"clock": float("nan")}, "clock is not a number"),
        ({"clock": 10**400}, "clock is too large"),
        ({"clock": 1e300}, "clock is too large"),
        ({"exitCode": 1.0}, "exitCode is not a whole number"),
        ({"exitCode": 2**63}, "exitCode is too large"),
        ({"digests": ["a"]}, "digests is no object"),
        ({"digests": {"a": 1}}, "digests.a is not text"),
    ],
)
def test_what_does_not(change: dict[str, Any], words: str) -> None:
    assert words in (misfit(StateAnswer, {**STATE, **change}) or "")


def test_a_missing_field_of_a_part() -> None:
    request = {"startAt": 1.0, "uploads": {}, "clock": {"seconds": 0.1}}
    assert misfit(ReleaseRequest, request) == "clock.roundTrip is missing"


def test_places_within_lists() -> None:
    rows = {"name": "a", "meaning": "b", "rows": [["1"], [2]]}
    answer = {"run": "a", "state": "done", "checks": [rows], "error": None, "tookSeconds": 1}
    assert misfit(ChecksAnswer, answer) == "checks[0].rows[1][0] is not text"
    latency = {"schema": "x", "slices": [], "latency": [[1.0, 2.0]]}
    assert misfit(SlicesFile, latency) == "latency[0] has 2 items, not 3"
