"""Where the scheduler puts databases, clients and loads; pure.

A database runs on the node of its cell's other databases if it fits, else on one of the same type
or architecture, else in the same zone. A client runs on another node than its database, and on none
with any database while there is one without. Where several cells of a campaign are measured side by
side, databases and loads keep off the nodes of the others, and clients do if they can. What is a
wish here gives way to a volume that is bound to a node, to taints and to the template's own node
selector; the report says what came of it.
"""

from collections.abc import Mapping, Sequence

from encbench.api.testbed import TestbedSpec
from encbench.api.trial import TrialSpec
from encbench.kube import labels
from encbench.kube.pods import Part

HOSTNAME = "kubernetes.io/hostname"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
ARCHITECTURE = "kubernetes.io/arch"
ZONE = "topology.kubernetes.io/zone"
"""Labels of nodes. A wish about a label that a node lacks has no effect."""

STRONG, FAIR, WEAK = 100, 50, 25
"""Weights of wishes; 100 is the most that Kubernetes takes."""


def of_database(spec: TestbedSpec) -> Part:
    """Of a database's pod: with those of its cell, which are measured against it."""
    own = {labels.COMPONENT: "database", **_cell(spec)}
    # Without a cloud nodes have no type, and k3s gives all of them one.
    like = ((FAIR, INSTANCE_TYPE), (FAIR, ARCHITECTURE))
    wanted = ((STRONG, HOSTNAME), *like, (WEAK, ZONE))
    return {
        "podAffinity": _wishes(*(_wish(weight, key, own) for weight, key in wanted)),
        **_node_affinity(
            required=[_none_of(spec.avoid)] if spec.avoid else [],
            wished=list(map(_wish_node, spec.near)),
        ),
    }


def staying(affinity: Part, node: str) -> Part:
    """Of a database's pod that is started anew: where it ran, so that only the trial differs."""
    kept = affinity.get("nodeAffinity") or {}
    return {**affinity, "nodeAffinity": {**kept, **_wishes(_wish_node(node))}}


def of_client(
    spec: TrialSpec, trial: str, database_node: str | None, *, keeps_off: bool = False
) -> Part:
    """Of a client's pod. `database_node` is where its database runs, or will run again.

    Whoever avoids the database's pod alone may take its node while it is being restarted, and the
    pod, whose volume may be bound to that node, would never start again. A pod that stays
    `keeps_off` clients by itself: Karpenter makes no node for a pod that names one in a rule.
    """
    away = None if spec.allow_colocation else database_node
    pinned = [node for node in spec.client_nodes if node != away]
    terms = [_named("In", node) for node in pinned]
    if not terms and away is not None and not keeps_off:
        terms = [_named("NotIn", away)]
    databases = {labels.MANAGED_BY: labels.MANAGER, labels.COMPONENT: "database"}
    own = labels.database_selector(spec.testbed_ref.name)
    # Beside its own database it disturbs no other cell, and elsewhere it might.
    may_stay = bool(spec.avoid) and spec.allow_colocation
    avoided: Part = {} if may_stay else _wishes(_wish(STRONG, HOSTNAME, databases))
    if not spec.allow_colocation:
        avoided["requiredDuringSchedulingIgnoredDuringExecution"] = [_term(HOSTNAME, own)]
    # An interleaved block's clients come at once, so that none of them is pinned in the first one.
    others = _wish(FAIR, HOSTNAME, {labels.COMPONENT: "client", **_cell(spec)})
    others["podAffinityTerm"]["labelSelector"]["matchExpressions"] = [
        {"key": labels.TRIAL, "operator": "NotIn", "values": [trial]}
    ]
    apart = {"weight": STRONG, "preference": _none_of(spec.avoid)}
    return {
        **({"podAntiAffinity": avoided} if avoided else {}),
        "podAffinity": _wishes(others, _wish(WEAK, ZONE, own)),
        **_node_affinity(required=terms, wished=[apart] if spec.avoid else []),
    }


def of_load(spec: TestbedSpec, testbed: str) -> Part:
    """Of a load's pod: on its database's node, which is leased for it."""
    return {
        "podAffinity": _wishes(_wish(STRONG, HOSTNAME, labels.database_selector(testbed))),
        **_node_affinity(required=[_none_of(spec.avoid)] if spec.avoid else []),
    }


def spread(trial: str) -> list[Part]:
    """A trial's replicas, over as many nodes as there are for them."""
    return [
        {
            "maxSkew": 1,
            "topologyKey": HOSTNAME,
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {labels.TRIAL: trial}},
        }
    ]


def _cell(spec: TestbedSpec | TrialSpec) -> dict[str, str]:
    return {labels.CAMPAIGN: spec.campaign_ref.name, labels.CELL: spec.cell}


def _wishes(*wishes: Part) -> Part:
    return {"preferredDuringSchedulingIgnoredDuringExecution": list(wishes)}


def _wish(weight: int, key: str, selector: Mapping[str, str]) -> Part:
    return {"weight": weight, "podAffinityTerm": _term(key, selector)}


def _term(key: str, selector: Mapping[str, str]) -> Part:
    return {"labelSelector": {"matchLabels": dict(selector)}, "topologyKey": key}


def _node_affinity(*, required: Sequence[Part], wished: Sequence[Part] = ()) -> Part:
    """The part about nodes by name; required terms are alternatives."""
    found: Part = _wishes(*wished) if wished else {}
    if required:
        terms = {"nodeSelectorTerms": list(required)}
        found["requiredDuringSchedulingIgnoredDuringExecution"] = terms
    return {"nodeAffinity": found} if found else {}


def _none_of(nodes: Sequence[str]) -> Part:
    """A term that only other nodes satisfy; the API takes one value of a field."""
    return {"matchFields": [_field("NotIn", node) for node in nodes]}


def _wish_node(node: str) -> Part:
    return {"weight": STRONG, "preference": _named("In", node)}


def _named(operator: str, node: str) -> Part:
    return {"matchFields": [_field(operator, node)]}


def _field(operator: str, node: str) -> Part:
    """A node by its name, which its label kubernetes.io/hostname need not be."""
    return {"key": "metadata.name", "operator": operator, "values": [node]}
