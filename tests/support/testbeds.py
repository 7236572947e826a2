"""Specs of testbeds, small enough for a test to say only what it is about."""

import itertools
from collections.abc import Mapping
from typing import Any

from encbench.api.kinds import TESTBED
from encbench.api.testbed import TestbedSpec
from encbench.database.context import DatabaseContext
from encbench.engines.engine import RandomToken
from encbench.kube.labels import owner_reference
from encbench.kube.pods import Image, Programs

PLAINTEXT: dict[str, Any] = {}
TDE: dict[str, Any] = {"atRest": {"method": "engine", "algorithm": "AES_CTR"}}
TLS: dict[str, Any] = {"inTransit": {"version": "TLSv1.3", "cipherSuite": "TLS_AES_128_GCM_SHA256"}}
GOCRYPTFS: dict[str, Any] = {
    "atRest": {
        "method": "volume",
        "volume": {
            "gocryptfs": {"cipher": "AES-GCM", "resources": {"cpu": "250m", "memory": "128Mi"}}
        },
    }
}
PASS_THROUGH: dict[str, Any] = {
    "atRest": {"method": "volume", "volume": {"gocryptfs": {"cipher": "none"}}}
}
ENCRYPTED_CLASS: dict[str, Any] = {
    "atRest": {"method": "volume", "volume": {"storageClassName": "encrypted"}}
}
ENCLAVE: dict[str, Any] = {
    "columns": {
        "method": "enclave",
        "ratio": 75,
        "enclave": {"transition": "8us", "value": "1200ns", "index": "Single"},
    }
}
TLS12: dict[str, Any] = {"inTransit": {**TLS["inTransit"], "version": "TLSv1.2"}}


def instance(**changes: Any) -> dict[str, Any]:
    """An InstanceTemplate's spec with these fields changed."""
    return {
        "engine": "mariadb",
        "version": "10.11",
        "image": "registry.example.com/mariadb:10.11",
        "resources": {"cpu": "500m", "memory": "512Mi"},
        "storage": {"size": "2Gi"},
        **changes,
    }


def spec_of_testbed(
    mode: Mapping[str, Any] = PLAINTEXT, *, max_connections: int = 8, **changes: Any
) -> TestbedSpec:
    """A Testbed's spec; `changes` are of its instance."""
    return TestbedSpec.model_validate(
        {
            "campaignRef": {"name": "overhead", "uid": "c0ffee00-0000-4000-8000-000000000001"},
            "cell": "small-oltp",
            "instanceRef": "small",
            "arm": {"name": "mode", "role": "treatment", "modeRef": "mode"},
            "instance": instance(**changes),
            "mode": mode,
            "dataset": {
                "sysbench": {"script": "oltp_read_write", "tables": 1, "tableSize": 1000},
                "client": {
                    "image": "registry.example.com/sysbench:1.0",
                    "resources": {"cpu": "250m", "memory": "128Mi"},
                },
            },
            "maxConnections": max_connections,
            "stepDeadlines": {},
            "specHash": "0" * 64,
        }
    )


def spec_of_external(
    mode: Mapping[str, Any] = PLAINTEXT, *, engine: str = "mariadb", **external: Any
) -> TestbedSpec:
    """A Testbed's spec whose database somebody else runs; `external` replaces fields of that."""
    whole = spec_of_testbed(mode).to_dict()
    place = {"host": "db.example.com", "database": "benchmark"}
    whole["instance"] = {
        "engine": engine,
        "version": "10.11",
        "external": {**place, "credentialsSecretRef": {"name": "db"}, **external},
    }
    return TestbedSpec.model_validate(whole)


def database_context(spec: TestbedSpec) -> DatabaseContext:
    """The context of a testbed with that spec."""
    return DatabaseContext(
        name="overhead-mode",
        namespace="bench",
        owner=owner_reference(TESTBED, "overhead-mode", "c0ffee00-0000-4000-8000-000000000002"),
        spec=spec,
        programs=Programs(
            operator=Image("registry.example.com/encbench:0.1.0"),
            volume=Image("registry.example.com/gocryptfs:2.6.1"),
            proxy=Image("registry.example.com/confidential-proxy:1.0"),
            pull_secrets=("registry",),
        ),
    )


def counting_tokens() -> RandomToken:
    """Hex digits that differ from call to call and are the same in each run."""
    counter = itertools.count(1)
    return lambda size: f"{next(counter):0{2 * size}x}"
