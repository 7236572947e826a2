"""Gathering evidence by the agent and having it judged by the engine's rules."""

import secrets
from datetime import datetime

from encbench.api.conditions import format_time
from encbench.core.evidence import Proof
from encbench.engines.registry import engine
from encbench.ports import Database
from encbench.reconcile.objects import Testbed


async def prove(
    database: Database, address: str, token: str, testbed: Testbed, now: datetime, *, full: bool
) -> Proof:
    """Whether the testbed's frozen mode is in force, with everything that it was judged by.

    Unavailable when the agent or its server does not answer.
    """
    # A fresh marker each time: one that was written before could lie in an old log or page.
    marker = f"encbench-marker-{secrets.token_hex(16)}"
    evidence = await database.evidence(address, token, marker, full=full)
    spec = testbed.spec
    proof = engine(spec.instance.engine).judge(evidence, spec.mode, full=full)
    return proof.model_copy(update={"time": format_time(now)})
