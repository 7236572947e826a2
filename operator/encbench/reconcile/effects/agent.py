"""Gathering evidence by the agent and having it judged by the engine's rules, and the volume's."""

import secrets
from datetime import datetime

from encbench.api.conditions import format_time
from encbench.core.evidence import Proof
from encbench.engines.registry import engine
from encbench.ports import Agent, Cluster, Rejected, Unavailable
from encbench.proofs import columns, volume
from encbench.reconcile.claim import claim_facts
from encbench.reconcile.objects import Testbed


async def prove(
    database: Agent,
    cluster: Cluster,
    address: str,
    token: str,
    testbed: Testbed,
    now: datetime,
    *,
    full: bool,
) -> Proof:
    """Whether the testbed's frozen mode is in force, with everything that it was judged by.

    Unavailable when the agent or its server does not answer.
    """
    # A fresh marker each time: one that was written before could lie in an old log or page.
    marker = f"encbench-marker-{secrets.token_hex(16)}"
    evidence = await database.evidence(address, token, marker, full=full)
    spec = testbed.spec
    if spec.mode.volume is not None and spec.mode.volume.storage_class_name is not None:
        evidence = {**evidence, "claim": await claim_facts(cluster, testbed)}
    proof = engine(spec.instance.engine).judge(evidence, spec.mode, full=full)
    proof = volume.judge(proof, evidence, spec.mode, full=full)
    proof = columns.judge(proof, evidence, spec, full=full)
    return proof.model_copy(update={"time": format_time(now)})


async def settle(database: Agent, address: str, token: str) -> None:
    """Have the server write what it has changed. Unavailable while some of it is not written yet.

    So a trial is measured on a server at rest, and leaves one behind for its neighbours.
    """
    try:
        said = await database.settle(address, token)
    except Rejected:
        # An agent of an earlier version, beside a database that stood when the operator was
        # upgraded. A wrong token is found out with the evidence.
        return
    if not said["settled"]:
        left = said.get("dirtyPages")
        pages = "changes" if left is None else f"{left} changed pages"
        raise Unavailable(f"the server is still writing {pages}")
