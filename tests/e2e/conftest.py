"""One cluster and one installation for all end-to-end tests; each test brings its own campaign."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from tests.e2e import manifests
from tests.support.install import NAMESPACE, cluster, enforce, installation, is_own
from tests.support.kube import Kube, import_images, wait_for

Start = Callable[[dict[str, Any]], str]


@pytest.fixture(scope="session")
def installed() -> Kube:
    """The cluster with the chart installed and the parts applied that every campaign names."""
    return ready()


@pytest.fixture(scope="session", autouse=True)
def images(installed: Kube) -> None:
    """All images on all nodes; those that joined for the tests of nodes have a few of them."""
    if is_own() and len(node_names(installed)) > 1:
        import_images()


@cache
def ready() -> Kube:
    """Once for all folders of tests that have the fixture."""
    kube = installation()
    enforce(kube, "restricted")  # No campaign needs more, but for those with gocryptfs.
    for kind in ("campaigns", "trials", "testbeds"):  # of a run that was killed
        kube.kubectl("delete", kind, "--all", f"--namespace={NAMESPACE}", "--timeout=180s")
    kube.apply(*manifests.parts())
    return kube


def node_names(kube: Kube) -> set[str]:
    """The names of all nodes that the cluster has, lost ones included."""
    found = kube.kubectl("get", "nodes", "--output=name").split()
    return {name.removeprefix("node/") for name in found}


@pytest.fixture(scope="session")
def single_node() -> None:
    """For tests that need one node; on several they are skipped."""
    if is_own() and len(node_names(cluster())) > 1:
        pytest.skip("it is for one node, where `make test-full` runs it")


@pytest.fixture
def start(installed: Kube) -> Iterator[Start]:
    """Apply a campaign and give back its name; it is deleted after the test."""
    started: list[str] = []

    def apply(campaign: dict[str, Any]) -> str:
        name: str = campaign["metadata"]["name"]
        installed.apply(campaign)
        started.append(name)
        return name

    yield apply
    if started:
        delete_campaign(installed, *started)


def delete_campaign(kube: Kube, *names: str) -> None:
    """Delete campaigns and wait until no pod of theirs holds CPU that the next test needs."""
    kube.kubectl(
        "delete",
        "campaign",
        *names,
        f"--namespace={NAMESPACE}",
        "--ignore-not-found",
        "--wait",
        "--timeout=180s",
    )
    theirs = f"encbench.io/campaign in ({','.join(names)})"
    wait_for(
        f"the end of the pods of {', '.join(names)}",
        lambda: not kube.list("pods", NAMESPACE, theirs),
        120,
    )


def conditions(body: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The conditions of an object by type."""
    return {c["type"]: c for c in (body.get("status") or {}).get("conditions", [])}


def ended(kube: Kube, name: str) -> dict[str, Any] | None:
    """The campaign when it has ended, well or not."""
    body = kube.get("campaign", name, NAMESPACE)
    assert body is not None, f"campaign {name} is gone"
    facts = conditions(body)
    over = any(facts.get(kind, {}).get("status") == "True" for kind in ("Complete", "Failed"))
    return body if over else None


def verified(kube: Kube, name: str) -> None:
    """Nothing behind the campaign's report is lost or altered, and the plugin makes it again."""
    code, said = kube.asked("verify", name, f"--namespace={NAMESPACE}")
    assert code == 0, said
