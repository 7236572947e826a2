"""What the cluster is started from, as data: versions, daemons, addons and the network."""

import json
import re
import tomllib
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import (
    addons,
    api,
    binaries,
    command,
    components,
    images,
    network,
    nodes,
    pki,
    policies,
    versions,
)
from tests.cluster.console import ClusterError
from tests.cluster.daemon import Daemon
from tests.cluster.layout import Layout

LAYOUT = Layout(
    repo=Path(__file__).resolve().parents[3], cache=Path("/cache"), state=Path("/state")
)


VERSIONS = (versions.USUAL_KUBERNETES, *versions.OTHER_KUBERNETES)


def required(module: str, name: str) -> str:
    return binaries.required_version(LAYOUT.tools / module / "go.mod", name)


def test_image_tags_follow_the_go_modules() -> None:
    tags = versions.IMAGE_TAGS
    assert required("clients", "github.com/coredns/coredns") == f"v{tags['coredns']}"
    provisioner = required("kubernetes", "github.com/rancher/local-path-provisioner")
    assert provisioner == f"v{tags['local-path-provisioner']}"
    assert required("volumes", "github.com/rfjakob/gocryptfs/v2") == f"v{tags['gocryptfs']}"
    assert f"-{tags['minio']}" in required("minio", "github.com/minio/minio")


