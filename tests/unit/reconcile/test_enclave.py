"""Campaigns with encrypted column types: proven, measured, and breakages that must not count."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.kinds import ENCRYPTION_MODE, INSTANCE_TEMPLATE
from encbench.ports import Body
from encbench.reconcile.objects import Trial
from tests.support import manifests, sealed
from tests.unit.reconcile.clients import Plan
from tests.unit.reconcile.oracle import assert_digests, report
from tests.unit.reconcile.world import SPACE, World, parts, study

COLUMNS: dict[str, Any] = {"method": "enclave", "ratio": 75, "enclave": {}}
INSTANCE = {
    "engine": "postgresql",
    "version": "15",
    "image": "registry.example.com/postgresql:15",
    "resources": {"cpu": "500m", "memory": "512Mi"},
}


def mode(name: str = "enc", **columns: Any) -> Body:
    return manifests.body(ENCRYPTION_MODE, name, SPACE, columns={**COLUMNS, **columns})


async def measured(world: World, *modes: Body, **fields: Any) -> World:
    _, *others = parts(sysbench={"script": "enclave_point", "tables": 2})
    own = manifests.body(INSTANCE_TEMPLATE, "small", SPACE, **INSTANCE)
    names = [body["metadata"]["name"] for body in modes]
    world.apply(own, *others, *modes, study(*names, blocks=1, replacements=0, **fields))
    await world.run(world.ended)
    await world.settle()
    return world


def with_digest(trial: Trial, usual: Plan) -> Plan:
    """Every client prints a row; those of an encrypted arm print what the key opens."""
    return replace(usual, digest=sealed.DIGEST if trial.spec.arm.name != "plain" else "0" * 64)


def trial_of(world: World, arm: str) -> Trial:
    (found,) = [one for one in world.trials() if one.spec.arm.name == arm]
    return found


async def test_a_campaign_with_encrypted_types() -> None:
    world = World()
    world.plan = with_digest
    free = {"transition": "0ns", "value": "0ns"}
    await measured(world, mode("free", enclave=free), mode(), mode("all", ratio=100))
    assert world.campaign().status.phase == "Succeeded"
    assert {one.status.outcome for one in world.trials()} == {"Succeeded"}
    made = report(world)
    assert {row.arm for row in made.status.rows} == {"plain", "plain-control", "free", "enc", "all"}
    assert (made.status.headline or "").count("SIMULATION of the boundary") == 3
    assert made.status.artefacts is not None and made.status.artefacts.tables
    assert_digests(world)


def plain_column(made: Any) -> None:
    made["enclave"]["types"]["sbtest2"]["c"] = "character(120)"


def another_key(made: Any) -> None:
    made["enclave"]["row"] |= {"digest": None, "wrong": {"c": "the mode's key does not open it"}}


def missing_index(made: Any) -> None:
    made["enclave"]["plans"][0] |= {"nodes": ["Seq Scan"], "indexes": []}


def boundary_off(made: Any) -> None:
    made["enclave"]["calibration"] |= {"transitionAsked": 0.0, "transition": 90.0}


def extension(made: Any) -> None:
    made["catalogue"]["plugins"] = {"encbench_enclave": "extension"}


@pytest.mark.parametrize(
    ("arm", "break_it", "why"),
    [
        ("enc", plain_column, "sbtest2.c is character(120) instead of enc_text"),
        ("enc", another_key, "sbtest1.c (the mode's key does not open it)"),
        ("enc", missing_index, "point by id (Seq Scan)"),
        ("enc", boundary_off, "cost of a transition, as the server has it"),
        ("plain", extension, "encbench_enclave (extension)"),
    ],
)
async def test_a_breakage_is_invalid_with_the_reason(
    arm: str, break_it: Callable[[Any], None], why: str
) -> None:
    world = World()
    world.plan = with_digest
    world.controllers.breaks[arm] = break_it
    await measured(world, mode())
    # Baseline and control take turns on their testbeds.
    (trial,) = [one for one in world.trials() if one.status.outcome != "Succeeded"]
    assert trial.spec.arm.name.startswith(arm)
    assert (trial.status.outcome, trial.status.reason) == ("Invalid", "ProofFailed")
    assert why in (trial.status.message or "")


@pytest.mark.parametrize("digest", ["", "0" * 64])
async def test_a_client_that_does_not_encrypt_is_invalid(digest: str) -> None:
    world = World()
    world.plan = lambda _, usual: replace(usual, digest=digest)
    await measured(world, mode())
    trial = trial_of(world, "enc")
    assert (trial.status.outcome, trial.status.reason) == ("Invalid", "ProofFailed")
    assert "the clients do not prove what they read" in (trial.status.message or "")
    assert trial_of(world, "plain").status.outcome == "Succeeded", "a plain arm proves no row"


async def test_a_plain_server_is_no_encrypted_one() -> None:
    world = World()
    world.plan = with_digest
    world.controllers.in_force["enc"] = EncryptionModeSpec()
    await measured(world, mode())
    assert trial_of(world, "enc").status.reason == "ProofFailed"
