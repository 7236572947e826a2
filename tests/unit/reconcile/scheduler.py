"""A scheduler, as far as campaigns ask one for something: by the affinities of their pods."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from encbench.kube.affinity import HOSTNAME
from encbench.kube.labels import COMPONENT
from encbench.kube.nodes import requested
from encbench.ports import Body

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
WISHED = "preferredDuringSchedulingIgnoredDuringExecution"


@dataclass
class Scheduler:
    """Places pods on these nodes, each of which has room for so many databases."""

    nodes: Sequence[str]
    room: int = 8
    pools: Mapping[str, str] = field(default_factory=dict)
    """The label `pool` of each node that has one."""
    clients: int = 8
    """Clients for which a node has room."""
    cores: int = 64
    """CPU that a pod may request."""

    def place(self, template: Body, pods: Sequence[Body]) -> str | None:
        """The best node for a pod of that template beside these; None where none will do."""
        asked = template["spec"].get("affinity") or {}
        there = [pod for pod in pods if pod["spec"].get("nodeName")]
        fitting = [node for node in self.nodes if self._fits(template, asked, node, there)]
        # The first of equals, so that nothing depends on chance.
        return max(fitting, key=lambda node: _score(asked, node, there), default=None)

    def _fits(self, template: Body, asked: Body, node: str, pods: Sequence[Body]) -> bool:
        pool = (template["spec"].get("nodeSelector") or {}).get("pool")
        if pool is not None and self.pools.get(node) != pool:
            return False
        if requested(template["spec"]).millicores > 1000 * self.cores:
            return False
        terms = _part(asked, "nodeAffinity", REQUIRED).get("nodeSelectorTerms")
        if terms is not None and not any(_matches(term, node) for term in terms):
            return False
        for term in _terms(asked, "podAntiAffinity", REQUIRED):
            if any(_selects(term, pod) for pod in pods if _on(pod, node)):
                return False
        alike = [pod for pod in pods if _on(pod, node) and _part_of(pod) == _part_of(template)]
        left = [pod for pod in alike if pod["status"]["phase"] not in ("Succeeded", "Failed")]
        room = {"database": self.room, "client": self.clients}.get(_part_of(template))
        return room is None or len(left) < room


def _score(asked: Body, node: str, pods: Sequence[Body]) -> int:
    found: int = sum(
        wish["weight"]
        for wish in _terms(asked, "nodeAffinity", WISHED)
        if _matches(wish["preference"], node)
    )
    for kind, sign in (("podAffinity", 1), ("podAntiAffinity", -1)):
        for wish in _terms(asked, kind, WISHED):
            term = wish["podAffinityTerm"]
            if term["topologyKey"] == HOSTNAME:
                here = [pod for pod in pods if _on(pod, node) and _selects(term, pod)]
                found += sign * wish["weight"] * bool(here)
    return found


def _part(asked: Body, kind: str, how: str) -> Any:
    return (asked.get(kind) or {}).get(how) or {}


def _terms(asked: Body, kind: str, how: str) -> Iterator[Body]:
    yield from _part(asked, kind, how) or ()


def _matches(term: Body, node: str) -> bool:
    for one in term["matchFields"]:
        assert one["key"] == "metadata.name"
        assert len(one["values"]) == 1, "the API takes no more of a field"
        if (node in one["values"]) != (one["operator"] == "In"):
            return False
    return True


def _selects(term: Body, pod: Body) -> bool:
    own, selector = pod["metadata"]["labels"], term["labelSelector"]
    excluded = selector.get("matchExpressions") or ()
    return selector["matchLabels"].items() <= own.items() and not any(
        own.get(one["key"]) in one["values"] for one in excluded
    )


def _on(pod: Body, node: str) -> bool:
    return bool(pod["spec"]["nodeName"] == node)


def _part_of(body: Body) -> str:
    return str(body["metadata"]["labels"].get(COMPONENT))
