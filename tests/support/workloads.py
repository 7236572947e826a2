"""Specs of workloads and trials, small enough for a test to say only what it is about."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from encbench.api.kinds import TESTBED, TRIAL
from encbench.api.testbed import TestbedSpec
from encbench.api.trial import TrialSpec
from encbench.api.workload import WorkloadSpec
from encbench.core.connection import Connection
from encbench.kube.labels import owner_reference
from encbench.kube.pods import Image, Programs
from encbench.tools.context import LoadContext, TrialContext

PROGRAMS = Programs(Image("registry.example.com/encbench:0.1.0"))
TRIAL_UID = "c0ffee00-0000-4000-8000-000000000003"
CUSTOM: dict[str, Any] = {"scriptConfigMapRef": {"name": "scripts", "key": "transfer.lua"}}


MYSQL = Connection(
    driver="mysql", host="overhead-tde", port=3306, database="sbtest", engine="mysql"
)
MARIADB = replace(MYSQL, engine="mariadb")
PGSQL = Connection(
    driver="pgsql", host="overhead-tde", port=5432, database="sbtest", engine="postgresql"
)


def workload_spec(
    sysbench: Mapping[str, Any] | None = None,
    load: Mapping[str, Any] | None = None,
    client: Mapping[str, Any] | None = None,
) -> WorkloadSpec:
    """A Workload's spec with these fields changed; without a script it gets a built-in one."""
    test = dict(sysbench or {})
    if "scriptConfigMapRef" not in test:
        test.setdefault("script", "oltp_read_write")
    return WorkloadSpec.model_validate(
        {
            "sysbench": test,
            "load": {"concurrency": [2, 4], "warmup": "2s", "duration": "5s", **(load or {})},
            "client": {
                "image": "registry.example.com/sysbench:1.0",
                "resources": {"cpu": "500m", "memory": "128Mi"},
                **(client or {}),
            },
        }
    )


def tpcc_spec(
    tpcc: Mapping[str, Any] | None = None,
    load: Mapping[str, Any] | None = None,
    client: Mapping[str, Any] | None = None,
) -> WorkloadSpec:
    """A TPC-C Workload's spec with these fields changed; it is encbench's own client's."""
    return WorkloadSpec.model_validate(
        {
            "tpcc": {"warehouses": 2, **(tpcc or {})},
            "load": {"concurrency": [2, 8], "warmup": "2s", "duration": "5s", **(load or {})},
            "client": {
                "image": "registry.example.com/tpcc:1.0",
                "resources": {"cpu": "1500m", "memory": "256Mi"},
                **(client or {}),
            },
        }
    )


def trial_context(
    workload: WorkloadSpec, *, connection: Connection = MYSQL, **changes: Any
) -> TrialContext:
    """The context of a trial of this workload; `changes` are of its spec."""
    spec = TrialSpec.model_validate(
        {
            "campaignRef": {"name": "overhead", "uid": "c0ffee00-0000-4000-8000-000000000001"},
            "testbedRef": {"name": "overhead-tde", "uid": "c0ffee00-0000-4000-8000-000000000002"},
            "cell": "c1234567",
            "instanceRef": "small",
            "workloadRef": "oltp",
            "arm": {"name": "tde", "role": "treatment", "modeRef": "tde"},
            "block": 1,
            "order": 1,
            "concurrency": 4,
            "seed": 1000,
            "workload": workload.to_dict(),
            "storagePrefix": "bench/overhead-c0ffee00",
            "stepDeadlines": {},
            "specHash": "0" * 64,
            **changes,
        }
    )
    return TrialContext(
        name="overhead-c1234567-b1-tde",
        namespace="bench",
        owner=owner_reference(TRIAL, "overhead-c1234567-b1-tde", TRIAL_UID),
        spec=spec,
        connection=connection,
        credentials_secret="overhead-tde-credentials",
        programs=PROGRAMS,
        store="http://store:9000/encbench",
    )


def load_context(
    sysbench: Mapping[str, Any] | None = None,
    *,
    cpu: str = "2",
    cpu_share: int = 1,
    script: str | None = None,
    connection: Connection = MYSQL,
    tpcc: Mapping[str, Any] | None = None,
    **changes: Any,
) -> LoadContext:
    """The context of a load of this dataset: sysbench's, or with `tpcc` that of TPC-C.

    `changes` are of the instance.
    """
    test = {"sysbench": dict(sysbench or {"script": "oltp_read_write", "tables": 8})}
    dataset = {
        **({"tpcc": dict(tpcc)} if tpcc else test),
        "scriptConfigMap": script,
        "client": {
            "image": "registry.example.com/sysbench:1.0",
            "resources": {"cpu": cpu, "memory": "128Mi"},
        },
    }
    spec = TestbedSpec.model_validate(
        {
            "campaignRef": {"name": "overhead", "uid": "c0ffee00-0000-4000-8000-000000000001"},
            "cell": "c1234567",
            "instanceRef": "small",
            "arm": {"name": "tde", "role": "treatment", "modeRef": "tde"},
            "instance": {
                "engine": "mariadb",
                "version": "10.11",
                "image": "registry.example.com/mariadb:10.11",
                "resources": {"cpu": "1", "memory": "512Mi"},
                "storage": {"size": "2Gi"},
                **changes,
            },
            "mode": {},
            "dataset": dataset,
            "maxConnections": 64,
            "cpuShare": cpu_share,
            "stepDeadlines": {},
            "specHash": "0" * 64,
        }
    )
    return LoadContext(
        testbed="overhead-tde",
        namespace="bench",
        owner=owner_reference(TESTBED, "overhead-tde", "c0ffee00-0000-4000-8000-000000000002"),
        spec=spec,
        connection=connection,
        credentials_secret="overhead-tde-credentials",
        programs=PROGRAMS,
    )
