"""An installation from a registry that asks for a password: pods pull the release's images."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from encbench import __version__
from tests.cluster import cache, images
from tests.cluster.architecture import native
from tests.cluster.console import Console
from tests.cluster.layout import Layout
from tests.e2e import manifests
from tests.e2e.campaigns import conditions, delete_campaign, ended
from tests.release import chart
from tests.release.__main__ import tag, write_images
from tests.release.build import IMAGES, build
from tests.release.oci import About
from tests.support.install import NAMESPACE, install, is_own
from tests.support.kube import Kube, wait_for
from tests.support.registry import Registry, running_registry

pytestmark = [
    pytest.mark.full,
    # It is on this machine's loopback, where alone containerd takes a registry without TLS.
    pytest.mark.usefixtures("single_node"),
    pytest.mark.skipif(not is_own(), reason="another cluster's nodes do not reach this registry"),
]

NAME, SECRET = "from-a-registry", "registry"
RELEASED = {
    "image": "operator",
    "turnstile.image": "turnstile",
    "confidentialProxy.image": "confidential-proxy",
    "privilegedVolumes.image": "gocryptfs",
    "minio.image": "minio",
    "prometheus.image": "prometheus",
    "nodeExporter.image": "node-exporter",
    "tools.sysbench": "sysbench",
    "tools.tpcc": "tpcc",
}
"""The images by the values that name them, whose tags the test cluster has otherwise of its own."""


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Registry, Path]]:
    """A registry with a release of this machine's architecture, and the release's chart."""
    folder, layout, console = (
        tmp_path_factory.mktemp("release"),
        Layout.from_environment(),
        Console(),
    )
    about = About(__version__, "0" * 40, 1_700_000_000)
    with cache.exclusive(layout, console):
        built = build(layout, console, (native(),), IMAGES, pull=False)
        server = images.ensure(layout, console, "mariadb", None, pull=False)
        listed = write_images(folder / "images", built, about, console)
    package = chart.write(folder, [], {}, about)
    with running_registry(tmp_path_factory.mktemp("registry")) as registry:
        for image in listed:
            registry.push(folder / image["archive"], image["reference"])
        # In the place of upstream's, from where a mirror would copy it.
        registry.push(server, "library/mariadb:10.11", "docker-archive")
        yield registry, package


@pytest.fixture(scope="module")
def pulling(installed: Kube, pushed: tuple[Registry, Path]) -> Iterator[Kube]:
    """The installation, upgraded to the chart and images of the registry."""
    registry, package = pushed
    content = f"--from-file=.dockerconfigjson={registry.secret}"
    kind = "--type=kubernetes.io/dockerconfigjson"
    installed.kubectl(
        "create", "secret", "generic", SECRET, kind, content, f"--namespace={NAMESPACE}"
    )
    try:
        install(
            installed,
            f"global.imageRegistry={registry.address}",
            f"imagePullSecrets={{{SECRET}}}",
            "servers.mariadb=docker.io/library/mariadb",
            *(f"{value}.tag={tag(name, __version__)}" for value, name in RELEASED.items()),
            chart=str(package),
        )
        yield installed
    finally:
        delete_campaign(installed, NAME)
        install(installed)
        installed.kubectl("delete", "secret", SECRET, f"--namespace={NAMESPACE}")


def test_a_campaign_runs_from_images_that_only_the_secret_opens(
    pulling: Kube, pushed: tuple[Registry, Path]
) -> None:
    registry, _ = pushed
    server, client = manifests.instance("pulled"), manifests.workload("pulled")
    del server["spec"]["image"], client["spec"]["client"]["image"]
    matrix = [{"instanceRefs": ["pulled"], "modeRefs": ["tde"], "workloadRefs": ["pulled"]}]
    interleave = {"slice": "2s", "settle": "500ms", "rounds": 6}
    blocks = {"min": 1, "maxReplacements": 1, "interleave": interleave}
    campaign = manifests.campaign(NAME, ["tde"], blocks=blocks, matrix=matrix)
    pulling.apply(server, client, campaign)

    seen: set[str] = set()

    def over() -> dict[str, Any] | None:
        seen.update(_images(pulling))
        return ended(pulling, NAME)

    facts = conditions(wait_for("the end of the campaign", over, 400))
    assert facts["Complete"]["status"] == "True", facts
    assert {image.partition("/")[0] for image in seen} == {registry.address}
    uses = {image.rpartition("/")[2].partition(":")[0] for image in seen}
    assert {"operator", "mariadb", "sysbench", "turnstile", "minio", "prometheus"} <= uses
    assert pulling.get("overheadreport", NAME, NAMESPACE) is not None


def _images(kube: Kube) -> set[str]:
    """Of all pods that are there to stay, init containers included."""
    return {
        container["image"]
        for pod in kube.list("pods", NAMESPACE)
        if "deletionTimestamp" not in pod["metadata"]
        for part in ("initContainers", "containers")
        for container in pod["spec"].get(part, ())
    }
