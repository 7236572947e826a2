"""A simulated campaign over a database that somebody else runs."""

import base64
from collections.abc import Mapping
from typing import Any

from encbench.api.kinds import ENCRYPTION_MODE, INSTANCE_TEMPLATE, SECRET, TESTBED
from encbench.core.artefact import decode
from encbench.core.records import TrialRecord
from encbench.kube.labels import CREDENTIALS, USE
from encbench.ports import Body
from encbench.reconcile import objects
from tests.revisions.parts import PEM
from tests.support import certified, manifests
from tests.support.testbeds import TLS
from tests.unit.reconcile.world import SPACE, World, parts

LOGIN = {"username": "bench", "password": "pa,ss #1"}
_CLIENT = certified.issued().client
PAIR = {"client.crt": _CLIENT.certificate, "client.key": _CLIENT.key}
ALL = {**LOGIN, "ca.crt": PEM, **PAIR}


def secret(entries: Mapping[str, str | bytes] = ALL, name: str = "rds") -> Body:
    """The user's Secret with these entries."""
    data = {
        key: base64.b64encode(value.encode() if isinstance(value, str) else value).decode()
        for key, value in entries.items()
    }
    meta = {"name": name, "namespace": SPACE, "labels": {USE: CREDENTIALS}}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": data}


def template(name: str = "small", engine: str = "mysql", **external: Any) -> Body:
    """An instance of that engine elsewhere; `external` replaces fields."""
    body = manifests.body(INSTANCE_TEMPLATE, name, SPACE)
    body["spec"] = {
        "engine": engine,
        "version": "8.0",
        "external": {
            "host": "rds.example.com",
            "port": 3307,
            "database": "benchmark",
            "credentialsSecretRef": {"name": "rds"},
            **external,
        },
    }
    return body


def world_with(
    *, login: Mapping[str, str | bytes] | None = ALL, instance: Body | None = None, **mode: Any
) -> World:
    """External in place of the usual instance; the modes `plain`, `tls` and, if given, `other`."""
    world = World()
    _, plain, _, workload = parts()
    tls = manifests.body(ENCRYPTION_MODE, "tls", SPACE, **TLS)
    world.apply(instance or template(), plain, tls, workload)
    if mode:
        world.apply(manifests.body(ENCRYPTION_MODE, "other", SPACE, **mode))
    if login is not None:
        world.cluster.add(SECRET, secret(login))
    return world


def records(world: World) -> list[TrialRecord]:
    """Records of trials that the bucket has."""
    keys = [key for key in world.store.objects if key.endswith("/trial.json")]
    return [decode(TrialRecord, world.store.objects[key], key) for key in keys]


def beds(world: World) -> list[objects.Testbed]:
    """The testbeds as they are now."""
    return [objects.testbed(body) for body in world.cluster.all(TESTBED, SPACE)]
