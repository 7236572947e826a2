"""Every connection that the product makes is in the table of docs/security.md, and allowed.

All others between its pods, and from or to strangers, are not.
"""

import asyncio
from functools import cache
from itertools import product
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from encbench.api.kinds import JOB, STATEFUL_SET
from encbench.core.columns import layout
from encbench.database.pod import AGENT_CONTROL_PORT, AGENT_PORT
from encbench.engines.facts import FACTS
from encbench.kube.labels import COMPONENT, MANAGED_BY, MANAGER, SCRAPE
from encbench.options import arguments
from encbench.tools.pod import RECORDER_CONTROL_PORT, RECORDER_PORT
from tests.support.chart import NAMESPACE, REPO, Manifest, Rendered, render
from tests.support.connections import HEALTH, PORTS, TABLE
from tests.support.netpol import NAMESPACE_LABEL, Place, allows
from tests.unit.chart.variants import EXTERNAL
from tests.unit.reconcile.world import World, parts, study

TEAM = "team-a"
API_SERVER = Place(address="192.0.2.1")
ELSEWHERE = Place(address="203.0.113.9")
METADATA = Place(address="169.254.169.254")
"""Where clouds hand out their nodes' credentials."""
DNS = Place("kube-system", {"k8s-app": "kube-dns"})
STRANGERS = [Place(place, {"app": "stranger"}) for place in (NAMESPACE, TEAM, "other")]
LOOKALIKES = [
    Place("other", {MANAGED_BY: MANAGER, COMPONENT: one}) for one in ("client", "database")
]
VALUES: dict[str, Any] = {
    "watchNamespaces": [TEAM],
    "networkPolicy": {"apiServer": {"cidrs": [f"{API_SERVER.address}/32"]}},
}


@cache
def chart(variant: str = "bundled") -> Rendered:
    return render(VALUES if variant == "bundled" else {**VALUES, **EXTERNAL})


def of_the_chart(rendered: Rendered) -> dict[str, Manifest]:
    """The pods of the release, by component."""
    found = {}
    for body in rendered.manifests:
        pod = body if body["kind"] == "Pod" else body.get("spec", {}).get("template")
        if pod is not None:
            found[pod["metadata"]["labels"][COMPONENT]] = pod
    return found


@pytest.fixture(scope="module")
def of_the_operator() -> dict[str, Manifest]:
    """The pods that a campaign makes, by component: asked of the operator."""
    return asyncio.run(made())


async def made() -> dict[str, Manifest]:
    world = World()
    world.apply(*parts(), study("tde", blocks=1))
    found: dict[str, Manifest] = {}

    def seen() -> bool:
        for kind in (STATEFUL_SET, JOB):
            for body in world.cluster.all(kind):
                pod = body["spec"]["template"]
                found[pod["metadata"]["labels"][COMPONENT]] = pod
        return world.ended()

    await world.run(seen)
    return found


@pytest.fixture
def places(of_the_operator: dict[str, Manifest]) -> dict[str, list[Place]]:
    """Where each row of the table begins and ends."""
    own = of_the_chart(chart())
    return {
        **{name: [Place(NAMESPACE, pod["metadata"]["labels"])] for name, pod in own.items()},
        **{
            name: [Place(space, pod["metadata"]["labels"]) for space in (NAMESPACE, TEAM)]
            for name, pod in of_the_operator.items()
        },
        "API server": [API_SERVER],
        "DNS": [DNS],
    }


def test_every_listed_connection_is_allowed(places: dict[str, list[Place]]) -> None:
    policies = chart().all("NetworkPolicy")
    for one, other, port in TABLE:
        for source, target in product(places[one], places[other]):
            apart = {source.namespace, target.namespace} == {NAMESPACE, TEAM}
            if other == "database" and one in ("load", "client") and apart:
                continue  # A trial and its testbed share a namespace.
            for protocol in ("TCP", "UDP") if other == "DNS" else ("TCP",):
                assert allows(policies, source, target, port, protocol), (one, other, port)


def test_no_other_connection_is_allowed(places: dict[str, list[Place]]) -> None:
    policies = chart().all("NetworkPolicy")
    outside = {"stranger": STRANGERS, "lookalike": LOOKALIKES, "elsewhere": [ELSEWHERE, METADATA]}
    ends = [(name, place) for name, found in {**places, **outside}.items() for place in found]
    for (one, source), (other, target), port in product(ends, ends, PORTS):
        if {one, other} <= {*outside, "API server", "DNS"}:
            continue  # Not ours to hold.
        if allows(policies, source, target, port):
            assert (one, other, port) in TABLE, (source, target)


