"""Whether a trial's containers have the limits that were asked for; pure.

A webhook of the cluster may change them in each pod that is made. What a container used would then
be a share of a limit that it does not have, and arms with unlike limits would be compared. Requests
are not looked at: encbench itself asks for less where arms take turns.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from math import ceil

from encbench.api.base import Resources
from encbench.api.scalars import parse_quantity
from encbench.api.testbed import TestbedSpec
from encbench.api.trial import TrialSpec
from encbench.database import fuse, proxy
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.trial.facts import TrialSeen


def changed(testbed: TestbedSpec, spec: TrialSpec, seen: TrialSeen) -> str | None:
    """Which container has another limit, as a sentence; None if all that are there have theirs."""
    found = chain.from_iterable(
        _changed(client.pod, {"tool": spec.workload.client.resources}) for client in seen.clients
    )
    if seen.database is not None:
        found = chain(_changed(seen.database, _of_database(testbed)), found)
    return next(found, None)


def _of_database(spec: TestbedSpec) -> dict[str, Resources]:
    """What the containers may use that take part in a transaction, by their names."""
    served, volume = spec.mode.proxy, spec.mode.gocryptfs
    asked: dict[str, Resources] = {"server": spec.instance.embedded.resources}
    if served is not None:
        asked[proxy.NAME] = served.resources
    if volume is not None:
        asked[fuse.NAME] = volume.resources
    return asked


def _changed(pod: PodFacts, asked: Mapping[str, Resources]) -> Iterator[str]:
    for one in (*(pod.spec.get("containers") or ()), *(pod.spec.get("initContainers") or ())):
        own = asked.get(one["name"])
        limits = (one.get("resources") or {}).get("limits") or {}
        wanted = {} if own is None else {"cpu": own.cpu, "memory": own.memory}
        for what, amount in wanted.items():
            has = limits.get(what)
            if has is None or _differ(str(has), amount, _PARTS[what]):
                yield (
                    f"container {one['name']} of pod {pod.name} has {has or 'no'} {what} as its "
                    f"limit instead of {amount}: have the cluster's webhooks leave its pods alone"
                )


_PARTS = {"cpu": 1000, "memory": 1}
"""Into how many parts a core and a byte are divided; Kubernetes rounds CPU up to the next one."""


def _differ(one: str, other: str, parts: int) -> bool:
    """By value; what is written in a way that encbench does not read is not compared."""
    with suppress(ValueError):
        return _rounded(one, parts) != _rounded(other, parts)
    return False


def _rounded(amount: str, parts: int) -> int:
    """In whole parts, but for what comes of calculating in floats."""
    return ceil(parts * parse_quantity(amount) - 1e-6)
