"""What the clients' sessions negotiated decides, in every arm, whether a trial counts."""

from dataclasses import replace

import pytest

from encbench.api.conditions import find
from encbench.api.kinds import ENCRYPTION_MODE
from encbench.core.tls import PLAIN, TlsSession
from encbench.reconcile.objects import Trial
from tests.support import manifests
from tests.support.testbeds import TLS
from tests.unit.reconcile import oracle
from tests.unit.reconcile.clients import Plan
from tests.unit.reconcile.world import SPACE, World, parts, study

RIGHT = TlsSession(tls="TLSv1.3", cipher="TLS_AES_128_GCM_SHA256")
WRONG = {
    "another suite": TlsSession(tls="TLSv1.3", cipher="TLS_AES_256_GCM_SHA384"),
    "another version": TlsSession(tls="TLSv1.2", cipher="TLS_AES_128_GCM_SHA256"),
    "no TLS": PLAIN,
    "no answer": TlsSession(tls="unknown", cipher="unknown"),
}


async def ended(arm: str, session: TlsSession | None) -> World:
    """A campaign in which one arm's clients tell that; it has no blocks to replace."""
    world = World()

    def plan(trial: Trial, usual: Plan) -> Plan:
        return replace(usual, session=session) if trial.spec.arm.name == arm else usual

    world.plan = plan
    world.apply(*parts(), manifests.body(ENCRYPTION_MODE, "tls", SPACE, **TLS))
    world.apply(study("tls", blocks=1, replacements=0))
    await world.run(world.ended)
    await world.settle()
    return world


def the(world: World, arm: str) -> Trial:
    (found,) = [trial for trial in world.trials() if trial.spec.arm.name == arm]
    return found


async def test_a_tls_arm_is_measured_and_its_record_says_what_was_negotiated() -> None:
    world = await ended("tls", RIGHT)
    assert world.campaign().status.phase == "Succeeded"
    trial = the(world, "tls")
    fact = find(trial.status.conditions, "ProvenAfter")
    assert fact is not None
    assert fact.message.endswith("every client's session had TLSv1.3 with TLS_AES_128_GCM_SHA256")
    assert oracle.proofs(world, trial.name) == {"before": True, "after": True}
    key = next(k for k in world.store.objects if k.endswith(f"{trial.uid}/proofs.json"))
    assert b"exempt: the server's certificate" in world.store.objects[key]
    oracle.assert_sound(world)


@pytest.mark.parametrize("wrong", [*WRONG.values(), None], ids=[*WRONG, "nothing told"])
async def test_a_tls_arm_that_negotiated_otherwise_is_invalid(wrong: TlsSession | None) -> None:
    world = await ended("tls", wrong)
    await _assert_invalid(world, "tls")


@pytest.mark.parametrize("wrong", [RIGHT, None], ids=["encrypted", "nothing told"])
async def test_a_plaintext_arm_that_is_not_proven_plaintext_is_invalid(
    wrong: TlsSession | None,
) -> None:
    world = await ended("plain", wrong)
    await _assert_invalid(world, "plain")


async def _assert_invalid(world: World, arm: str) -> None:
    trial = the(world, arm)
    assert (trial.status.outcome, trial.status.reason) == ("Invalid", "ProofFailed")
    assert "session of client 0" in (trial.status.message or "")
    fact = find(trial.status.conditions, "ProvenAfter")
    assert fact is not None
    assert (fact.status, fact.reason) == ("False", "ModeNotInForce")
    assert oracle.proofs(world, trial.name) == {"before": True, "after": False}
    assert world.campaign().status.phase == "Failed"
    oracle.assert_sound(world)
