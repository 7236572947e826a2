"""Manifests of small campaigns, as a user writes them, with the parts that a test varies.

Databases stay on the first node of a cluster of our own, which is this machine, because tests
listen to its network and look at its mounts. Of several nodes, their clients run on the others.
"""

from typing import Any

from tests.cluster.nodes import FIRST
from tests.support.install import NAMESPACE, is_own

API = "encbench.io/v1alpha1"
Manifest = dict[str, Any]
HERE: Manifest = {"nodeSelector": {"kubernetes.io/hostname": FIRST.name}} if is_own() else {}


def manifest(kind: str, name: str, spec: Manifest) -> Manifest:
    """One object in the tests' namespace."""
    return {
        "apiVersion": API,
        "kind": kind,
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": spec,
    }


def instance(name: str = "mariadb", **fields: Any) -> Manifest:
    """A MariaDB small enough for three of them on a node of two cores.

    With `placement={}` it may run on any node.
    """
    spec = {
        "engine": "mariadb",
        "version": "10.11",
        "image": "docker.io/encbench/mariadb:10.11",
        "resources": {"cpu": "350m", "memory": "384Mi"},
        "storage": {"size": "1Gi"},
        "settings": {"innodb_buffer_pool_size": "128M"},
        "placement": HERE,
        **fields,
    }
    return manifest("InstanceTemplate", name, spec)


def mysql(name: str = "mysql", **fields: Any) -> Manifest:
    """A MySQL small enough for four of them; it needs more memory."""
    own = {
        "engine": "mysql",
        "version": "9.7",
        "image": "docker.io/encbench/mysql:9.7",
        "resources": {"cpu": "250m", "memory": "768Mi"},
        "storage": {"size": "2Gi"},
        "settings": {},
    }
    return instance(name, **{**own, **fields})


def mode(name: str, **fields: Any) -> Manifest:
    """An encryption mode; without fields plaintext."""
    return manifest("EncryptionMode", name, fields)


def workload(name: str = "read-write", **fields: Any) -> Manifest:
    """A short sysbench run over a small dataset. `load` and `sysbench` are merged into it."""
    spec: Manifest = {
        "sysbench": {
            "script": "oltp_read_write",
            "tables": 2,
            "tableSize": 2000,
            **fields.pop("sysbench", {}),
        },
        "load": {"concurrency": [2], "warmup": "2s", "duration": "6s", **fields.pop("load", {})},
        "client": {
            "image": "docker.io/encbench/sysbench:1.0.20",
            "resources": {"cpu": "220m", "memory": "64Mi"},
            **fields.pop("client", {}),
        },
        **fields,
    }
    if "scriptConfigMapRef" in spec["sysbench"]:
        del spec["sysbench"]["script"]
    return manifest("Workload", name, spec)


def campaign(name: str, modes: list[str], **fields: Any) -> Manifest:
    """A campaign of one instance and one workload."""
    spec = {
        "matrix": [
            {"instanceRefs": ["mariadb"], "modeRefs": modes, "workloadRefs": ["read-write"]}
        ],
        "baselineModeRef": "plaintext",
        "blocks": {"min": 2, "maxReplacements": 1},
        # What else runs on the machine must not decide whether a test passes.
        "limits": {"clientThrottling": 1, "foreignCpu": 1, "idleCpu": 1},
        "seed": 1,
        "allowColocation": True,
        **fields,
    }
    return manifest("Campaign", name, spec)


def parts() -> list[Manifest]:
    """What every campaign of the tests names."""
    tde = {"method": "engine"}
    return [instance(), mode("plaintext"), mode("tde", atRest=tde), workload()]
