"""`helm uninstall` and `make down` leave the machine as it was before `make cluster`.

It runs last, on the cluster that all other tests have used.
"""

import subprocess
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.support import machine
from tests.support.install import NAMESPACE, is_own, uninstall
from tests.support.kube import Kube, down, wait_for

pytestmark = pytest.mark.skipif(not is_own(), reason="an existing cluster is not ours to remove")


@pytest.fixture
def bystander() -> Iterator["subprocess.Popen[bytes]"]:
    """A program that has nothing to do with the cluster."""
    with subprocess.Popen(["sleep", "infinity"], start_new_session=True) as process:
        yield process
        process.kill()


def test_the_machine_is_as_it_was(
    before: machine.State, installed: Kube, bystander: "subprocess.Popen[bytes]"
) -> None:
    left = installed.kubectl("get", "campaigns", "--all-namespaces", "-o", "name").split()
    assert not left, "a test has not deleted its campaign"
    definitions = _definitions(installed)
    uninstall(installed)
    assert _definitions(installed) == definitions != [], "reports do not go with the chart"
    installed.kubectl("delete", *definitions, "--timeout=60s")
    installed.kubectl("delete", "namespace", NAMESPACE, "--timeout=120s")
    wait_for("the end of the chart's objects", lambda: not _left(installed), 90)
    down()
    # What other tests of this machine leave to init is gone within seconds; a daemon stays.
    with suppress(TimeoutError):
        wait_for("its old state", lambda: not machine.difference(before, machine.take()), 30)
    left = machine.difference(before, machine.take())
    assert not left, "\n".join(left)
    assert bystander.poll() is None


def _definitions(kube: Kube) -> list[str]:
    found = kube.kubectl("get", "customresourcedefinitions", "-o", "name").split()
    return [name for name in found if name.endswith(".encbench.io")]


def _left(kube: Kube) -> list[str]:
    """What the chart may leave behind outside its namespace."""
    kinds = (
        "namespaces,customresourcedefinitions,clusterroles,clusterrolebindings,"
        "validatingadmissionpolicies,persistentvolumes"
    )
    found = kube.kubectl("get", kinds, "-o", "name").split()
    return [name for name in found if "encbench" in name or name.startswith("persistentvolume/")]
