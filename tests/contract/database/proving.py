"""Proofs of a real server, by the agent and the engine's judge."""

from collections.abc import Mapping
from typing import Any

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.evidence import Proof
from encbench.engines.registry import engine
from tests.contract.database.harness import Server, agent


async def prove(server: Server, mode: Mapping[str, Any], number: int, *, full: bool) -> Proof:
    """The proof of a mode, by a marker with that number."""
    async with agent(server, dict(mode)) as there:
        evidence = await there.evidence(number, full=full)
    spec = EncryptionModeSpec.model_validate(mode)
    return engine(server.engine).judge(evidence, spec, full=full)


def failed(proof: Proof) -> dict[str, str]:
    """What stands against it: detail by name."""
    return {check.name: check.detail for check in proof.checks if not check.ok}
