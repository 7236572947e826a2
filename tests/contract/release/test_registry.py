"""A release's images in a real registry: pushed by its script, pulled with a pull secret."""

import hashlib
import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from encbench import __version__
from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD
from encbench.cli.images import from_cluster
from encbench.cli.installation import DEPLOYMENT, OPERATOR
from tests.cluster import binaries, cache
from tests.cluster.architecture import native
from tests.cluster.console import Console
from tests.cluster.layout import Layout
from tests.release.__main__ import tag, write_images, write_push
from tests.release.build import build
from tests.release.oci import About
from tests.support import chart, registry
from tests.support.chart import NAMESPACE, REPO, render
from tests.support.fake_cluster import FakeCluster
from tests.support.registry import Registry, running_registry

pytestmark = pytest.mark.full

NAMES = (
    "confidential-proxy",
    "minio",
    "node-exporter",
    "operator",
    "prometheus",
    "sysbench",
    "turnstile",
)
"""What the chart and the demo have, but for the server, which is upstream's."""
MIRROR = "mirror"
_KEYS = re.compile(r"(?<=(?:access|secret)-key: )\S+")
"""The bundled store's credentials, which are new in each rendering without a cluster."""


@dataclass(frozen=True)
class Pushed:
    """A registry with images of a release; `listed` is the release's own list of them."""

    registry: Registry
    listed: Sequence[dict[str, Any]]


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pushed]:
    folder, layout, console = (
        tmp_path_factory.mktemp("release"),
        Layout.from_environment(),
        Console(),
    )
    with cache.exclusive(layout, console):
        built = build(layout, console, (native(),), NAMES, pull=False)
        about = About(__version__, "0" * 40, 1_700_000_000)
        listed = write_images(folder / "images", built, about, console)
    write_push(folder, listed)
    with running_registry(tmp_path_factory.mktemp("registry")) as server:
        registry.skopeo()
        options = ("--dest-tls-verify=false", f"--dest-authfile={server.secret}")
        script = [str(folder / "push.sh"), f"{server.address}/{MIRROR}", *options]
        subprocess.run(script, check=True, timeout=600, stdout=subprocess.DEVNULL)
        yield Pushed(server, listed)


def test_the_registry_asks_who_pulls(pushed: Pushed, tmp_path: Path) -> None:
    (empty := tmp_path / "empty.json").write_text("{}")
    url = pushed.registry.url(f"{MIRROR}/{pushed.listed[0]['reference']}")
    with pytest.raises(RuntimeError, match="authentication required"):
        registry.run("inspect", "--raw", "--tls-verify=false", f"--authfile={empty}", url)


def test_what_is_pulled_is_what_the_release_lists(pushed: Pushed, tmp_path: Path) -> None:
    credentials = f"--authfile={pushed.registry.secret}"
    for image in pushed.listed:
        url = pushed.registry.url(f"{MIRROR}/{image['reference']}")
        raw = registry.run("inspect", "--raw", "--tls-verify=false", credentials, url)
        assert f"sha256:{hashlib.sha256(raw.encode()).hexdigest()}" == image["digest"]
        assert [one["digest"] for one in json.loads(raw)["manifests"]] == [
            *image["architectures"].values()
        ]
    # A copy checks the digest of each layer, and that of what is in it.
    url = pushed.registry.url(f"{MIRROR}/encbench/sysbench:{tag('sysbench', __version__)}")
    target = f"oci:{tmp_path}/pulled"
    registry.run("copy", "--src-tls-verify=false", f"--src-{credentials[2:]}", url, target)
    config = json.loads(registry.run("inspect", "--config", target))
    assert config["config"]["Cmd"] == ["sysbench", "--version"]


@pytest.mark.parametrize("part", ["clients", "helm-4"], ids=["helm-3", "helm-4"])
def test_helm_pushes_the_chart_and_installs_it(pushed: Pushed, part: str, tmp_path: Path) -> None:
    program = binaries.compiled(part) / "helm"
    access = (f"--registry-config={pushed.registry.secret}", "--plain-http")

    def helm(*arguments: str) -> str:
        return chart.call(program, tmp_path, *arguments, *access, seconds=60)

    package = chart.package(tmp_path)
    charts = f"oci://{pushed.registry.address}/charts"
    helm("push", str(package), charts)
    url, version = f"{charts}/encbench", f"--version={__version__}"
    pulled = helm("template", "bench", url, version)
    assert _KEYS.sub("", pulled) == _KEYS.sub("", helm("template", "bench", str(package)))


async def test_it_holds_every_image_that_the_plugin_lists(pushed: Pushed) -> None:
    here = f"{pushed.registry.address}/{MIRROR}"
    rendered = render({"global": {"imageRegistry": here}})
    operator = rendered.one("Deployment", "operator")
    cluster = FakeCluster()
    operator["metadata"]["labels"] = OPERATOR
    cluster.add(DEPLOYMENT, operator)
    kinds = {kind.kind: kind for kind in (INSTANCE_TEMPLATE, ENCRYPTION_MODE, WORKLOAD, CAMPAIGN)}
    for file in (REPO / "campaigns" / "demo").glob("*.yaml"):
        for body in yaml.safe_load_all(file.read_text(encoding="utf-8")):
            if body["kind"] in kinds:
                body["metadata"]["namespace"] = NAMESPACE
                cluster.add(kinds[body["kind"]], body)
    listed = set(await from_cluster(cluster, NAMESPACE, None, "demo"))
    listed |= {container["image"] for _, container in rendered.containers()}
    listed.remove(f"{here}/library/mariadb:10.11")
    assert listed == {f"{here}/{image['reference']}" for image in pushed.listed}
