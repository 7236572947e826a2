"""How long an interleaved block lasts, and where its slots lie."""

import pytest

from encbench.api.trial import TrialSpec
from encbench.core.timetable import GUARD
from encbench.tools import turns as tools
from encbench.tools.gathering import gather_seconds
from encbench.tools.turns import load_seconds, own_slots, slot_times
from tests.support.workloads import trial_context, workload_spec


def a_trial(arms: int = 3, rounds: int = 20, length: float = 3.0) -> TrialSpec:
    turns = {
        "sliceSeconds": length,
        "settleSeconds": 0.5,
        "rounds": rounds,
        "seed": 7,
        "trials": [f"run-{arm}" for arm in range(arms)],
    }
    return trial_context(workload_spec(), turns=turns).spec


@pytest.mark.parametrize(("arms", "rounds", "length"), [(2, 1, 0.7), (3, 20, 3.0), (16, 333, 1.3)])
def test_the_load_lasts_as_long_as_the_timetable(arms: int, rounds: int, length: float) -> None:
    spec = a_trial(arms, rounds, length)
    assert spec.turns is not None
    warmup, period, slots = spec.workload.load.warmup_seconds, length + GUARD, arms * rounds
    seconds = slots * period
    assert load_seconds(spec) == gather_seconds(spec) + warmup + seconds + 0.05
    times = slot_times(spec, spec.turns)
    assert (times["slots"], times["period"]) == (slots, period)
    own = [own_slots(spec, spec.turns, trial)["own"] for trial in spec.turns.trials]
    assert [len(one) for one in own] == [rounds] * arms
    assert sorted(slot for one in own for slot in one) == list(range(slots))


def test_its_length_is_known_without_drawing_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass over a campaign asks for that of every trial under way."""

    def drawn(**_: object) -> tuple[int, ...]:
        raise AssertionError("hundreds of rounds are drawn")

    monkeypatch.setattr(tools, "timetable", drawn)
    spec = a_trial()
    assert spec.turns is not None
    assert load_seconds(spec) > 60 * 3.05
    assert slot_times(spec, spec.turns)["slots"] == 60
