"""Names of objects: whose they are, and whether the API server takes them."""

import pytest

from tests.support.chart import Rendered, render
from tests.unit.chart.variants import EVERYTHING

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
    for _, space, name in names(of_release(namespace)):
        if not space and not name.endswith("-cluster"):
            assert len(name) <= 63
        assert "--" not in name


@pytest.mark.parametrize("namespace", ["election", "leases", "prometheus", f"{ALIKE}-dev"])
def test_no_namespace_makes_two_names_one(namespace: str) -> None:
    found = names(of_release(namespace))
    assert len(found) == len({*found})
