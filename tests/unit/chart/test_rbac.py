"""The roles cover exactly what the operator does: asked of the operator, not written down twice."""

from collections.abc import Iterator

import pytest

from encbench.adapters.watchcache import WATCHED
from encbench.api import kinds
from encbench.api.kinds import Kind
from encbench.api.resources import BY_KIND
from tests.support import manifests
from tests.support.chart import NAMESPACE, Manifest, Rendered, render
from tests.support.fake_cluster import Call, FakeCluster
from tests.unit.reconcile.accidents import load_fails
from tests.unit.reconcile.candidates import Instant, Process
from tests.unit.reconcile.world import SPACE, World, parts, study

Right = tuple[str, str, str]
"""API group, resource, verb."""

UNSEEN: set[Right] = {
    ("", "pods/log", "get"),
    ("events.k8s.io", "events", "create"),
    *(("encbench.io", f"{owner}/finalizers", "update") for owner in ("campaigns", "testbeds")),
    ("encbench.io", "trials/finalizers", "update"),
}
"""What the simulated world does not show: logs of failed pods, Events, and owner references that
clusters with OwnerReferencesPermissionEnforcement check."""

SCRIPT = """
sysbench.cmdline.options = {tables = {"", 1}, table_size = {"", 1}}
function prepare() end
function event() end
"""

_VERBS = {
    "get": ("get",),
    "list": ("list",),
    "create": ("create",),
    "apply": ("create", "patch"),
    "patch_metadata": ("patch",),
    "delete": ("delete",),
}


