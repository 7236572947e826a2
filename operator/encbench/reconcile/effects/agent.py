"""What an agent is asked to do: make its server write, look for a marker, check the tables."""

from typing import Any

from encbench.api.conditions import format_time
from encbench.api.kinds import PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM, STORAGE_CLASS
from encbench.api.scalars import parse_duration
from encbench.core.evidence import Proof
from encbench.engines.registry import engine
from encbench.ports import Access, Body, NotNow, Reader
from encbench.proofs import columns, enclave, volume
from encbench.proofs.clients import before_sessions
from encbench.reconcile import agents, checks
from encbench.reconcile.checks import Checked
from encbench.reconcile.deps import Deps
from encbench.reconcile.effects.effect import AskChecks
from encbench.reconcile.objects import Testbed
from encbench.reconcile.pods import PodFacts
from encbench.text.words import plural
from encbench.wire.agent import SettleRequest

PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
"""Each provisioner marks so what it makes, and deletes nothing else."""


async def prove(deps: Deps, testbed: Testbed, database: PodFacts, *, full: bool) -> Proof:
    """Whether the testbed's frozen mode is in force, with everything that it was judged by.

    Unavailable when the agent or its server does not answer.
    """
    where, access = await agents.agent(deps.cluster, testbed.namespace, testbed.name, database)
    now = deps.clock.now()
    # A fresh marker each time: one that was written before could lie in an old log or page.
    marker = f"encbench-marker-{deps.settings.random_token(16)}"
    spec = testbed.spec
    limit = parse_duration(spec.step_deadlines.proof)
    answer = await deps.agent.evidence(where, access, marker, full=full, seconds=limit)
    evidence: dict[str, Any] = {**answer}
    by_class = spec.mode.storage_class is not None
    if full or by_class or spec.plain_volume:  # Otherwise the first proof's note is enough.
        evidence["claim"] = await _claim(deps.cluster, testbed)
    proof = engine(spec.instance.engine).judge(evidence, spec.mode, full=full)
    proof = volume.judge(proof, evidence, spec.mode, full=full, plain=spec.plain_volume)
    proof = columns.judge(proof, evidence, spec, full=full)
    proof = enclave.judge(proof, evidence, spec)
    return proof.model_copy(update={"time": format_time(now)})


def declared(testbed: Testbed) -> Proof:
    """The proof of an external database's mode: what its template declares."""
    instance = testbed.spec.instance.external
    assert instance is not None  # noqa: S101 - every other testbed has a pod
    return before_sessions(instance, testbed.spec.mode)


async def settle(
    deps: Deps, address: str, access: Access, asked: SettleRequest | None = None
) -> int | None:
    """Have the server write what it has changed. NotNow while some of it is not written yet.

    NotNow too while the server still fills its pool with the pages of the run before, or ends the
    sessions of clients that are gone.
    So a trial is measured on a server at rest, and leaves one behind for its neighbours.
    Returns the changed bytes that waited before the first round; None if that is not known.
    """
    said = await deps.agent.settle(address, access, asked)
    if said["loading"]:
        raise NotNow("the server is still reading the pages back that its pool held")
    sessions = said.get("sessions", 0)
    if sessions:
        whose = "of clients that are gone"
        raise NotNow(f"the server is still ending {plural(sessions, 'session')} {whose}")
    if not said["settled"]:
        left = said["dirtyPages"]
        pages = "changes" if left is None else f"{left} changed pages"
        raise NotNow(f"the server is still writing {pages}")
    return said.get("dirtyBytes")


async def ask_checks(deps: Deps, effect: AskChecks) -> Checked | None:
    """The result of the checks of that name, None while they run. Unavailable, Rejected."""
    testbed = effect.testbed
    tpcc = testbed.spec.dataset.tpcc_test
    space, name = testbed.namespace, testbed.name
    where, access = await agents.agent(deps.cluster, space, name, effect.database)
    answer = await deps.agent.checks(
        where,
        access,
        effect.run,
        warehouses=tpcc.warehouses,
        loaded=effect.loaded,
        full=effect.full,
        seconds=parse_duration(testbed.spec.step_deadlines.proof),
    )
    return checks.judge(answer, full=effect.full)


async def _claim(cluster: Reader, testbed: Testbed) -> Body:
    """What the cluster says of a testbed's disk: its class, and what class and volume declare.

    The evidence's `claim`: names, parameters and mount options as they stand. Empty where there is
    none.
    """
    claim = await cluster.get(PERSISTENT_VOLUME_CLAIM, testbed.namespace, f"{testbed.name}-data")
    if claim is None:
        return {}
    name, bound = claim["spec"].get("storageClassName"), claim["spec"].get("volumeName")
    storage_class = await cluster.get(STORAGE_CLASS, "", name) if name else None
    volume = await cluster.get(PERSISTENT_VOLUME, "", bound) if bound else None
    csi = ((volume or {}).get("spec") or {}).get("csi") or {}
    marks = ((volume or {}).get("metadata") or {}).get("annotations") or {}
    return {
        "storageClass": name,
        "provisioner": (storage_class or {}).get("provisioner"),
        "parameters": (storage_class or {}).get("parameters") or {},
        "mountOptions": (storage_class or {}).get("mountOptions") or [],
        "provisionedBy": marks.get(PROVISIONED_BY),
        "driver": csi.get("driver"),
        "attributes": csi.get("volumeAttributes") or {},
    }
