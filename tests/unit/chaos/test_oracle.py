"""The oracle finds nothing in a good campaign, and each kind of violation in a bad one."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.chaos.oracle import Evidence, judge, replaced

ARMS = ("plaintext", "plaintext-control", "tde")
Break = Callable[[Evidence], None]


def trial(block: int, order: int, outcome: str = "Succeeded") -> dict[str, Any]:
    name = f"t-{block}-{order}"
    status: dict[str, Any] = {
        "outcome": outcome,
        "artefactKey": f"p/trials/{name}/trial.json",
        "artefactDigest": f"sha256:{name}",
    }
    if outcome != "Succeeded":
        status["reason"] = "Disrupted"
    spec = {"block": block, "order": order, "arm": {"name": ARMS[order - 1]}, "seed": 100 + block}
    return {"metadata": {"name": name}, "spec": spec, "status": status}


def evidence(*, broken: bool = False) -> Evidence:
    """Two valid blocks; with `broken` a third, whose first trial was disturbed, lies between."""
    trials = [trial(1, order) for order in (1, 2, 3)]
    if broken:
        trials.append(trial(2, 1, "Invalid"))
    trials += [trial(3 if broken else 2, order) for order in (1, 2, 3)]
    index = [
        {
            "name": one["metadata"]["name"],
            "outcome": one["status"]["outcome"],
            "key": one["status"]["artefactKey"],
            "digest": one["status"]["artefactDigest"],
        }
        for one in trials
    ]
    rows = [
        {
            "instance": "i",
            "workload": "w",
            "concurrency": 2,
            "arm": arm,
            "role": role,
            "blocks": 2,
            "tps": 50.0,
            "qps": 1000.0,
        }
        for arm, role in zip(ARMS, ("baseline", "control", "treatment"), strict=True)
    ]
    valid = [one for one in trials if one["status"]["outcome"] == "Succeeded"]
    progress = {"succeeded": len(valid), "invalid": len(trials) - len(valid), "failed": 0}
    campaign = {
        "spec": {"blocks": {"min": 2}},
        "status": {
            "conditions": [{"type": "Complete", "status": "True"}],
            "progress": progress,
            "resolved": {"hash": "h"},
        },
    }
    invalid = [{"reason": "Disrupted", "count": 1}] if broken else []
    return Evidence(
        campaign=campaign,
        trials=trials,
        report={"rows": rows, "invalid": invalid},
        index={"trials": index},
        tps={one["metadata"]["name"]: 50.0 for one in valid},
    )


def test_nothing_is_found_in_a_good_campaign() -> None:
    assert judge(evidence()) == []
    assert judge(evidence(), evidence()) == []


def test_a_replaced_block_is_no_violation() -> None:
    found = evidence(broken=True)
    assert judge(found, evidence()) == []
    assert replaced(found) == 1


def _fail(found: Evidence) -> None:
    failed = {"type": "Failed", "status": "True", "reason": "TestbedFailed", "message": "x"}
    found.campaign["status"]["conditions"] = [failed]


def _twice(found: Evidence) -> None:
    again = copy.deepcopy(found.trials[0])
    again["metadata"]["name"] = "again"
    found.trials.append(again)
    found.campaign["status"]["progress"]["succeeded"] += 1
    found.index["trials"].append({**found.index["trials"][0], "name": "again"})


def _third_block(found: Evidence) -> None:
    """A valid block that was not asked for."""
    more = [trial(3, order) for order in (1, 2, 3)]
    found.trials.extend(more)
    found.campaign["status"]["progress"]["succeeded"] += 3


def _leave_out(found: Evidence) -> None:
    for late in found.trials[3:]:
        late["spec"]["block"] = 4


def _without_record(found: Evidence) -> None:
    found.index["trials"][0]["key"] = None
    del found.trials[0]["status"]["artefactKey"]


VIOLATIONS: dict[str, tuple[Break, str]] = {
    "failed": (_fail, "the campaign failed: TestbedFailed"),
    "not over": (lambda e: e.campaign["status"].update(conditions=[]), "did not end"),
    "without outcome": (lambda e: e.trials[0]["status"].pop("outcome"), "t-1-1 has no outcome"),
    "progress": (
        lambda e: e.campaign["status"]["progress"].update(succeeded=5),
        "counts 5 Succeeded trials, and there are 6",
    ),
    "counted as invalid": (
        lambda e: e.report.update(invalid=[{"reason": "Disrupted", "count": 1}]),
        "the report counts {'Disrupted': 1}",
    ),
    "key twice": (_twice, "2 trials have the key p/trials/t-1-1/trial.json"),
    "place twice": (_twice, "2 trials are at (1, 'plaintext')"),
    "unresolved": (lambda e: e.unresolved.append("p/x: gone"), "unresolved: p/x"),
    "not in the index": (lambda e: e.index["trials"].pop(), "t-2-3 is in the index or"),
    "in the index twice": (
        lambda e: e.index["trials"].append(e.index["trials"][0]),
        "the index has trial t-1-1 2 times",
    ),
    "another digest": (
        lambda e: e.index["trials"][0].update(digest="sha256:other"),
        "digest of t-1-1 is sha256:other in the index",
    ),
    "another outcome": (
        lambda e: e.index["trials"][0].update(outcome="Invalid"),
        "outcome of t-1-1 is Invalid in the index",
    ),
    "valid without record": (_without_record, "the valid trial t-1-1 has no record"),
    "a block too many": (_third_block, "3 blocks are valid, and 2 were planned"),
    "a block number left out": (_leave_out, "there are blocks [1, 4]"),
    "a row of other blocks": (
        lambda e: e.report["rows"][2].update(blocks=1),
        "the row of tde is of 1 blocks, not 2",
    ),
    "a figure of another trial": (
        lambda e: e.report["rows"][2].update(tps=60.0),
        "the TPS of tde are 60.0, and 50.00 by the logs",
    ),
    "no figure": (lambda e: e.report["rows"][2].pop("tps"), "the TPS of tde are None"),
    "no log": (
        lambda e: e.tps.pop("t-1-3"),  # type: ignore[attr-defined]
        "rests on trials without a log: ['t-1-3']",
    ),
    "a row too few": (lambda e: e.report["rows"].pop(), "the row of tde is in one report"),
    "a field too few": (lambda e: e.report["rows"][0].pop("qps"), "qps of plaintext is in one"),
    "another role": (
        lambda e: e.report["rows"][2].update(role="other"),
        "role of tde is other, and treatment when nothing is disturbed",
    ),
    "another seed": (
        lambda e: e.trials[0]["spec"].update(seed=7),
        "at (1, 1) ran ('plaintext', 7), and ('plaintext', 101)",
    ),
    "other specs": (
        lambda e: e.campaign["status"]["resolved"].update(hash="other"),
        "the frozen specs differ",
    ),
}


@pytest.mark.parametrize("name", VIOLATIONS)
def test_a_violation_is_found(name: str) -> None:
    make_bad, words = VIOLATIONS[name]
    found = evidence()
    make_bad(found)
    told = judge(found, evidence())
    assert any(words in one for one in told), told


def test_a_valid_trial_of_a_broken_block_does_not_count() -> None:
    """The disturbed block's other trials have logs of their own, which no row may rest on."""
    found = evidence(broken=True)
    other = trial(2, 3)
    found.trials.append(other)
    found.campaign["status"]["progress"]["succeeded"] += 1
    found.index["trials"].append(
        {
            "name": "t-2-3",
            "outcome": "Succeeded",
            "key": other["status"]["artefactKey"],
            "digest": other["status"]["artefactDigest"],
        }
    )
    counted = Evidence(
        found.campaign, found.trials, found.report, found.index, tps={**found.tps, "t-2-3": 10.0}
    )
    assert judge(counted, evidence()) == []
