"""Whether a cluster has nodes and StorageClasses for the pods of a plan; pure.

Each pod is judged alone, against nodes that were empty, so that what is said here is certain: such
a pod would wait until the cluster or the manifests change. Clusters do change, and volumes can be
made by hand, so it is never a reason to refuse a campaign.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from encbench.api.campaign import CampaignSpec, Resolved
from encbench.api.kinds import CAMPAIGN, INSTANCE_TEMPLATE, STORAGE_CLASS
from encbench.core import plan
from encbench.core.problem import Problem, Reason
from encbench.kube.classes import is_default
from encbench.kube.fit import Node, has_labels, holds, is_tolerated, node, selector, takes
from encbench.kube.nodes import least_node
from encbench.ports import Body
from encbench.reconcile.campaign.room import Needed, needed

_STATE = "node.kubernetes.io/"


def nodes(bodies: Sequence[Body]) -> list[Node]:
    """Nodes as they were read; none if one has not reported yet, which might hold anything."""
    found = [node(body) for body in bodies]
    known = [one for one in found if one is not None]
    if len(known) != len(found):
        return []
    return [replace(one, taints=tuple(filter(_lasts, one.taints))) for one in known]


def misfits(spec: CampaignSpec, resolved: Resolved, nodes: Sequence[Node]) -> tuple[Problem, ...]:
    """What would wait for a node; nothing where the nodes are unknown."""
    if not nodes:
        return ()
    found: dict[tuple[str, str], Problem] = {}
    for cell in plan.cells(spec, resolved.workloads):
        # The largest first, because it alone is named of those that one object describes.
        pods = sorted(needed(spec, resolved, cell), key=lambda pod: pod.request, reverse=True)
        of_cell = [problem for pod in pods for problem in _of_pod(pod, nodes)]
        for problem in of_cell or _apart(spec, pods, nodes):
            found.setdefault((problem.kind.kind, problem.subject), problem)
    return tuple(found.values())


def without_class(resolved: Resolved, classes: Sequence[Body]) -> Iterator[Problem]:
    """The templates whose volumes no StorageClass of the cluster would make."""
    names = {body["metadata"]["name"] for body in classes}
    has_default = any(map(is_default, classes))
    for name, instance in resolved.instances.items():
        wanted = instance.storage.class_name if instance.storage is not None else None
        if instance.storage is None or wanted in names or (wanted is None and has_default):
            continue
        why = (
            "this cluster has no default StorageClass: name one in storage.className"
            if wanted is None
            else f"this cluster has no StorageClass {wanted}: create it, or name another"
        )
        text = f"InstanceTemplate {name}: {why} (kubectl get storageclasses)"
        yield Problem(INSTANCE_TEMPLATE, Reason.NOT_FOUND, text, name)


def keeping_disks(resolved: Resolved, classes: Sequence[Body]) -> Iterator[Problem]:
    """The StorageClasses of the campaign's volumes that keep a disk when its testbed goes."""
    storages = [it.storage for it in resolved.instances.values() if it.storage is not None]
    wanted = {it.class_name for it in storages}
    wanted |= {it.storage_class for it in resolved.modes.values() if it.storage_class}
    for body in classes:
        name = body["metadata"]["name"]
        used = name in wanted or (None in wanted and is_default(body))
        if used and body.get("reclaimPolicy") == "Retain":
            text = (
                f"StorageClass {name} has reclaimPolicy: Retain, so every testbed leaves its disk "
                "behind (kubectl get persistentvolumes): name a class with Delete, or delete the "
                "volumes and their disks yourself"
            )
            yield Problem(STORAGE_CLASS, Reason.DISKS_STAY, text, name)


def _of_pod(needed: Needed, nodes: Sequence[Node]) -> Iterator[Problem]:
    where, name = f"{needed.kind.kind} {needed.subject}", needed.role
    labelled = [node for node in nodes if has_labels(node, needed.pod)]
    open_ = [node for node in labelled if is_tolerated(node, needed.pod)]
    if not labelled:
        wanted = ", ".join(f"{key}={value}" for key, value in selector(needed.pod).items())
        why = (
            f"no node of this cluster has the labels that a {name} asks for ({wanted}): label a "
            "node, or correct placement.nodeSelector"
        )
    elif not open_:
        taints = dict.fromkeys(_named(taint) for node in labelled for taint in node.taints)
        why = (
            f"every node that a {name} may use has a taint that it does not tolerate: write "
            f"placement.tolerations for {' or '.join(taints)}, or remove the taint"
        )
    elif not any(holds(node, needed.request) for node in open_):
        most = max(open_, key=lambda node: (node.offers.bytes, node.offers.millicores))
        least = least_node(needed.request)
        asked, offered = needed.request.words_beside(most.offers)
        why = (
            f"a {name} of {asked}, sidecars included, fits no node of this "
            f"cluster: {most.name} offers {offered}. Ask for less in resources, or add "
            f"a node of {least.cores} cores and {least.gibibytes} GiB or more"
        )
    else:
        return
    yield Problem(needed.kind, Reason.FITS_NO_NODE, f"{where}: {why}", needed.subject)


def _apart(spec: CampaignSpec, pods: Iterable[Needed], nodes: Sequence[Node]) -> Iterator[Problem]:
    """Clients need another node than their database's."""
    places: dict[str, set[str]] = {}
    for pod in pods:
        own = places.setdefault(pod.role, set())
        own |= {node.name for node in nodes if takes(node, pod.pod)}
    databases, clients = places.get("database", set()), places["client"]
    if databases and not spec.allow_colocation and len(databases | clients) == 1:
        (only,) = databases
        text = (
            f"a client needs another node than its database's, and of this cluster only {only} "
            "takes either: add a node, or write allowColocation: true, which the report states"
        )
        yield Problem(CAMPAIGN, Reason.FITS_NO_NODE, text)


def _lasts(taint: Mapping[str, str]) -> bool:
    """Kubernetes' own taints are of a node's state, such as a cordon, and go as it changes."""
    return not taint["key"].startswith(_STATE)


def _named(taint: Mapping[str, str]) -> str:
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint['key']}{value}:{taint['effect']}"
