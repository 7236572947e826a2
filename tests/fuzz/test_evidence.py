"""What an agent may answer about its server, which a hostile image can have it say."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.evidence import Proof
from encbench.engines.registry import engine
from encbench.proofs import columns, enclave, volume
from encbench.wire.agent import EvidenceAnswer
from encbench.wire.shape import misfit
from tests.fuzz.budget import Budget
from tests.fuzz.inputs import objects
from tests.support import sidecars
from tests.support.fake_agent import FakeAgent, FakeServer
from tests.support.testbeds import spec_of_testbed
from tests.unit.engines.postgresql.facts import evidence as postgresql

MODES: Mapping[str, tuple[str, dict[str, Any]]] = {
    "plaintext": ("mariadb", {}),
    "tde": ("mariadb", {"atRest": {"method": "engine"}}),
    "volume": ("mariadb", {"atRest": {"method": "volume", "volume": {"gocryptfs": {}}}}),
    "columns": ("mariadb", {"columns": {"method": "confidential", "ratio": 100}}),
    "postgresql": ("postgresql", {}),
}
VERSIONS = {"mariadb": "10.11", "postgresql": "15"}


def answered(kind: str, mode: EncryptionModeSpec) -> list[Any]:
    """Evidence of a server in that mode, in full and not."""
    if kind == "postgresql":
        return [postgresql(mode.to_dict(), full=full) for full in (True, False)]
    agent = FakeAgent({"here": FakeServer("t0ken", in_force=mode)})
    asked = [
        agent.evidence("here", sidecars.access("t0ken"), "encbench-marker-0123456789", full=full)
        for full in (True, False)
    ]
    return [asyncio.run(one) for one in asked]


@pytest.mark.parametrize("name", MODES)
def test_evidence(budget: Budget, name: str) -> None:
    """Of the declared shape, it gives a proof, and never a proof of what was not seen."""
    kind, mode = MODES[name]
    spec = spec_of_testbed(mode, engine=kind, version=VERSIONS[kind])

    def judged(evidence: dict[str, Any]) -> Proof:
        proof = engine(kind).judge(evidence, spec.mode, full=True)
        proof = volume.judge(proof, evidence, spec.mode, full=True)
        proof = columns.judge(proof, evidence, spec, full=True)
        return enclave.judge(proof, evidence, spec)

    def check(evidence: Any) -> None:
        if misfit(EvidenceAnswer, evidence) is None:
            json.dumps(judged(evidence).to_dict(), allow_nan=False)

    whole = answered(kind, spec.mode)
    assert judged(whole[0]).ok
    budget.spend(check, objects(whole), [{**whole[0], "tookSeconds": 10**400}])
