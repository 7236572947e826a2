"""Which LimitRange of a namespace would refuse a pod of a plan; pure.

Only CPU and memory are judged, which every container requests and limits. What a LimitRange adds by
itself, such as a default for ephemeral storage, refuses nothing.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, product

from encbench.api.campaign import CampaignSpec, Resolved
from encbench.api.scalars import parse_quantity
from encbench.core import plan
from encbench.core.problem import Problem, Reason
from encbench.kube.pods import Part
from encbench.ports import Body
from encbench.reconcile.campaign.room import Needed, needed

_BOUNDS = (("min", "requests"), ("max", "limits"))


def refusals(spec: CampaignSpec, resolved: Resolved, ranges: Sequence[Body]) -> tuple[Problem, ...]:
    """What the API server would not create, one for each object and LimitRange."""
    found: dict[tuple[str, str, str], Problem] = {}
    cells = plan.cells(spec, resolved.workloads)
    for pod in chain.from_iterable(needed(spec, resolved, cell) for cell in cells):
        for body in ranges:
            name = body["metadata"]["name"]
            for why in _of_pod(pod.pod, body):
                found.setdefault((pod.kind.kind, pod.subject, name), _problem(pod, name, why))
    return tuple(found.values())


def _problem(pod: Needed, name: str, why: str) -> Problem:
    text = (
        f"{pod.kind.kind} {pod.subject}: LimitRange {name} refuses a {pod.role}, because {why}. "
        "Correct either; docs/install.md has the sizes that encbench sets itself"
    )
    return Problem(pod.kind, Reason.OUT_OF_RANGE, text, pod.subject)


def _of_pod(pod: Part, body: Body) -> Iterator[str]:
    inits: list[Part] = pod.get("initContainers", [])
    for item in (body.get("spec") or {}).get("limits") or ():
        for (bound, kind), resource in product(_BOUNDS, ("cpu", "memory")):
            limit = (item.get(bound) or {}).get(resource)
            if limit is None:
                continue
            if item["type"] == "Container":
                for one in [*inits, *pod["containers"]]:
                    amount = one["resources"][kind][resource]
                    if _is_beyond([amount], bound, limit):
                        name = one["name"]
                        yield f"container {name} {kind} {amount} of {resource}: {bound} is {limit}"
            # What init containers ask for may satisfy the least that a pod has to.
            elif item["type"] == "Pod" and bound == "max":
                stay = [one for one in inits if one.get("restartPolicy") == "Always"]
                own = [one["resources"][kind][resource] for one in (*stay, *pod["containers"])]
                if _is_beyond(own, bound, limit):
                    whole = " + ".join(own)
                    yield f"its containers' {kind} of {resource} are {whole}: {bound} is {limit}"


def _is_beyond(amounts: Sequence[str], bound: str, limit: str) -> bool:
    # A LimitRange may use forms of a quantity that encbench does not read.
    with suppress(ValueError):
        whole, allowed = sum(map(_parts, amounts)), _parts(limit)
        return whole < allowed if bound == "min" else whole > allowed
    return False


def _parts(amount: str) -> int:
    """Whole thousandths, because sums of floats differ from a bound that they equal."""
    return round(1000 * parse_quantity(amount))