def kubernetes(version: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("ENCBENCH_KUBERNETES", version)
    return binaries.kubernetes()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_version_is_chosen_by_its_minor_number(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = kubernetes(version, monkeypatch)
    assert chosen in binaries.core_parts()
    assert binaries.PARTS[chosen].module == chosen
    assert required(chosen, "k8s.io/kubernetes").startswith(f"v{version}.")


@pytest.mark.parametrize("version", VERSIONS)
def test_every_staging_module_has_the_release_of_kubernetes(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = kubernetes(version, monkeypatch)
    release = required(module, "k8s.io/kubernetes").replace("v1.", "v0.", 1)
    replaced = [
        line.split("=>")[1].split()
        for line in (LAYOUT.tools / module / "go.mod").read_text().splitlines()
        if "=>" in line
    ]
    assert len(replaced) >= 30
    assert {version for _, version in replaced} == {release}


def test_an_unknown_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ClusterError, match=f"'1.31': write one of {', '.join(sorted(VERSIONS))}"):
        kubernetes("1.31", monkeypatch)


def test_the_versions_are_those_of_the_makefile_and_the_docs() -> None:
    repo = LAYOUT.repo
    assert (
        f"\nVERSIONS ?= {' '.join(versions.OTHER_KUBERNETES)}\n" in (repo / "Makefile").read_text()
    )
    oldest, *_, newest = sorted(VERSIONS)
    install = " ".join((repo / "docs" / "install.md").read_text().split())
    assert f"You need Kubernetes {oldest} or later" in install
    assert f"The tests run on Kubernetes {versions.USUAL_KUBERNETES}," in install
    assert f"the API servers of {oldest} and {newest}" in install
    chart = (repo / "charts" / "encbench" / "Chart.yaml").read_text()
    assert f'kubeVersion: ">={oldest}.0-0"' in chart


def test_every_image_has_a_tag_and_every_recipe_a_known_part() -> None:
    assert set(images.RECIPES) == set(versions.IMAGE_TAGS)
    for name, recipe in images.RECIPES.items():
        made = binaries.PARTS[recipe.part].binaries if recipe.part else ()
        assert recipe.part is None or set(recipe.binaries or (name,)) <= set(made)


def test_binaries_are_named_once() -> None:
    """But for versions beside the one that the cluster has."""
    versions_of = ("kubernetes-", "helm-")
    named = [
        binary
        for part in binaries.PARTS.values()
        if not part.name.startswith(versions_of)
        for binary in part.binaries
    ]
    assert len(named) == len(set(named))


def daemons(count: int) -> dict[str, Daemon]:
    return {one.name: one for one in components.daemons(LAYOUT, nodes.planned(count))}


def kubelet_settings(name: str, count: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(daemons(count)[name].files[LAYOUT.config / f"{name}.json"])
    return found


@pytest.mark.parametrize("count", [1, nodes.MOST])
def test_the_first_kubelet_reserves_no_cpu_and_keeps_images(count: int) -> None:
    settings = kubelet_settings("kubelet", count)
    assert not {"kubeReserved", "systemReserved", "reservedSystemCPUs"} & set(settings)
    assert settings["imageGCHighThresholdPercent"] == 100


def test_the_containerd_settings_are_valid() -> None:
    settings = tomllib.loads(daemons(1)["containerd"].files[LAYOUT.config / "containerd.toml"])
    cri = settings["plugins"]["io.containerd.grpc.v1.cri"]
    assert settings["version"] == 2
    assert settings["grpc"]["address"] == "/run/containerd/containerd.sock"
    assert cri["sandbox_image"] == versions.image("pause")
    assert cri["containerd"]["runtimes"]["runc"]["options"]["SystemdCgroup"] is False


def test_pods_get_no_default_route() -> None:
    ipam = network.cni_config(Path("/data"), nodes.FIRST.pods)["plugins"][0]["ipam"]
    assert {route["dst"] for route in ipam["routes"]} == {"10.244.0.0/16", "10.96.0.0/16"}


def test_nodes_share_the_pod_range_and_no_address() -> None:
    members = nodes.planned(nodes.MOST)
    assert members[0].address == network.NODE_ADDRESS
    for one, other in combinations(members, 2):
        assert not one.pods.overlaps(other.pods)
    for node in members:
        ipam = network.cni_config(Path("/data"), node.pods)["plugins"][0]["ipam"]
        ((own,),) = ipam["ranges"]
        assert own["subnet"] == network.POD_RANGE
        assert own["gateway"] == node.address
        assert node.address < own["rangeStart"]


def test_no_two_daemons_share_a_name_a_group_or_a_file() -> None:
    planned = components.daemons(LAYOUT, nodes.planned(nodes.MOST), judged=True)
    files = [path for daemon in planned for path in daemon.files]
    for names in ([one.name for one in planned], [one.group for one in planned], files):
        assert len(names) == len(set(names))


def test_what_belongs_to_a_node_lies_in_no_other_ones_place() -> None:
    members = nodes.planned(nodes.MOST)
    for node in members:
        containerd, kubelet = (daemons(3)[node.own(one)] for one in ("containerd", "kubelet"))
        files = [*containerd.files.values(), *kubelet.files.values()]
        text = "\n".join([*containerd.argv, *kubelet.argv, *files])
        for other in set(members) - {node}:
            own = [other.own(one) for one in ("containerd", "kubelet", "cni")]
            places = [f"{LAYOUT.state}/{one}" for one in own]
            places += [f"{LAYOUT.config}/{own[-1]}", f"{LAYOUT.logs}/{other.own('pods')}"]
            assert not [one for one in places if re.search(rf"{one}[\s/\"]", text)]


def test_further_nodes_keep_half_of_the_machine_from_their_pods() -> None:
    further = nodes.planned(3)[1:]
    own = [kubelet_settings(node.own("kubelet"), 3) for node in further]
    for settings in own:
        assert settings["systemReserved"] == own[0]["systemReserved"]
        cpus = components.branches(nodes.planned(2))["encbench/node-2"]
        assert settings["systemReserved"]["cpu"] == f"{1000 * cpus:.0f}m"


def test_a_node_is_the_same_whatever_others_there_are() -> None:
    for fewer, more in combinations(range(1, nodes.MOST + 1), 2):
        assert daemons(fewer).items() <= daemons(more).items()


def test_further_nodes_are_those_with_a_certificate(tmp_path: Path) -> None:
    layout = replace(LAYOUT, state=tmp_path)
    assert nodes.existing(layout) == [nodes.FIRST]
    pki.ensure(layout, nodes.planned(2))
    assert nodes.existing(layout) == nodes.planned(2)


@pytest.mark.parametrize("given", ["0", "4", "two", "-1"])
def test_a_wrong_number_of_nodes_is_refused(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENCBENCH_CLUSTER_NODES", given)
    with pytest.raises(ClusterError, match="1 to 3 nodes"):
        nodes.count_from_environment()


def test_there_is_one_node_unless_more_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENCBENCH_CLUSTER_NODES", raising=False)
    assert nodes.count_from_environment() == 1
    monkeypatch.setenv("ENCBENCH_CLUSTER_NODES", "3")
    assert nodes.count_from_environment() == 3


def test_connections_are_judged_only_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    members = nodes.planned(nodes.MOST)
    monkeypatch.delenv("ENCBENCH_CLUSTER_POLICIES", raising=False)
    assert not policies.wanted()
    assert policies.NAME not in binaries.core_parts()
    assert binaries.PARTS[policies.NAME].rare
    usual = components.daemons(LAYOUT, members)
    judged = components.daemons(LAYOUT, members, judged=True)
    assert judged[: len(usual)] == usual
    assert [one.node for one in judged[len(usual) :]] == members
    assert not [one for one in usual if policies.NAME in one.name]
    monkeypatch.setenv("ENCBENCH_CLUSTER_POLICIES", "1")
    assert policies.wanted()
    assert policies.NAME in binaries.core_parts()
    more = [one["kind"] for one in addons.manifests(LAYOUT, judged=True)]
    assert len(more) == len(addons.manifests(LAYOUT)) + 2


def test_what_is_no_answer_to_that_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENCBENCH_CLUSTER_POLICIES", "yes")
    with pytest.raises(ClusterError, match="'yes': write 1"):
        policies.wanted()


def test_who_judges_has_a_certificate_of_the_name_that_has_the_rights(tmp_path: Path) -> None:
    layout = replace(LAYOUT, state=tmp_path)
    members = nodes.planned(2)
    pki.ensure(layout, members)
    assert not policies.enforced(layout)
    for node in members:
        one = policies.daemon(layout, node)
        assert one.client
        certificate = f"{layout.pki}/{one.name}.crt"
        said = command.capture(["openssl", "x509", "-in", certificate, "-noout", "-subject"])
        bound = [m for m in addons.manifests(layout, judged=True) if m.get("subjects")]
        (user,) = [w["name"] for m in bound for w in m["subjects"] if w["kind"] == "User"]
        assert re.fullmatch(rf"subject=CN ?= ?{user}\n", said)


def test_addons_are_on_the_node_that_no_test_loses() -> None:
    for manifest in addons.manifests(LAYOUT):
        if manifest["kind"] == "Deployment":
            where = manifest["spec"]["template"]["spec"]["nodeSelector"]
            assert where == {"kubernetes.io/hostname": nodes.FIRST.name}


def test_addons_leave_the_cpu_to_benchmarks() -> None:
    deployments = [m for m in addons.manifests(LAYOUT) if m["kind"] == "Deployment"]
    assert [(d["metadata"]["namespace"], d["metadata"]["name"]) for d in deployments] == list(
        addons.DEPLOYMENTS
    )
    for deployment in deployments:
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        assert container["resources"]["requests"]["cpu"] == "10m"


def test_every_addon_has_a_path() -> None:
    paths = [api.object_path(manifest) for manifest in addons.manifests(LAYOUT, judged=True)]
    assert len(paths) == len(set(paths))
    assert "/api/v1/namespaces/kube-system/services/kube-dns" in paths
    assert "/apis/storage.k8s.io/v1/storageclasses/local-path" in paths
