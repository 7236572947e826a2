"""What the cluster is started from, as data: versions, daemons, addons and the network."""

import json
import tomllib
from pathlib import Path

from tests.cluster import addons, api, binaries, components, images, network, versions
from tests.cluster.layout import Layout

LAYOUT = Layout(
    repo=Path(__file__).resolve().parents[3], cache=Path("/cache"), state=Path("/state")
)


def required(module: str, name: str) -> str:
    return binaries.required_version(LAYOUT.tools / module / "go.mod", name)


def test_image_tags_follow_the_go_modules() -> None:
    tags = versions.IMAGE_TAGS
    assert required("clients", "github.com/coredns/coredns") == f"v{tags['coredns']}"
    provisioner = required("kubernetes", "github.com/rancher/local-path-provisioner")
    assert provisioner == f"v{tags['local-path-provisioner']}"
    assert required("volumes", "github.com/rfjakob/gocryptfs/v2") == f"v{tags['gocryptfs']}"
    assert f"-{tags['minio']}" in required("minio", "github.com/minio/minio")


def test_every_staging_module_has_the_release_of_kubernetes() -> None:
    release = required("kubernetes", "k8s.io/kubernetes").replace("v1.", "v0.", 1)
    replaced = [
        line.split("=>")[1].split()
        for line in (LAYOUT.tools / "kubernetes" / "go.mod").read_text().splitlines()
        if "=>" in line
    ]
    assert len(replaced) == 31
    assert {version for _, version in replaced} == {release}


def test_every_image_has_a_tag_and_every_recipe_a_known_part() -> None:
    assert set(images.RECIPES) == set(versions.IMAGE_TAGS)
    for name, recipe in images.RECIPES.items():
        made = binaries.PARTS[recipe.part].binaries if recipe.part else ()
        assert recipe.part is None or set(recipe.binaries or (name,)) <= set(made)


def test_binaries_are_named_once() -> None:
    named = [binary for part in binaries.PARTS.values() for binary in part.binaries]
    assert len(named) == len(set(named))


def test_the_kubelet_reserves_no_cpu_and_keeps_images() -> None:
    kubelet = next(d for d in components.daemons(LAYOUT) if d.name == "kubelet")
    settings = json.loads(kubelet.files[LAYOUT.config / "kubelet.json"])
    assert not {"kubeReserved", "systemReserved", "reservedSystemCPUs"} & set(settings)
    assert settings["imageGCHighThresholdPercent"] == 100


def test_the_containerd_settings_are_valid() -> None:
    containerd = next(d for d in components.daemons(LAYOUT) if d.name == "containerd")
    settings = tomllib.loads(containerd.files[LAYOUT.config / "containerd.toml"])
    cri = settings["plugins"]["io.containerd.grpc.v1.cri"]
    assert settings["version"] == 2
    assert settings["grpc"]["address"] == "/run/containerd/containerd.sock"
    assert cri["sandbox_image"] == versions.image("pause")
    assert cri["containerd"]["runtimes"]["runc"]["options"]["SystemdCgroup"] is False


def test_pods_get_no_default_route() -> None:
    ipam = network.cni_config(Path("/data"))["plugins"][0]["ipam"]
    assert {route["dst"] for route in ipam["routes"]} == {"10.244.0.0/16", "10.96.0.0/16"}


def test_addons_leave_the_cpu_to_benchmarks() -> None:
    deployments = [m for m in addons.manifests(LAYOUT) if m["kind"] == "Deployment"]
    assert [(d["metadata"]["namespace"], d["metadata"]["name"]) for d in deployments] == list(
        addons.DEPLOYMENTS
    )
    for deployment in deployments:
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        assert container["resources"]["requests"]["cpu"] == "10m"


def test_every_addon_has_a_path() -> None:
    paths = [api.object_path(manifest) for manifest in addons.manifests(LAYOUT)]
    assert len(paths) == len(set(paths))
    assert "/api/v1/namespaces/kube-system/services/kube-dns" in paths
    assert "/apis/storage.k8s.io/v1/storageclasses/local-path" in paths
