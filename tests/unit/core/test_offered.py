"""The rate that a workload offers."""

from typing import Any

import pytest

from encbench.api.kinds import WORKLOAD
from encbench.api.workload import WorkloadSpec
from encbench.core.offered import offered_tps
from tests.support import manifests

BENCHMARKSQL = {"warehouses": 10, "limitTxnsPerMin": 1000, "benchmarksql": {}}
OWN = {"warehouses": 10, "limitTxnsPerMin": 1000}


def workload(**spec: Any) -> WorkloadSpec:
    client = {"image": "registry.example.com/tpcc:1", "resources": {"cpu": "1", "memory": "1Gi"}}
    load = {"concurrency": [64], "warmup": "0s", "duration": "5m"}
    body = manifests.body(WORKLOAD, "w", "ns")["spec"]
    tool = {"sysbench": body["sysbench"]} if "tpcc" not in spec else {}
    replicas = spec.pop("replicas", 1)
    rate = {"rate": spec.pop("rate")} if "rate" in spec else {}
    given = {**tool, "load": {**load, **rate}, "client": {**client, "replicas": replicas}, **spec}
    return WorkloadSpec.model_validate(given)


@pytest.mark.parametrize(
    ("spec", "threads", "offered"),
    [
        ({}, 64, None),
        ({"rate": 100}, 64, 100.0),
        ({"tpcc": {"warehouses": 10}}, 64, None),
        ({"tpcc": OWN}, 64, 1000 / 60),
        ({"tpcc": BENCHMARKSQL}, 64, 15 * 64 / 60),
        ({"tpcc": BENCHMARKSQL}, 50, 1000 / 60),
        ({"tpcc": BENCHMARKSQL, "replicas": 3}, 64, (15 * 22 + 15 * 21 + 15 * 21) / 60),
    ],
)
def test_what_is_offered(spec: dict[str, Any], threads: int, offered: float | None) -> None:
    """Upstream's jTPCC divides the limit by the terminals as whole numbers."""
    assert offered_tps(workload(**spec), threads) == offered