def granted(role: Manifest) -> set[Right]:
    return {
        (group, resource, verb)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def rights(verb: str, kind: Kind) -> Iterator[Right]:
    """What a call of `ports.Cluster` needs."""
    group = kind.api_version.rpartition("/")[0]
    if verb == "apply_status":
        yield group, f"{kind.plural}/status", "update"
    for needed in _VERBS.get(verb, ()):
        yield group, kind.plural, needed


def _of(call: Call) -> Iterator[Right]:
    return rights(call.verb, call.kind)


async def test_the_role_of_elections_is_what_they_need(default: Rendered) -> None:
    instant, cluster = Instant(), FakeCluster()
    one, two = (Process(instant, cluster, name) for name in ("one", "two"))
    await one.elector.attempt()
    await two.elector.attempt()
    await one.elector.attempt()
    await one.elector.resign()
    (role,) = default.all("Role", "election")
    assert role["metadata"]["namespace"] == NAMESPACE
    assert granted(role) == {right for call in cluster.calls for right in _of(call)}


async def test_the_role_is_what_a_campaign_needs(default: Rendered) -> None:
    world = World()
    world.apply(
        manifests.config_map("own", SPACE, **{"own.lua": SCRIPT}),
        *parts(sysbench={"scriptConfigMapRef": {"name": "own", "key": "own.lua"}}),
        study("tde", blocks=1, ttlSecondsAfterFinished=60),
    )
    await world.run(world.ended)
    await world.settle(150)
    world.cluster.remove(kinds.CAMPAIGN, SPACE, "study")
    await world.run(world.gone)

    failing = World()
    failing.apply(*parts(), study("tde", blocks=1, replacements=0))
    await load_fails(failing)
    await failing.run(failing.ended)
    await failing.settle(150)

    calls = [*world.cluster.calls, *failing.cluster.calls]
    needed = {right for call in calls if call.kind != kinds.LEASE for right in _of(call)}
    for kind in WATCHED:
        needed |= {(*next(rights("list", kind))[:2], verb) for verb in ("list", "watch")}

    cluster_wide = {("", "nodes", "get")}
    (role,) = default.all("ClusterRole", "operator")
    assert cluster_wide <= needed & granted(role)
    needed -= cluster_wide
    (role,) = default.all("Role", "operator")
    assert needed - granted(role) == set(), "the operator would be forbidden to do this"
    assert granted(role) - needed - UNSEEN == set(), "the operator never does this"

    (role,) = default.all("Role", "leases")
    assert granted(role) == {
        right for call in calls if call.kind == kinds.LEASE for right in _of(call)
    }


def test_nobody_may_list_secrets(any_variant: Rendered) -> None:
    for role in [*any_variant.all("Role"), *any_variant.all("ClusterRole")]:
        for rule in role["rules"]:
            assert "*" not in [*rule["apiGroups"], *rule["resources"], *rule["verbs"]]
            if "secrets" in rule["resources"]:
                assert set(rule["verbs"]) <= {"get", "create", "patch", "delete"}


def test_cluster_wide_the_operator_reads_nodes_and_disks_and_lets_go_of_campaigns(
    any_variant: Rendered,
) -> None:
    (role,) = any_variant.all("ClusterRole", "operator")
    binding = ("admissionregistration.k8s.io", "validatingadmissionpolicybindings", "get")
    assert granted(role) - {binding} == {
        ("", "nodes", "get"),
        ("", "nodes", "list"),
        ("", "persistentvolumes", "get"),
        ("storage.k8s.io", "storageclasses", "get"),
        ("", "namespaces", "get"),
        *(("encbench.io", "campaigns", verb) for verb in ("get", "list", "patch")),
    }
    (rule,) = [rule for rule in role["rules"] if "namespaces" in rule["resources"]]
    places = {body["metadata"]["namespace"] for body in any_variant.all("Role", "operator")}
    assert set(rule["resourceNames"]) == {*places, NAMESPACE}


def test_leases_lie_where_the_values_say(default: Rendered, namespaces: Rendered) -> None:
    for rendered, place in ((default, NAMESPACE), (namespaces, "measuring")):
        for kind in ("Role", "RoleBinding"):
            (body,) = rendered.all(kind, "leases")
            assert body["metadata"]["namespace"] == place
        (container,) = rendered.one("Deployment", "operator")["spec"]["template"]["spec"][
            "containers"
        ]
        assert f"--lease-namespace={place}" in container["args"]


def test_prometheus_sees_pods_only(default: Rendered) -> None:
    (role,) = default.all("Role", "prometheus")
    assert granted(role) == {("", "pods", verb) for verb in ("get", "list", "watch")}


@pytest.mark.parametrize("component", ["operator", "prometheus"])
def test_there_is_a_role_in_each_watched_namespace(namespaces: Rendered, component: str) -> None:
    for kind in ("Role", "RoleBinding"):
        places = {body["metadata"]["namespace"] for body in namespaces.all(kind, component)}
        assert places == {NAMESPACE, "team-a", "team-b"}
    for binding in namespaces.all("RoleBinding", component):
        (subject,) = binding["subjects"]
        assert subject["namespace"] == NAMESPACE
        account = namespaces.one("ServiceAccount", component)
        assert subject["name"] == account["metadata"]["name"]


WRITTEN_BY_THE_OPERATOR = {"testbeds", "trials", "overheadreports"}


def test_peoples_roles_leave_the_operators_records_alone(default: Rendered) -> None:
    roles = {
        body["metadata"]["name"].removeprefix(f"bench-encbench-{NAMESPACE}-"): granted(body)
        for body in default.all("ClusterRole", "roles")
    }
    assert roles.keys() == {"view", "campaign-author", "part-author"}
    reads = {"get", "list", "watch"}
    every = {kind.plural for kind in BY_KIND}
    assert roles["view"] == {("encbench.io", kind, verb) for kind in every for verb in reads}
    written = {
        name: {kind for _, kind, verb in rights if verb not in reads}
        for name, rights in roles.items()
    }
    assert written["campaign-author"] == {"campaigns"}
    assert written["part-author"] == every - WRITTEN_BY_THE_OPERATOR - {"campaigns"}
    for name, kinds_written in written.items():
        # kubectl apply reads an object before it writes it.
        for kind in kinds_written:
            assert {("encbench.io", kind, verb) for verb in reads} <= roles[name]
    assert {group for rights in roles.values() for group, _, _ in rights} == {"encbench.io"}


def test_peoples_roles_join_the_clusters_own(default: Rendered) -> None:
    def joined(rendered: Rendered) -> dict[str, set[str]]:
        mark = "rbac.authorization.k8s.io/aggregate-to-"
        return {
            body["metadata"]["name"].removeprefix(f"bench-encbench-{NAMESPACE}-"): {
                label.removeprefix(mark)
                for label in body["metadata"]["labels"]
                if label.startswith(mark)
            }
            for body in rendered.all("ClusterRole", "roles")
        }

    authors = {"edit", "admin"}
    assert joined(default) == {
        "view": {"view", *authors},
        "campaign-author": authors,
        "part-author": authors,
    }
    assert not any(joined(render({"roles": {"aggregate": False}})).values())
    assert not joined(render({"roles": {"create": False}}))
