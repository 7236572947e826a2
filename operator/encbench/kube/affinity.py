"""Where the scheduler puts databases, clients and loads; pure.

A database runs on the node of its cell's other databases if it fits, else on one of the same type,
else in the same zone. A client runs on another node than its database, and on none with any
database while there is one without. What is a wish here gives way to a volume that is bound to a
node, to taints and to the template's own node selector; the report says what came of it.
"""

from collections.abc import Mapping

from encbench.api.testbed import TestbedSpec
from encbench.api.trial import TrialSpec
from encbench.kube import labels
from encbench.kube.pods import Part

HOSTNAME = "kubernetes.io/hostname"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
ZONE = "topology.kubernetes.io/zone"
"""Labels of nodes. A wish about a label that a node lacks has no effect."""

STRONG, FAIR, WEAK = 100, 50, 25
"""Weights of wishes; 100 is the most that Kubernetes takes."""


def of_database(spec: TestbedSpec) -> Part:
    """Of a database's pod: with those of its cell, which are measured against it."""
    own = {labels.COMPONENT: "database", **_cell(spec)}
    wanted = ((STRONG, HOSTNAME), (FAIR, INSTANCE_TYPE), (WEAK, ZONE))
    return {
        "podAffinity": _wishes(*(_wish(weight, key, own) for weight, key in wanted)),
        **({"nodeAffinity": _wishes(*map(_wish_node, spec.near))} if spec.near else {}),
    }


def staying(affinity: Part, node: str) -> Part:
    """Of a database's pod that is started anew: where it ran, so that only the trial differs."""
    return {**affinity, "nodeAffinity": _wishes(_wish_node(node))}


def of_client(spec: TrialSpec, trial: str, database_node: str | None) -> Part:
    """Of a client's pod. `database_node` is where its database runs, or will run again.

    Whoever avoids the database's pod alone may take its node while it is being restarted, and the
    pod, whose volume may be bound to that node, would never start again.
    """
    away = None if spec.allow_colocation else database_node
    pinned = [node for node in spec.client_nodes if node != away]
    terms = [_named("In", node) for node in pinned]
    if not terms and away is not None:
        terms = [_named("NotIn", away)]
    databases = {labels.MANAGED_BY: labels.MANAGER, labels.COMPONENT: "database"}
    own = labels.database_selector(spec.testbed_ref.name)
    avoided: Part = _wishes(_wish(STRONG, HOSTNAME, databases))
    if not spec.allow_colocation:
        avoided["requiredDuringSchedulingIgnoredDuringExecution"] = [_term(HOSTNAME, own)]
    # An interleaved block's clients come at once, so that none of them is pinned in the first one.
    others = _wish(FAIR, HOSTNAME, {labels.COMPONENT: "client", **_cell(spec)})
    others["podAffinityTerm"]["labelSelector"]["matchExpressions"] = [
        {"key": labels.TRIAL, "operator": "NotIn", "values": [trial]}
    ]
    found: Part = {
        "podAntiAffinity": avoided,
        "podAffinity": _wishes(others, _wish(WEAK, ZONE, own)),
    }
    if terms:
        required = {"nodeSelectorTerms": terms}
        found["nodeAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": required}
    return found


def of_load(testbed: str) -> Part:
    """Of a load's pod: on its database's node, which is leased for it."""
    return {"podAffinity": _wishes(_wish(STRONG, HOSTNAME, labels.database_selector(testbed)))}


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


def _wish_node(node: str) -> Part:
    return {"weight": STRONG, "preference": _named("In", node)}


def _named(operator: str, node: str) -> Part:
    """A term about one node by its name, which its label kubernetes.io/hostname need not be."""
    field = {"key": "metadata.name", "operator": operator, "values": [node]}
    return {"matchFields": [field]}
