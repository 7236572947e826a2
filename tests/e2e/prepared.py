"""The installation as all tests on a cluster begin with it."""

from functools import cache

from tests.e2e import manifests
from tests.support.install import NAMESPACE, enforce, installation
from tests.support.kube import Kube


@cache
def ready() -> Kube:
    """Once for all folders of tests that have the fixture `installed`."""
    kube = installation()
    enforce(kube, "restricted")  # No campaign needs more, but for those with gocryptfs.
    for kind in ("campaigns", "trials", "testbeds"):  # of a run that was killed
        kube.kubectl("delete", kind, "--all", f"--namespace={NAMESPACE}", "--timeout=180s")
    kube.apply(*manifests.parts())
    return kube
