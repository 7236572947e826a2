"""Whether a namespace has room for another campaign."""

from dataclasses import replace

import pytest

from encbench.api.kinds import CAMPAIGN
from encbench.core.problem import Reason
from encbench.reconcile.campaign.beside import beside_others
from tests.support.fake_cluster import FakeCluster
from tests.unit.reconcile.campaigns import a_campaign, the_cell, with_workloads

PILOT, MOST = 6 * 3, (500 + 3) * 3
"""Trials of the pilot, and all that there may be, replacements included."""


@pytest.mark.parametrize("fixed", [0, 1, 2])
async def test_a_condition_in_its_pilot_counts_with_all_that_it_may_have(fixed: int) -> None:
    """Those whose blocks are fixed count with these alone."""
    of = with_workloads(oltp={}, other={})
    spec = a_campaign(blocks={"min": 6, "max": 500}, precision={"targetHalfWidth": 0.01}).spec
    of = replace(of, spec=spec.model_copy(update={"matrix": of.spec.matrix}))
    plans = [
        {
            "cell": the_cell(of).name,
            "instance": "small",
            "workload": one.workload_ref,
            "concurrency": one.concurrency,
            "pilotBlocks": 6,
            "plannedBlocks": 6,
        }
        for one in the_cell(of).conditions
    ]
    other = of.body | {"spec": of.spec.to_dict(), "status": of.status.to_dict()}
    other["status"] |= {"progress": {"planned": 2 * PILOT}, "blockPlans": plans[:fixed]}
    other["metadata"] = {**other["metadata"], "name": "other", "uid": "other"}
    cluster = FakeCluster()
    cluster.add(CAMPAIGN, other)
    fits = (2 - fixed) * MOST + fixed * PILOT + PILOT
    for limit, reasons in ((fits - 1, [Reason.NAMESPACE_FULL]), (fits, [])):
        found = await beside_others(cluster, of, PILOT, limit)
        assert [one.reason for one in found] == reasons