def test_a_cache_of_dns_on_the_node_may_be_asked(places: dict[str, list[Place]]) -> None:
    """The addresses of NodeLocal DNSCache: its own default, Kubespray's, and a Service's."""
    usual = [Place(address="169.254.20.10"), Place(address="169.254.25.10")]
    service = Place(address="10.96.0.10")
    peers = [{"ipBlock": {"cidr": f"{service.address}/32"}}]
    added = render({**VALUES, "networkPolicy": {"dns": {"peers": peers}}}).all("NetworkPolicy")
    for name in {one for one, other, _ in TABLE if other == "DNS"}:
        for source, protocol in product(places[name], ("TCP", "UDP")):
            for cache_ in usual:
                assert allows(chart().all("NetworkPolicy"), source, cache_, 53, protocol), name
            assert not allows(chart().all("NetworkPolicy"), source, METADATA, 53, protocol)
            assert not allows(chart().all("NetworkPolicy"), source, service, 53, protocol)
            assert allows(added, source, service, 53, protocol), name


def test_databases_and_the_store_reach_nothing(places: dict[str, list[Place]]) -> None:
    policies = chart().all("NetworkPolicy")
    targets = [place for found in places.values() for place in found]
    for name in ("database", "minio", "node-exporter"):
        for source, target, port in product(places[name], [*targets, ELSEWHERE, METADATA], PORTS):
            assert not allows(policies, source, target, port)


def test_every_port_of_a_container_is_in_the_table(of_the_operator: dict[str, Manifest]) -> None:
    listed = {(target, port) for _, target, port in TABLE}
    for name, pod in {**of_the_chart(chart()), **of_the_operator}.items():
        for container in pod["spec"]["containers"]:
            for port in container.get("ports", ()):
                if (name, port["containerPort"]) != ("operator", HEALTH):
                    assert (name, port["containerPort"]) in listed, name


def test_every_port_that_the_code_knows_is_in_the_table() -> None:
    for one in ("load", "client"):
        for facts in FACTS.values():
            assert (one, "database", facts.port) in TABLE
    assert ("client", "database", layout.PORT) in TABLE
    assert ("prometheus", "database", AGENT_PORT) in TABLE
    assert ("prometheus", "client", RECORDER_PORT) in TABLE
    assert ("operator", "database", AGENT_CONTROL_PORT) in TABLE
    assert ("operator", "client", RECORDER_CONTROL_PORT) in TABLE


def test_what_the_operator_is_told_to_reach_is_in_the_table() -> None:
    for name in ("operator", "check"):
        args = of_the_chart(chart())[name]["spec"]["containers"][0]["args"]
        options = arguments().parse_args(args)
        for url, target in ((options.s3_endpoint, "minio"), (options.prometheus_url, "prometheus")):
            parts_ = urlsplit(url)
            assert f"-{target}." in (parts_.hostname or "")
            assert (name, target, parts_.port) in TABLE


def test_every_scraped_pod_is_in_the_table(of_the_operator: dict[str, Manifest]) -> None:
    scraped = {
        name
        for name, pod in of_the_operator.items()
        if pod["metadata"]["labels"].get(SCRAPE) == "true"
    }
    assert scraped == {"database", "client"}
    assert {other for one, other, _ in TABLE if one == "prometheus"} == {
        *scraped,
        "operator",
        "node-exporter",
        "API server",
        "DNS",
    }


def test_services_of_ones_own_are_reached_at_their_ports(
    of_the_operator: dict[str, Manifest],
) -> None:
    policies = chart("external").all("NetworkPolicy")
    operator = Place(NAMESPACE, of_the_chart(chart("external"))["operator"]["metadata"]["labels"])
    client = Place(TEAM, of_the_operator["client"]["metadata"]["labels"])
    for source in (operator, client):
        assert allows(policies, source, ELSEWHERE, 443)
        assert not allows(policies, source, ELSEWHERE, 80)
    values = {
        **EXTERNAL,
        "networkPolicy": {"objectStore": {"cidrs": ["198.51.100.0/24"], "ports": [9000]}},
    }
    narrow = render({**values, "watchNamespaces": [TEAM]}).all("NetworkPolicy")
    assert allows(narrow, client, Place(address="198.51.100.7"), 9000)
    assert not allows(narrow, client, ELSEWHERE, 9000)
    assert not allows(narrow, client, Place(address="198.51.100.7"), 443)


