"""`kubectl encbench extend` on a cluster: the follow-up measures, and its report pools both."""

import json
from math import exp, log, sqrt
from statistics import mean
from typing import Any, NamedTuple

import pytest

from tests.e2e import manifests
from tests.e2e.bucket import bucket
from tests.e2e.campaigns import conditions, delete_campaign, ended, verified
from tests.support.install import NAMESPACE
from tests.support.kube import Kube, wait_for

# Seven minutes of measuring.
pytestmark = pytest.mark.full

FIRST, SECOND = "to-extend", "to-extend-more-1"
BLOCKS = 2
T_975_2_DEGREES = 4.302652730
"""97.5th percentile of Student's t with two degrees of freedom, from a printed table."""


class Ended(NamedTuple):
    """A campaign that has ended, and what it left."""

    campaign: dict[str, Any]
    report: dict[str, Any]
    tps: dict[int, dict[str, float]]
    """By block and arm, from the records."""

    @property
    def costs(self) -> list[float]:
        """ln(TDE / baseline) of each block, the baseline being both its arms."""
        return [
            log(arms["tde"]) - (log(arms["plaintext"]) + log(arms["plaintext-control"])) / 2
            for arms in self.tps.values()
        ]


def _ended(kube: Kube, name: str) -> Ended:
    campaign = wait_for(f"the end of campaign {name}", lambda: ended(kube, name), 400)
    report = kube.get("overheadreport", name, NAMESPACE)
    assert report is not None, conditions(campaign)
    artefacts = report["status"]["artefacts"]
    tps: dict[int, dict[str, float]] = {}
    with bucket(kube) as store:
        for entry in json.loads(store.get(artefacts["index"]["key"]))["trials"]:
            if entry["outcome"] == "Succeeded":
                record = json.loads(store.get(entry["key"]))
                spec = record["spec"]
                tps.setdefault(spec["block"], {})[spec["arm"]["name"]] = record["result"]["tps"]
        return Ended(campaign, json.loads(store.get(artefacts["json"]["key"])), tps)


@pytest.fixture(scope="module")
def both(installed: Kube) -> Any:
    """The first campaign, and its follow-up as a user asks for it."""
    blocks = {"min": BLOCKS, "maxReplacements": 1, "extensions": 1}
    installed.apply(manifests.campaign(FIRST, ["tde"], blocks=blocks))
    first = _ended(installed, FIRST)
    asked = ("extend", FIRST, f"--namespace={NAMESPACE}", "--blocks")
    assert installed.plugin(*asked, str(BLOCKS)).returncode == 0
    assert installed.plugin(*asked, str(BLOCKS)).returncode == 0, "an answer may be lost"
    assert installed.plugin(*asked, str(BLOCKS + 1)).returncode != 0, "a campaign has one follow-up"
    yield first, _ended(installed, SECOND)
    delete_campaign(installed, FIRST, SECOND)


def test_the_follow_up_measures_the_frozen_plan(both: tuple[Ended, Ended]) -> None:
    first, second = both
    assert conditions(second.campaign)["Complete"]["status"] == "True"
    assert len(first.tps) == len(second.tps) == BLOCKS
    parts = [one.campaign["status"]["resolved"] for one in both]
    assert parts[0] == parts[1]


def test_both_are_pooled_by_the_stated_rule(both: tuple[Ended, Ended]) -> None:
    """docs/design/0013: the spread is taken around each campaign's own mean."""
    costs = [one.costs for one in both]
    pooled = [cost for own in costs for cost in own]
    squares = sum((cost - mean(own)) ** 2 for own in costs for cost in own)
    half = T_975_2_DEGREES * sqrt(squares / (len(pooled) - len(costs)) / len(pooled))
    (group,) = both[1].report["groups"]
    (found,) = (one for one in group["pooled"] if (one["arm"], one["figure"]) == ("tde", "tps"))
    assert [part["blocks"] for part in found["parts"]] == [BLOCKS, BLOCKS]
    assert found["blocks"] == 2 * BLOCKS
    change, middle = found["change"], mean(pooled)
    assert change["estimate"] == pytest.approx(1 - exp(middle), rel=1e-3, abs=1e-5)
    assert change["low"] == pytest.approx(1 - exp(middle + half), rel=1e-3, abs=1e-5)
    assert change["high"] == pytest.approx(1 - exp(middle - half), rel=1e-3, abs=1e-5)


def test_the_verdict_is_of_both(both: tuple[Ended, Ended]) -> None:
    """The plan announced the follow-up, so its blocks and the first campaign's are judged."""
    (group,) = both[1].report["groups"]
    (compared,) = group["comparisons"]
    (finding,) = (one for one in compared["findings"] if one["figure"] == "tps")
    (pooled,) = (one for one in group["pooled"] if one["figure"] == "tps")
    assert finding["blocks"] == 2 * BLOCKS
    assert finding["change"] == pooled["change"]
    assert both[1].report["pooling"]["extensions"] == 1


@pytest.mark.parametrize("name", [FIRST, SECOND])
def test_the_plugin_makes_its_report_again(
    installed: Kube, both: tuple[Ended, Ended], name: str
) -> None:
    verified(installed, name)
