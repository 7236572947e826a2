"""A scheduler, as far as campaigns ask one for something: by the affinities of their pods."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from encbench.kube.affinity import HOSTNAME
from encbench.kube.labels import COMPONENT
from encbench.ports import Body

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
WISHED = "preferredDuringSchedulingIgnoredDuringExecution"


@dataclass
class Scheduler:
    """Places pods on these nodes, each of which has room for so many databases."""

    nodes: Sequence[str]
    room: int = 8

    def place(self, template: Body, pods: Sequence[Body]) -> str | None:
        """The best node for a pod of that template beside these; None where none will do."""
        asked = template["spec"].get("affinity") or {}
        there = [pod for pod in pods if pod["spec"].get("nodeName")]
        fitting = [node for node in self.nodes if self._fits(template, asked, node, there)]
        # The first of equals, so that nothing depends on chance.
        return max(fitting, key=lambda node: _score(asked, node, there), default=None)

    def _fits(self, template: Body, asked: Body, node: str, pods: Sequence[Body]) -> bool:
        terms = _part(asked, "nodeAffinity", REQUIRED).get("nodeSelectorTerms")
        if terms is not None and not any(_matches(term, node) for term in terms):
            return False
        for term in _terms(asked, "podAntiAffinity", REQUIRED):
            if any(_selects(term, pod) for pod in pods if _on(pod, node)):
                return False
        own = [pod for pod in pods if _on(pod, node) and _is_database(pod)]
        return not _is_database(template) or len(own) < self.room


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
    for field in term["matchFields"]:
        assert field["key"] == "metadata.name"
        assert len(field["values"]) == 1, "the API takes no more of a field"
        if (node in field["values"]) != (field["operator"] == "In"):
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


def _is_database(body: Body) -> bool:
    return bool(body["metadata"]["labels"].get(COMPONENT) == "database")
