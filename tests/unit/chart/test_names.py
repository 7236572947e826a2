"""Names of objects: whose they are, and whether the API server takes them."""

import hashlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.chart import CHART, Refused, Rendered, render
from tests.unit.chart.variants import EVERYTHING, EXTERNAL

Name = tuple[str, str, str]
"""Kind, namespace or nothing, and name."""

ALIKE = "retail-banking-database-platform-benchmarks-of-the"
"""What the names of two namespaces begin with."""
CLUSTER_SCOPED = {
    "cluster": ("ClusterRole", "ClusterRoleBinding"),
    **dict.fromkeys(("view", "campaign-author", "part-author"), ("ClusterRole",)),
    **dict.fromkeys(
        ("references", "choices", "records", "pods"),
        ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"),
    ),
}


def of_release(namespace: str) -> Rendered:
    """A release that watches a namespace beside its own, without the CRDs, which are all's."""
    return render({**EVERYTHING, "crds": {"install": False}}, namespace=namespace)


def names(rendered: Rendered) -> list[Name]:
    return [
        (body["kind"], body["metadata"].get("namespace", ""), body["metadata"]["name"])
        for body in rendered.manifests
    ]


def test_releases_whose_namespaces_begin_alike_share_no_object() -> None:
    assert len(ALIKE) == 50
    one, two = (of_release(f"{ALIKE}-{end}") for end in ("dev", "prod"))
    assert {*names(one)} & {*names(two)} == set()
    # The kinds that a watched namespace or the cluster has of both.
    shared = {kind for kind, space, _ in names(one) if space in ("", "team-a")}
    assert {"ClusterRole", "NetworkPolicy", "PodMonitor", "Role"} <= shared
    assert "ValidatingAdmissionPolicy" in shared
    policies = {name for kind, _, name in names(one) if kind == "ValidatingAdmissionPolicy"}
    (container,) = one.one("Deployment", "operator")["spec"]["template"]["spec"]["containers"]
    given = {arg for arg in container["args"] if arg.startswith("--admission-policy=")}
    assert given == {f"--admission-policy={name}" for name in policies}


@pytest.mark.parametrize("namespace", ["a", 31 * "a"])
def test_a_name_that_fits_is_whole(namespace: str) -> None:
    found = {(kind, name) for kind, space, name in names(of_release(namespace)) if not space}
    assert found == {
        (kind, f"bench-encbench-{namespace}-{what}")
        for what, kinds in CLUSTER_SCOPED.items()
        for kind in kinds
    }


@pytest.mark.parametrize("namespace", [f"{ALIKE}-dev", 63 * "a", f"{36 * 'a'}-{'b' * 20}"])
def test_a_name_that_is_cut_fits_a_label(namespace: str) -> None:
    whole = hashlib.sha256(f"bench-encbench-{namespace}".encode()).hexdigest()
    for _, space, name in names(of_release(namespace)):
        if not space and not name.endswith("-cluster"):
            assert len(name) <= 63
            assert f"-{whole[:8]}-" in name, "all of a release's cut names end alike"
        assert "--" not in name


@pytest.mark.parametrize("namespace", ["election", "leases", "prometheus", f"{ALIKE}-dev"])
def test_no_namespace_makes_two_names_one(namespace: str) -> None:
    found = names(of_release(namespace))
    assert len(found) == len({*found})


TEXTS = {"a": "1e3", "b": "no", "c": "0x1f", "d": "1_000", "e": "2026-01-01"}
"""What YAML takes for something else than a text where it is not quoted."""
SETTINGS: dict[str, Any] = {
    "priorityClassName": "1000",
    "nodeSelector": TEXTS,
    "podLabels": TEXTS,
    "podAnnotations": TEXTS,
}
BUNDLED: dict[str, Any] = {
    **EVERYTHING,
    "crds": {"install": False},
    "fullnameOverride": "no",
    "watchNamespaces": ["4711", "1e3", "no"],
    "leaseNamespace": "123",
    "imagePullSecrets": ["10"],
    "measured": {"priorityClassName": "1000", "podLabels": TEXTS, "podAnnotations": TEXTS},
    "operator": {**SETTINGS, "serviceAccount": {"annotations": TEXTS}},
    "minio": {
        **SETTINGS,
        "existingSecret": "1",
        "users": {"operator": {"existingSecret": "2"}, "analyst": {"existingSecret": "3"}},
        "persistence": {"storageClass": "4"},
    },
    "prometheus": {**SETTINGS, "persistence": {"enabled": True, "storageClass": "5"}},
    "nodeExporter": SETTINGS,
}
OWN: dict[str, Any] = {
    "crds": {"install": False},
    "watchNamespaces": ["11"],
    "leaseNamespace": "12",
    "minio": {"enabled": False},
    "objectStore": {
        "external": {
            **EXTERNAL["objectStore"]["external"],
            "existingSecret": "1",
            "readerSecret": "2",
            "caConfigMap": "3",
        }
    },
    "prometheus": {
        "enabled": False,
        "external": {**EXTERNAL["prometheus"]["external"], "caConfigMap": "4"},
    },
}
REFERENCES = re.compile(
    "name|namespace|(claim|priorityClass|serviceAccount|storageClass)Name|secretName"
)
MAPS = ("annotations", "labels", "matchLabels", "nodeSelector")


def scalars(body: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Names, and values of labels and the like, with where they are."""
    if isinstance(body, list):
        for place, item in enumerate(body):
            yield from scalars(item, f"{path}[{place}]")
    elif isinstance(body, dict):
        for key, value in body.items():
            if REFERENCES.fullmatch(str(key)):
                yield f"{path}.{key}", value
            elif key in MAPS:
                yield from ((f"{path}.{key}.{label}", text) for label, text in value.items())
            else:
                yield from scalars(value, f"{path}.{key}")


@pytest.mark.parametrize("values", [BUNDLED, OWN], ids=["bundled", "own services"])
@pytest.mark.parametrize("namespace", ["4711", "no", "1e3"])
def test_names_and_labels_are_texts_whatever_they_look_like(
    values: dict[str, Any], namespace: str
) -> None:
    rendered = render(values, release="no", namespace=namespace)
    found = [(body["kind"], *one) for body in rendered.manifests for one in scalars(body)]
    assert [one for one in found if not isinstance(one[-1], str)] == []
    spaces = {body["metadata"].get("namespace", namespace) for body in rendered.manifests}
    assert spaces == {namespace, *values["watchNamespaces"], values["leaseNamespace"]}


def test_a_release_whose_name_begins_with_a_digit_needs_another() -> None:
    with pytest.raises(Refused, match=r"name 1st begins with a digit.*set fullnameOverride"):
        render(release="1st")
    rendered = render({"fullnameOverride": "first"}, release="1st")
    services = {body["metadata"]["name"] for body in rendered.all("Service")}
    assert services == {"first-minio", "first-prometheus", "first-operator-metrics"}


def test_an_alias_may_have_capitals_and_underscores(tmp_path: Path) -> None:
    copy = tmp_path / "encbench"
    shutil.copytree(CHART, copy)
    about = copy / "Chart.yaml"
    about.write_text(about.read_text().replace("name: encbench\n", "name: Enc_Bench\n", 1))
    (deployment,) = render(chart=copy).all("Deployment", "operator")
    assert deployment["metadata"]["name"] == "bench-enc-bench-operator"
    assert deployment["metadata"]["labels"]["app.kubernetes.io/name"] == "Enc_Bench"
