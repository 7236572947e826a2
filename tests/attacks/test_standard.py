"""A namespace under `enforce=restricted`, as all campaigns of these tests run in one."""

from collections.abc import Iterator

import pytest

from tests.e2e import manifests
from tests.e2e.campaigns import Start
from tests.e2e.refusals import refused
from tests.support.install import NAMESPACE, enforce, install
from tests.support.kube import Kube

pytestmark = pytest.mark.full

LEVEL = "pod-security.kubernetes.io/enforce"


@pytest.fixture
def privileged(installed: Kube) -> Iterator[Kube]:
    """The chart allows privileged containers; the namespace does not."""
    install(installed, "privilegedVolumes.enabled=true")
    enforce(installed, "restricted")
    yield installed
    install(installed)


def test_gocryptfs_is_refused_with_the_reason(privileged: Kube, start: Start) -> None:
    space = privileged.get("namespace", NAMESPACE, NAMESPACE)
    assert space is not None
    assert space["metadata"]["labels"][LEVEL] == "restricted"
    at_rest = {"method": "volume", "volume": {"gocryptfs": {}}}
    privileged.apply(manifests.mode("fuse", atRest=at_rest))
    message = refused(privileged, start(manifests.campaign("fuse", ["fuse"])))
    assert f"namespace {NAMESPACE} enforces the Pod Security Standard restricted" in message
    assert f"{LEVEL}=privileged" in message