def test_external_databases_are_those_of_the_administrators_list(
    of_the_operator: dict[str, Manifest],
) -> None:
    listed = [{"cidr": "203.0.113.0/24", "ports": [5432]}]
    policies = render({"networkPolicy": {"databases": listed}}).all("NetworkPolicy")
    for name in ("load", "client"):
        source = Place(NAMESPACE, of_the_operator[name]["metadata"]["labels"])
        assert allows(policies, source, ELSEWHERE, 5432)
        assert not allows(policies, source, ELSEWHERE, 3306)
        assert not allows(policies, source, Place(address="198.51.100.7"), 5432)
        assert not allows(chart().all("NetworkPolicy"), source, ELSEWHERE, 5432)


@pytest.mark.parametrize(("address", "bits"), [("169.254.170.23", 32), ("fd00:ec2::23", 128)])
def test_the_operator_may_be_let_out_to_more(
    address: str, bits: int, places: dict[str, list[Place]]
) -> None:
    agent = Place(address=address)
    values = {"networkPolicy": {"operator": [{"cidr": f"{address}/{bits}", "ports": [80]}]}}
    policies = render(values).all("NetworkPolicy")
    for name in ("operator", "check"):
        (source,) = places[name]
        assert allows(policies, source, agent, 80)
        assert not allows(policies, source, METADATA, 80)
        assert not allows(chart().all("NetworkPolicy"), source, agent, 80)


def test_others_may_scrape_and_ask_beside_the_bundled_prometheus(
    places: dict[str, list[Place]],
) -> None:
    beside = Place("monitoring", {"app": "prometheus"})
    peers = [{"namespaceSelector": {"matchLabels": {NAMESPACE_LABEL: beside.namespace}}}]
    scraped = {(target, port) for one, target, port in TABLE if one == "prometheus"}
    scraped = {one for one in scraped if one[0] in places and one[0] not in ("DNS", "API server")}
    assert len(scraped) == 4
    for value, opened in (("scrapers", scraped), ("readers", {("prometheus", 9090)})):
        values = {**VALUES, "networkPolicy": {"prometheus": {value: peers}}}
        policies = render(values).all("NetworkPolicy")
        for (name, found), port in product(places.items(), PORTS):
            if name in ("DNS", "API server"):
                continue
            for target in found:
                allowed = allows(policies, beside, target, port)
                assert allowed is ((name, port) in opened), (value, name, port)


def test_a_plugin_that_cuts_the_kubelet_off_can_be_told_the_nodes(
    places: dict[str, list[Place]],
) -> None:
    node = Place(address="10.0.0.5")
    values = {**VALUES, "networkPolicy": {"nodes": ["10.0.0.0/24"]}}
    policies = render(values).all("NetworkPolicy")
    probed = {
        "operator": HEALTH,
        "minio": 9000,
        "prometheus": 9090,
        "node-exporter": 9100,
        "database": AGENT_PORT,
    }
    for name, port in probed.items():
        for target in places[name]:
            assert allows(policies, node, target, port), name
            assert not allows(policies, node, target, 22)
            assert not allows(chart().all("NetworkPolicy"), node, target, port)


def test_they_can_be_left_out() -> None:
    assert not render({"networkPolicy": {"enabled": False}}).all("NetworkPolicy")


def test_a_prometheus_of_ones_own_reaches_what_it_scrapes(
    of_the_operator: dict[str, Manifest],
) -> None:
    """With the values that docs/install.md gives."""
    page = (REPO / "docs" / "install.md").read_text(encoding="utf-8")
    section = page.partition("## A Prometheus of your own")[2]
    values = yaml.safe_load(section.partition("```yaml")[2].partition("```")[0])
    rendered = render({"watchNamespaces": [TEAM], **values})
    assert rendered.all("PodMonitor", "node-exporter"), "other load is unknown without them"
    own, source = of_the_chart(rendered), Place("monitoring", {"app": "prometheus"})
    for pod, port in (
        (of_the_operator["database"], AGENT_PORT),
        (of_the_operator["client"], RECORDER_PORT),
        (own["node-exporter"], 9100),
    ):
        target = Place(NAMESPACE, pod["metadata"]["labels"])
        assert allows(rendered.all("NetworkPolicy"), source, target, port)
    operator = Place(NAMESPACE, own["operator"]["metadata"]["labels"])
    assert allows(rendered.all("NetworkPolicy"), operator, source, 9090)
