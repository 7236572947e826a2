"""The short form of `make chaos`: one campaign under a few faults, judged by the same oracle."""

import os
from dataclasses import replace

import pytest

from tests.chaos import campaign, schedule
from tests.chaos.faults import FAULTS
from tests.chaos.scene import Scene
from tests.cluster.layout import Layout
from tests.support.install import is_own
from tests.support.kube import Kube

pytestmark = pytest.mark.skipif(not is_own(), reason="a cluster of others is not ours to break")

SHORT = (
    *("api-server-killed", "etcd-frozen", "kubelet-frozen", "operator-killed-at-the-record"),
    *("prometheus-killed", "store-frozen", "database-deleted", "client-scratch-full"),
    *("database-partition", "operator-partition"),
)
HOLD = 4.0
EACH = 5


def test_a_campaign_under_fire(installed: Kube) -> None:
    seed = int(os.environ.get("ENCBENCH_CHAOS_SEED") or int.from_bytes(os.urandom(4)))
    print(f"ENCBENCH_CHAOS_SEED={seed} repeats this")
    faults = [FAULTS[name] for name in SHORT]
    plan = [
        replace(one, hold=min(one.hold, HOLD))
        for one in next(schedule.campaigns(seed, faults, EACH))
    ]
    name = "under-fire"
    installed.apply(campaign.workload())
    body = campaign.manifest(name, "mariadb")
    outcome = campaign.run(Scene(installed, Layout.from_environment(), name), body, plan)
    assert outcome.violations == []
    assert any(hit.target for hit in outcome.hits)
