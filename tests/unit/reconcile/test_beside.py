"""Whether a namespace has room for another campaign."""

from typing import Any

import pytest

from encbench.api.kinds import CAMPAIGN
from encbench.core.problem import Reason
from encbench.reconcile.campaign.beside import beside_others
from tests.support.fake_cluster import FakeCluster
from tests.unit.reconcile.test_campaign_decide import a_campaign, the_cell

PILOT, MOST = 6 * 3, (500 + 3) * 3
"""Trials of the pilot, and all that there may be, replacements included."""


@pytest.mark.parametrize("is_open", [True, False])
async def test_during_a_pilot_a_campaign_counts_with_all_that_it_may_have(is_open: bool) -> None:
    precision = {"targetHalfWidth": 0.01}
    of = a_campaign(blocks={"min": 6, "max": 500}, precision=precision)
    plan: dict[str, Any] = {
        "cell": the_cell(of).name,
        "instance": "small",
        "workload": "oltp",
        "concurrency": the_cell(of).conditions[0].concurrency,
        "pilotBlocks": 6,
        "plannedBlocks": 6,
    }
    other = of.body | {"status": {**of.status.to_dict(), "progress": {"planned": PILOT}}}
    other["status"]["blockPlans"] = [] if is_open else [plan]
    other["metadata"] = {**other["metadata"], "name": "other", "uid": "other"}
    cluster = FakeCluster()
    cluster.add(CAMPAIGN, other)
    for limit, room in ((MOST, not is_open), (MOST + PILOT, True)):
        found = await beside_others(cluster, of, PILOT, limit)
        assert [one.reason for one in found] == ([] if room else [Reason.NAMESPACE_FULL])
