"""Manifests of small campaigns of TPC-C, on each engine."""

from typing import Any

from tests.e2e import manifests

SMALL: dict[str, dict[str, str]] = {
    "resources": {"cpu": "380m", "memory": "384Mi"},
    "storage": {"size": "2Gi"},
    "settings": {},
}
ENGINES: dict[str, dict[str, Any]] = {
    "postgresql": {
        **SMALL,
        "engine": "postgresql",
        "version": "15",
        "image": "docker.io/encbench/postgresql:15",
        "settings": {"shared_buffers": "128MB"},
    },
    "mariadb": {
        **SMALL,
        "engine": "mariadb",
        "version": "10.11",
        "image": "docker.io/encbench/mariadb:10.11",
    },
    "mysql": {
        **SMALL,
        "engine": "mysql",
        "version": "9.7",
        "image": "docker.io/encbench/mysql:9.7",
        "resources": {"cpu": "380m", "memory": "768Mi"},
        "storage": {"size": "3Gi"},
    },
}
DURATION = 8
"""Seconds of a trial's window."""


def instance(engine: str) -> dict[str, Any]:
    """One of `ENGINES`."""
    return manifests.instance(f"tpcc-{engine}", **ENGINES[engine])


def workload(name: str = "tpcc", **tpcc: Any) -> dict[str, Any]:
    """One warehouse through our own client."""
    made = manifests.workload(
        name,
        load={"concurrency": [4], "warmup": "3s", "duration": f"{DURATION}s"},
        client={
            "image": "docker.io/encbench/tpcc:1.0",
            "resources": {"cpu": "400m", "memory": "384Mi"},
        },
    )
    del made["spec"]["sysbench"]
    made["spec"]["tpcc"] = {"warehouses": 1, **tpcc}
    return made


def campaign(name: str, engine: str, workloads: str = "tpcc", **fields: Any) -> dict[str, Any]:
    """The baseline against itself: two databases."""
    made = manifests.campaign(name, ["plaintext"], **fields)
    made["spec"]["matrix"][0] |= {"instanceRefs": [f"tpcc-{engine}"], "workloadRefs": [workloads]}
    return made
