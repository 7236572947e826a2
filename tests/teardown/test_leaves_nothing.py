"""`helm uninstall` and `make down` leave the machine as it was before `make cluster`.

It runs last, because it needs the machine without a cluster to begin with.
"""

import os
import subprocess
from collections.abc import Iterator

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


@pytest.fixture
def bystander() -> Iterator["subprocess.Popen[bytes]"]:
    """A program that has nothing to do with the cluster."""
    with subprocess.Popen(["sleep", "infinity"], start_new_session=True) as process:
        yield process
        process.kill()


def test_the_machine_is_as_it_was(bystander: "subprocess.Popen[bytes]") -> None:
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
    assert bystander.poll() is None


def _objects(kube: Kube) -> set[str]:
    """What the chart may leave behind: namespaces, CRDs, cluster roles, volumes."""
    kinds = (
        "namespaces,customresourcedefinitions,clusterroles,clusterrolebindings,persistentvolumes"
    )
    return set(kube.kubectl("get", kinds, "-o", "name").split())
