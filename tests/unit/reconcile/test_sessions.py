"""What the clients' sessions negotiated decides, in every arm, whether a trial counts."""

from dataclasses import replace

import pytest

from encbench.api.conditions import find
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.kinds import ENCRYPTION_MODE
from encbench.core.evidence import Proof, ProofCheck
from encbench.core.records import ClientFacts
from encbench.core.tls import PLAIN, Session
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial.sessions import joined, prove
from tests.support import manifests
from tests.support.testbeds import TLS
from tests.unit.reconcile import oracle
from tests.unit.reconcile.clients import Plan
from tests.unit.reconcile.world import SPACE, World, parts, study

MODE = EncryptionModeSpec.model_validate(TLS)
RIGHT = Session(tls="TLSv1.3", cipher="TLS_AES_128_GCM_SHA256")
WRONG = {
    "another suite": Session(tls="TLSv1.3", cipher="TLS_AES_256_GCM_SHA384"),
    "another version": Session(tls="TLSv1.2", cipher="TLS_AES_128_GCM_SHA256"),
    "no TLS": PLAIN,
    "no answer": Session(tls="unknown", cipher="unknown"),
}


def client(*sessions: Session) -> ClientFacts:
    return ClientFacts(sessions=sessions)


# -- the judgement


def test_each_client_must_have_what_the_mode_says() -> None:
    found = prove(MODE, [client(RIGHT), client(RIGHT)])
    assert found.ok
    assert found.summary == "every client's session had TLSv1.3 with TLS_AES_128_GCM_SHA256"
    assert [check.name for check in found.checks] == ["session of client 0", "session of client 1"]


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_anything_else_is_no_proof(wrong: Session) -> None:
    found = prove(MODE, [client(RIGHT), client(wrong)])
    assert not found.ok
    assert [check.ok for check in found.checks] == [True, False]
    assert f"session of client 1: expected {RIGHT}; observed {wrong}" in found.summary


def test_plaintext_is_proven_as_strictly() -> None:
    assert prove(EncryptionModeSpec(), [client(PLAIN)]).ok
    found = prove(EncryptionModeSpec(), [client(RIGHT)])
    assert not found.ok
    assert "expected no TLS; observed TLSv1.3" in found.summary


@pytest.mark.parametrize("mode", [MODE, EncryptionModeSpec()])
def test_who_tells_nothing_proves_nothing(mode: EncryptionModeSpec) -> None:
    found = prove(mode, [client()])
    assert not found.ok
    assert "observed nothing that it said" in found.summary
    assert not prove(mode, []).ok


def test_sessions_that_differ_within_a_client_are_no_proof() -> None:
    assert not prove(MODE, [client(RIGHT, PLAIN)]).ok


def test_what_a_tool_leaves_unverified_is_listed_and_does_not_count() -> None:
    found = prove(MODE, [client(RIGHT)], "its names")
    assert found.ok
    assert [check.name for check in found.checks][1:] == ["exempt: the server's certificate"]
    assert not prove(MODE, [], "its names").ok


@pytest.mark.parametrize("agents", [True, False])
@pytest.mark.parametrize("clients", [True, False])
def test_the_joined_proof_holds_when_both_do(agents: bool, clients: bool) -> None:
    before = Proof(
        ok=agents, summary="files", checks=(ProofCheck(name="a", ok=agents),), evidence={"x": 1}
    )
    told = prove(MODE, [client(RIGHT if clients else PLAIN)])
    found = joined(before, told)
    assert found.ok == (agents and clients)
    assert len(found.checks) == 2
    assert found.evidence["x"] == 1
    assert found.evidence["sessions"] == [
        [{"tls": "TLSv1.3", "cipher": "TLS_AES_128_GCM_SHA256"}]
        if clients
        else [{"tls": "none", "cipher": "none"}]
    ]
    if agents != clients:
        assert found.summary == (told.summary if agents else "files")


# -- in a campaign


async def ended(arm: str, session: Session | None) -> World:
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
async def test_a_tls_arm_that_negotiated_otherwise_is_invalid(wrong: Session | None) -> None:
    world = await ended("tls", wrong)
    await _assert_invalid(world, "tls")


@pytest.mark.parametrize("wrong", [RIGHT, None], ids=["encrypted", "nothing told"])
async def test_a_plaintext_arm_that_is_not_proven_plaintext_is_invalid(
    wrong: Session | None,
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
