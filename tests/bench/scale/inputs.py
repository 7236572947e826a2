"""The campaigns that are measured, with all that they name, and the nodes that they run on.

Each campaign has two nodes to itself, one for its databases and one for its clients, because a node
measures for one campaign at a time. So they all run at once.
"""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from encbench.api.kinds import (
    CAMPAIGN,
    ENCRYPTION_MODE,
    INSTANCE_TEMPLATE,
    NAMESPACE,
    NODE,
    WORKLOAD,
    Kind,
)
from encbench.kube.pods import LINUX
from tests.bench.scale.api import Api, Body

SPACE: Final = "scale"
WARMUP, DURATION, TPS = 0, 3, 1000.0
"""Of every run; three seconds are the least that a window's CPU is known of."""
BASELINE: Final = "plain"
MODES: Final[dict[str, Body]] = {BASELINE: {}, "tde": {"atRest": {"method": "engine"}}}
ARMS = 3
CLASS: Final = "scale"
BIG: Final = "big"
"""The campaign with many trials."""
_MARK: Final = "scale.encbench.io/campaign"
_ROLE: Final = "scale.encbench.io/role"
_DATABASES, _CLIENTS = "databases", "clients"

VOLUME = Kind("v1", "PersistentVolume", "persistentvolumes", namespaced=False)


@dataclass(frozen=True)
class Plan:
    """One campaign."""

    name: str
    blocks: int
    """Of each condition."""
    concurrency: tuple[int, ...] = (2,)
    """A condition each."""

    @property
    def trials(self) -> int:
        """In all."""
        return self.blocks * ARMS * len(self.concurrency)


def alike(campaigns: int, trials: int) -> list[Plan]:
    """So many campaigns with so many trials each, at most: they have whole blocks."""
    return [Plan(f"c{number:04d}", max(1, trials // ARMS)) for number in range(campaigns)]


def hosts(plans: Iterable[Plan]) -> list[str]:
    """The nodes of their clients."""
    return [f"{plan.name}-{_CLIENTS}" for plan in plans]


async def prepare(api: Api) -> None:
    """Make what all campaigns share."""
    await api.create(NAMESPACE, {"metadata": {"name": SPACE}})
    modes = ((ENCRYPTION_MODE, _body(ENCRYPTION_MODE, *one)) for one in MODES.items())
    await _all(api, modes)


async def house(api: Api, plans: Iterable[Plan]) -> None:
    """Make what each campaign needs for itself."""
    await _all(api, chain.from_iterable(map(_own, plans)))


async def begin(api: Api, plans: Iterable[Plan]) -> None:
    """Apply the campaigns."""
    await _all(api, ((CAMPAIGN, _campaign(plan)) for plan in plans))


async def _all(api: Api, bodies: Iterable[tuple[Kind, Body]]) -> None:
    left = iter(bodies)

    async def work() -> None:
        for kind, body in left:
            await api.create(kind, body)
            if kind == NODE:
                # New nodes are tainted until the node controller has seen them, which is not here.
                await api.patch(NODE, "", body["metadata"]["name"], {"spec": {"taints": None}})

    await asyncio.gather(*(work() for _ in range(8)))


def _own(plan: Plan) -> Iterator[tuple[Kind, Body]]:
    """Nodes, volumes, and the parts that name the nodes."""
    room = {"cpu": "64", "memory": "256Gi", "pods": "500"}
    ready = [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": ""}]
    for role in (_DATABASES, _CLIENTS):
        host = f"{plan.name}-{role}"
        marks = {_MARK: plan.name, _ROLE: role, "kubernetes.io/hostname": host, **LINUX}
        status = {"capacity": room, "allocatable": room, "conditions": ready}
        yield NODE, {"metadata": {"name": host, "labels": marks}, "status": status}
    for arm in range(ARMS):
        volume = {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": CLASS,
            "hostPath": {"path": "/nowhere"},
        }
        yield VOLUME, {"metadata": {"name": f"{plan.name}-{arm}"}, "spec": volume}
    resources = {"cpu": "1", "memory": "512Mi"}
    instance = {
        "engine": "mariadb",
        "version": "10.11",
        "resources": resources,
        "storage": {"size": "1Gi", "className": CLASS},
        "placement": {"nodeSelector": {_MARK: plan.name, _ROLE: _DATABASES}},
    }
    yield INSTANCE_TEMPLATE, _body(INSTANCE_TEMPLATE, plan.name, instance)
    load = {"warmup": f"{WARMUP}s", "duration": f"{DURATION}s"}
    workload = {
        "sysbench": {"script": "oltp_read_write", "tables": 1, "tableSize": 1000},
        "load": {"concurrency": list(plan.concurrency), **load},
        "client": {
            "resources": resources,
            "placement": {"nodeSelector": {_MARK: plan.name, _ROLE: _CLIENTS}},
        },
    }
    yield WORKLOAD, _body(WORKLOAD, plan.name, workload)


def _campaign(plan: Plan) -> Body:
    treatments = [mode for mode in MODES if mode != BASELINE]
    entry = {"instanceRefs": [plan.name], "modeRefs": treatments, "workloadRefs": [plan.name]}
    spec = {
        "matrix": [entry],
        "baselineModeRef": BASELINE,
        "blocks": {"min": plan.blocks, "maxReplacements": 0},
        "seed": 1,
    }
    return _body(CAMPAIGN, plan.name, spec)


def _body(kind: Kind, name: str, spec: Body) -> Body:
    meta = {"name": name, "namespace": SPACE}
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": meta, "spec": spec}
