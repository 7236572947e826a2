"""`helm uninstall` and `make down` leave the machine as it was before `make cluster`.

It runs last, because it needs the machine without a cluster to begin with.
"""

import os
import subprocess

import pytest

from tests.support import machine
from tests.support.install import NAMESPACE, install, uninstall
from tests.support.kube import REPO, Kube, wait_for

pytestmark = pytest.mark.skipif(
    os.environ.get("CLUSTER") == "existing", reason="an existing cluster is not ours to remove"
)

IMAGES = ("operator", "prometheus", "minio", "node-exporter")
"""What the chart's own pods need."""


def _down() -> None:
    subprocess.run(["make", "down"], cwd=REPO, check=True, timeout=300)


def test_the_machine_is_as_it_was() -> None:
    _down()
    before = machine.take()
    kube = Kube.own(*IMAGES)
    clean = _objects(kube)
    install(kube, "crds.keep=false")
    assert _objects(kube) != clean
    uninstall(kube)
    kube.kubectl("delete", "namespace", NAMESPACE, "--timeout=120s")
    wait_for("the end of the chart's objects", lambda: _objects(kube) == clean, 90)
    _down()
    assert machine.difference(before, machine.take()) == []


def _objects(kube: Kube) -> set[str]:
    """What the chart may leave behind: namespaces, CRDs, cluster roles, volumes."""
    kinds = (
        "namespaces,customresourcedefinitions,clusterroles,clusterrolebindings,persistentvolumes"
    )
    return set(kube.kubectl("get", kinds, "-o", "name").split())
