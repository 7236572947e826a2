"""What a pass over a testbed reads: nothing that no decision looks at any more."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.conditions import is_true
from encbench.api.kinds import POD, SECRET, TESTBED
from encbench.core.naming import credentials_name
from encbench.kube.labels import COMPONENT
from encbench.kube.labels import TESTBED as TESTBED_LABEL
from encbench.ports import Body
from encbench.reconcile.objects import Testbed
from encbench.reconcile.objects import testbed as as_testbed
from encbench.reconcile.testbed.facts import TestbedFound, TestbedSeen
from encbench.reconcile.testbed.observe import observe
from tests.unit.reconcile.columns import HOP, KEY, key, mode
from tests.unit.reconcile.world import SPACE, World, parts, study


@pytest.fixture(name="world")
async def a_world_with_a_key() -> World:
    """One whose first trial runs, with an arm that has a key of the user's."""
    world = World()
    world.cluster.add(SECRET, key(KEY))
    own = mode("enc", columns={**HOP, "mekSecretRef": {"name": "mine"}})
    world.apply(*parts(), own, study("enc", blocks=1))
    await world.run(world.running())
    return world


def the_testbed(world: World, **changes: Any) -> Testbed:
    (body,) = [one for one in world.cluster.all(TESTBED) if one["spec"]["arm"]["name"] == "enc"]
    return as_testbed({**body, **changes})


async def seen(world: World, testbed: Testbed) -> tuple[TestbedSeen, set[str]]:
    """What a pass sees, and the Secrets that it reads."""
    world.cluster.calls.clear()
    found = await observe(world.deps, testbed, TestbedFound())
    return found, {call.name for call in world.cluster.calls if call.kind == SECRET}


async def test_of_a_database_that_has_answered_no_secret_is_read(world: World) -> None:
    testbed = the_testbed(world)
    assert is_true(testbed.status.conditions, "Provisioned")
    found, read = await seen(world, testbed)
    assert found.has_credentials
    assert not read


async def test_a_load_without_room_sees_those_that_have_some() -> None:
    world = World()
    world.controllers.delays = replace(world.controllers.delays, load=600.0)
    world.apply(*parts(), study("tde", blocks=1))

    def loads() -> list[Body]:
        pods = world.cluster.all(POD)
        return [pod for pod in pods if pod["metadata"]["labels"][COMPONENT] == "load"]

    await world.run(lambda: len(loads()) == 3)
    first, second, third = loads()
    world.cluster.set_spec(POD, SPACE, first["metadata"]["name"], nodeName=None)
    name = second["metadata"]["name"]
    world.cluster.set_status(POD, SPACE, name, {**second["status"], "phase": "Succeeded"})
    bodies = {body["metadata"]["name"]: body for body in world.cluster.all(TESTBED)}
    own, ended, other = (pod["metadata"]["labels"][TESTBED_LABEL] for pod in (first, second, third))
    found, _ = await seen(world, as_testbed(bodies[own]))
    assert found.loading == (other,)
    found, _ = await seen(world, as_testbed(bodies[other]))
    assert found.loading == (), "it has room"
    state = {"name": "tool", "state": {"terminated": {"exitCode": 1}}}
    status = {**third["status"], "containerStatuses": [state]}
    world.cluster.set_status(POD, SPACE, third["metadata"]["name"], status)
    found, _ = await seen(world, as_testbed(bodies[own]))
    assert found.loading == (), "what a webhook put beside the tool goes on for ever"
    assert ended not in (own, other)


async def test_a_key_is_read_until_it_is_copied(world: World) -> None:
    """A rotation must not reach a server whose data have the former one."""
    testbed = the_testbed(world, status={})
    found, read = await seen(world, testbed)
    assert found.has_credentials
    assert found.keys == {}
    assert read == {credentials_name(testbed.name)}, "it and the agent's token"
    world.cluster.remove(SECRET, SPACE, credentials_name(testbed.name))
    found, read = await seen(world, testbed)
    assert (found.keys, found.missing) == ({"mek": KEY}, None)
    assert KEY not in repr(found)
    time = "2026-11-30T00:00:00Z"
    failed = {"type": "Failed", "status": "True", "reason": "x", "lastTransitionTime": time}
    _, read = await seen(world, the_testbed(world, status={"conditions": [failed]}))
    assert "mine" not in read


@pytest.mark.parametrize(
    ("secret", "reason", "said"),
    [
        (None, "NotMarked", "there is no Secret mine any more: create it again"),
        (key(KEY, "other"), "EntryInvalid", "Secret mine has no entry mek any more: add it again"),
        (key(KEY[:-1]), "EntryInvalid", "Secret mine, entry mek has 31 hex digits: write 32"),
    ],
)
async def test_what_a_key_lacks_is_said(
    world: World, secret: Body | None, reason: str, said: str
) -> None:
    testbed = the_testbed(world, status={})
    world.cluster.remove(SECRET, SPACE, credentials_name(testbed.name))
    world.cluster.remove(SECRET, SPACE, "mine")
    if secret is not None:
        world.cluster.add(SECRET, secret)
    found, _ = await seen(world, testbed)
    assert found.missing is not None
    assert found.missing.reason == reason
    assert found.missing.message.startswith(said)
