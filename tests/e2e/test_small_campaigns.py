"""Every study's small form, applied as its README says: a report, and no trial that proves nothing.

They take four minutes to half an hour each, so all of them belong to `make test-full`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.e2e import manifests, readings
from tests.e2e.campaigns import conditions, delete_campaign, ended, verified
from tests.support.install import NAMESPACE
from tests.support.kube import REPO, Kube, wait_for

# They are sized for one node, and say nothing of which of several their databases take.
pytestmark = [pytest.mark.full, pytest.mark.usefixtures("single_node")]

STUDIES = sorted(path.parent.name for path in REPO.glob("campaigns/*/small"))
LONGEST = 45 * 60
"""Seconds that a small form may take here. The longest is `recovery`: 72 trials of 25 s."""
DISTURBED = {"ForeignLoad", "NotIdle", "ClientThrottled", "SeriesLost", "BlockBroken", "SlotMissed"}
"""What a busy machine does to a trial; the operator replaces its block. Any other reason says that
the mode or the workload is not what the campaign promises."""


@dataclass(frozen=True)
class Found:
    """A small campaign that has ended."""

    campaign: dict[str, Any]
    report: dict[str, Any]
    """Status of its OverheadReport."""
    records: list[dict[str, Any]]


@pytest.fixture(scope="module", params=STUDIES)
def found(request: pytest.FixtureRequest, installed: Kube) -> Iterator[Found]:
    """The campaign, run to its end."""
    name = f"{request.param}-small"
    folder = REPO / "campaigns" / request.param / "small"
    installed.kubectl("apply", f"--namespace={NAMESPACE}", f"--kustomize={folder}")
    try:
        body = wait_for(f"the end of {name}", lambda: ended(installed, name), LONGEST, every=2)
        assert conditions(body).get("Complete", {}).get("status") == "True", body["status"]
        report = installed.get("overheadreport", name, NAMESPACE)
        assert report is not None
        records = [record for record, _ in readings.records(installed, report["status"])]
        verified(installed, name)
        yield Found(body, report["status"], records)
    finally:
        delete_campaign(installed, name)
        # A study's modes and workloads may be called as those of the tests that follow.
        installed.apply(*manifests.parts())


def test_the_report_has_every_condition_in_full(found: Found) -> None:
    matrix = found.campaign["spec"]["matrix"]
    assert {row["workload"] for row in found.report["rows"]} == {
        name for entry in matrix for name in entry["workloadRefs"]
    }
    for row in found.report["rows"]:
        assert row["blocks"] == row["plannedBlocks"], row
        assert row["tps"] > 0 or "recovery" in row["workload"], row


def test_a_trial_is_replaced_only_because_the_machine_was_busy(found: Found) -> None:
    others = [record for record in found.records if record["outcome"] != "Succeeded"]
    assert {record["reason"] for record in others} <= DISTURBED, others
    progress = found.campaign["status"]["progress"]
    assert progress["succeeded"] == len(found.records) - len(others)
    assert progress["invalid"] == len(others)
