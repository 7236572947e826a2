"""Campaigns with encrypted volumes: what is refused, what is proven, and what comes to nothing."""

import copy
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.conditions import find
from encbench.api.kinds import (
    CAMPAIGN,
    ENCRYPTION_MODE,
    NAMESPACE,
    PERSISTENT_VOLUME,
    PERSISTENT_VOLUME_CLAIM,
    SECRET,
    STATEFUL_SET,
    STORAGE_CLASS,
    TESTBED,
)
from encbench.api.scalars import parse_quantity
from encbench.core.artefact import decode
from encbench.core.naming import INDEX
from encbench.core.records import TrialRecord
from encbench.kube.pods import NO_IMAGE
from encbench.ports import Body
from encbench.reconcile.objects import testbed as as_testbed
from encbench.reconcile.testbed.facts import TestbedFound
from encbench.reconcile.testbed.observe import observe
from encbench.wire.agent import VolumeGround
from tests.support import manifests
from tests.unit.reconcile.oracle import assert_sound, proofs, recorded_images, report
from tests.unit.reconcile.world import SPACE, World, parts, study

IMAGE = "encbench/gocryptfs:test"
FUSE = {"gocryptfs": {"cipher": "AES-GCM"}}
THROUGH = {"gocryptfs": {"cipher": "none"}}
BY_CLASS = {"storageClassName": "encrypted"}
EXT4: VolumeGround = {
    "device": "8:16",
    "mountPoint": "/var/lib/encbench",
    "type": "ext4",
    "source": "/dev/sdb",
    "dmCrypt": None,
    "lower": None,
}


def mode(name: str, volume: dict[str, Any]) -> Body:
    at_rest = {"method": "volume", "volume": volume}
    return manifests.body(ENCRYPTION_MODE, name, SPACE, atRest=at_rest)


DEFAULT = {"storageclass.kubernetes.io/is-default-class": "true"}


def add_class(world: World, **parameters: str) -> None:
    add_named_class(world, "encrypted", parameters)


def add_named_class(
    world: World, name: str, parameters: Mapping[str, str], marks: Mapping[str, str] | None = None
) -> None:
    body = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name, "annotations": marks or {}},
        "provisioner": "csi.example.com",
        "parameters": parameters,
        "mountOptions": ["noatime"],
    }
    world.cluster.add(STORAGE_CLASS, body)


def enforces(world: World, level: str) -> None:
    """The namespace gets a Pod Security Standard."""
    key = (NAMESPACE, "", SPACE)
    body = copy.deepcopy(world.cluster._objects[key])
    body["metadata"]["labels"] = {"pod-security.kubernetes.io/enforce": level}
    world.cluster._store(key, body)


async def finished(world: World) -> World:
    await world.run(world.ended)
    await world.settle()
    return world


def refusal(world: World) -> str:
    fact = find(world.campaign().status.conditions, "Accepted")
    assert fact is not None
    assert fact.status == "False"
    return fact.message


async def test_without_the_charts_word_no_container_is_privileged() -> None:
    world = World()
    world.apply(*parts(), mode("fuse", FUSE), study("fuse"))
    await world.settle(30)
    assert "EncryptionMode fuse: gocryptfs needs a privileged container" in refusal(world)
    assert "privilegedVolumes.enabled=true" in refusal(world)
    assert not world.cluster.all(STATEFUL_SET)


async def test_privileged_volumes_that_are_turned_off_hold_the_next_set() -> None:
    world = World(volume_image=IMAGE)
    world.apply(*parts(), mode("fuse", FUSE), study("fuse", blocks=1))
    await world.run(world.running())
    body = next(b for b in world.cluster.all(TESTBED) if b["spec"]["arm"]["name"] == "fuse")
    programs = replace(world.deps.settings.programs, volume=NO_IMAGE)
    settings = replace(world.deps.settings, programs=programs)
    for deps, lacks in ((world.deps, False), (replace(world.deps, settings=settings), True)):
        seen = await observe(deps, as_testbed(body), TestbedFound())
        assert ("the chart's privilegedVolumes.enabled=true" in seen.lacking) is lacks


@pytest.mark.parametrize("level", ["restricted", "baseline"])
async def test_a_namespace_that_enforces_a_standard_has_no_privileged_container(level: str) -> None:
    world = World(volume_image=IMAGE)
    enforces(world, level)
    world.apply(*parts(), mode("fuse", FUSE), study("fuse", blocks=1))
    await world.settle(30)
    said = refusal(world)
    assert f"namespace {SPACE} enforces the Pod Security Standard {level}" in said
    assert f"label namespace {SPACE} pod-security.kubernetes.io/enforce=privileged" in said
    assert not world.cluster.all(STATEFUL_SET)
    enforces(world, "privileged")
    await world.run(world.running())


async def test_other_modes_ask_for_no_namespace() -> None:
    world = World(volume_image=IMAGE)
    enforces(world, "restricted")
    world.apply(*parts(), study("tde", blocks=1))
    await world.run(world.running())


async def test_a_class_that_is_not_there_is_missed_beforehand() -> None:
    world = World()
    world.apply(*parts(), mode("luks", BY_CLASS), study("luks", blocks=1))
    await world.settle(30)
    assert "EncryptionMode luks: there is no StorageClass encrypted: create it" in refusal(world)
    add_class(world)
    await finished(world)
    assert world.campaign().status.phase == "Succeeded", "it goes on once there is one"


async def test_a_campaign_over_file_systems_and_their_price() -> None:
    world = World(volume_image=IMAGE)
    world.apply(*parts(), mode("fuse", FUSE), mode("through", THROUGH))
    world.apply(study("fuse", "through", blocks=1, reset="trial"))
    await world.run(world.running())
    images = {
        entry["image"]
        for body in world.cluster.all(STATEFUL_SET, SPACE)
        for entry in body["spec"]["template"]["spec"]["initContainers"]
        if entry["name"] == "volume"
    }
    assert images == {IMAGE}
    keys = [b["metadata"]["name"] for b in world.cluster.all(SECRET, SPACE)]
    assert len([name for name in keys if name.endswith("fuse-keys")]) == 1
    assert not [name for name in keys if name.endswith("through-keys")]
    await finished(world)
    assert_sound(world)
    assert world.campaign().status.phase == "Succeeded", world.describe()
    for trial in world.trials():
        assert proofs(world, trial.name) == {"before": True, "after": True}
        # What is shown is what ran while it did, and none of what prepared the server's files.
        beside = set() if trial.spec.arm.mode_ref == "plain" else {"volume"}
        assert recorded_images(world, trial) == {"server", "agent", "tool", "recorder", *beside}
        key = trial.status.artefact_key or ""
        cpu = decode(TrialRecord, world.store.objects[key], key).cpu
        assert cpu.database is not None
        assert (cpu.volume is None) == trial.spec.arm.name.startswith("plain")
        if cpu.volume is not None:
            assert cpu.volume.cores == pytest.approx(cpu.database.cores / 3)
            assert cpu.volume.limit_cores == 1.0 < cpu.database.limit_cores
        assert cpu.idle is not None
        own = parse_quantity(parts()[0]["spec"]["resources"]["cpu"])
        assert cpu.idle.limit_cores == own, "limits.idleCpu allows every arm's neighbours as much"


@pytest.mark.parametrize("is_seen", [True, False], ids=["dm-crypt", "declared"])
async def test_what_a_cipher_takes_of_a_node_invalidates_no_trial(is_seen: bool) -> None:
    world = World()
    add_class(world, **({} if is_seen else {"encrypted": "true"}))

    def threads(_: int) -> float:
        under_way = [t for t in world.trials() if t.status.outcome is None]
        return 1.4 if any(t.spec.arm.name == "luks" for t in under_way) else 0.1

    world.foreign = threads
    world.apply(*parts(), mode("luks", BY_CLASS), study("luks", blocks=1))
    if is_seen:
        await finished(world)
    else:
        await proven_without_dm_crypt(world, "luks")
    assert world.campaign().status.phase == "Succeeded", world.describe()
    assert {t.status.outcome for t in world.trials()} == {"Succeeded"}
    for trial in world.trials():
        key = trial.status.artefact_key or ""
        own = decode(TrialRecord, world.store.objects[key], key).cpu.foreign
        marked = {one.with_dm_crypt for one in own if one.fraction > 0.5}
        assert marked == ({True} if trial.spec.arm.name == "luks" else set())
    artefacts = report(world).status.artefacts
    assert artefacts is not None
    said = world.store.objects[artefacts.markdown.key].decode()
    who = "dm-crypt" if is_seen else "The kernel may have"
    assert f"{who} encrypted outside the pods" in said
    assert "Something else used the nodes" not in said


async def test_a_disk_that_is_encrypted_under_every_arm_excuses_nothing() -> None:
    world = World()
    world.foreign = lambda _: 1.4
    world.apply(*parts(), study("tde", blocks=1, replacements=0))

    def all_on_luks() -> bool:
        for server in world.agent.servers.values():
            server.volume = {**EXT4, "dmCrypt": "dm-0"}
        return world.ended()

    await world.run(all_on_luks)
    assert {(t.status.outcome, t.status.reason) for t in world.trials()} == {
        ("Invalid", "ForeignLoad")
    }


async def test_a_server_beside_its_mount_is_never_measured() -> None:
    world = World(volume_image=IMAGE)
    world.apply(*parts(), mode("fuse", FUSE), study("fuse", blocks=1, replacements=0))
    await world.run(world.running())

    def break_fuse() -> bool:
        for address, server in world.agent.servers.items():
            if server.in_force.gocryptfs is not None:
                world.agent.servers[address].volume = EXT4
        return world.ended()

    await world.run(break_fuse)
    ends = {t.spec.arm.name: (t.status.outcome, t.status.reason) for t in world.trials()}
    assert ends["fuse"] == ("Invalid", "ProofFailed")
    message = next(t.status.message for t in world.trials() if t.spec.arm.name == "fuse")
    assert "expected fuse.gocryptfs; observed ext4" in (message or "")


@pytest.mark.parametrize(
    ("parameters", "maker", "phase"),
    [
        ({"encrypted": "true"}, "csi.example.com", "Succeeded"),
        ({"encrypted": "true"}, None, "Failed"),
        ({}, "csi.example.com", "Failed"),
    ],
)
async def test_what_a_class_declares_reaches_the_proof(
    parameters: dict[str, str], maker: str | None, phase: str
) -> None:
    """The server sees no dm-crypt, as with a cloud's disk."""
    world = World()
    add_class(world, **parameters)
    world.apply(*parts(), mode("luks", BY_CLASS))
    world.apply(study("luks", blocks=1, replacements=0))

    proof = await proven_without_dm_crypt(world, "luks", maker)
    assert world.campaign().status.phase == phase, world.describe()
    assert proof["evidence"]["claim"]["storageClass"] == "encrypted"
    assert proof["evidence"]["claim"]["driver"] == "csi.example.com"
    assert proof["evidence"]["claim"]["mountOptions"] == ["noatime"]
    assert proof["ok"] is (phase == "Succeeded")
    (index,) = [v for key, v in world.store.objects.items() if key.endswith(INDEX)]
    beds = {one["arm"]: one["proof"] for one in json.loads(index)["testbeds"]}
    assert beds["luks"].get("onTrust", False) is (phase == "Succeeded")
    assert "onTrust" not in beds["plain"]


async def proven_without_dm_crypt(
    world: World, arm: str, maker: str | None = "csi.example.com"
) -> dict[str, Any]:
    """The proof of that arm, once the campaign has ended on volumes in which servers see none."""

    def hide() -> bool:
        for server in world.agent.servers.values():
            server.volume = EXT4
        bind(world, maker)
        return world.ended()

    await world.run(hide)
    stored = {k: v for k, v in world.store.objects.items() if k.endswith(f"{arm}/proof.json")}
    (content,) = stored.values()
    proof: dict[str, Any] = json.loads(content)["proof"]
    return proof


def bind(world: World, maker: str | None = "csi.example.com") -> None:
    """What the provisioner does with each claim, or whoever makes volumes by hand."""
    marks = {} if maker is None else {"pv.kubernetes.io/provisioned-by": maker}
    for claim in world.cluster.all(PERSISTENT_VOLUME_CLAIM, SPACE):
        name = f"pv-{claim['metadata']['name']}"
        if claim["spec"].get("volumeName") or claim["spec"].get("storageClassName") is None:
            continue
        world.cluster.set_spec(
            PERSISTENT_VOLUME_CLAIM, SPACE, claim["metadata"]["name"], volumeName=name
        )
        spec = {"csi": {"driver": "csi.example.com", "volumeAttributes": {"tier": "fast"}}}
        own = {"name": name, "annotations": marks}
        body = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": own}
        world.cluster.add(PERSISTENT_VOLUME, {**body, "spec": spec})


@pytest.mark.parametrize("kind", ["gp3", "io2"])
async def test_a_class_that_differs_in_more_than_encryption_is_a_serious_caveat(kind: str) -> None:
    world = World()
    add_class(world, encrypted="true", type=kind)
    add_named_class(world, "standard", {"type": "gp3"})
    instance, *others = parts()
    instance["spec"]["storage"]["className"] = "standard"
    world.apply(instance, *others, mode("luks", BY_CLASS), study("luks", blocks=1))
    await proven_without_dm_crypt(world, "luks")
    assert world.campaign().status.phase == "Succeeded", world.describe()
    artefacts = report(world).status.artefacts
    assert artefacts is not None
    said = world.store.objects[artefacts.markdown.key].decode()
    differs = "The disk of luks is unlike that of plain: type io2 against gp3."
    assert (differs in said) is (kind == "io2")
    titles = {(one.weight, one.title) for one in report(world).status.caveats}
    assert (("serious", "The disks differ in more than encryption") in titles) is (kind == "io2")


async def test_the_templates_own_class_is_no_other_class() -> None:
    world = World()
    add_class(world)
    instance, *others = parts()
    instance["spec"]["storage"]["className"] = "encrypted"
    world.apply(instance, *others, mode("luks", BY_CLASS), study("luks"))
    await world.settle(30)
    assert "which would encrypt the baseline too" in refusal(world)
    assert world.cluster.one(CAMPAIGN, SPACE, "study")["status"]["phase"] == "Refused"


async def test_the_clusters_default_class_is_that_of_a_template_without_one() -> None:
    world = World()
    add_named_class(world, "encrypted", {}, DEFAULT)
    world.apply(*parts(), mode("luks", BY_CLASS), study("luks"))
    await world.settle(30)
    assert "encrypted, the cluster's default class, which would encrypt" in refusal(world)
    assert world.cluster.one(CAMPAIGN, SPACE, "study")["status"]["phase"] == "Refused"


@pytest.mark.parametrize(("treatment", "phase"), [("luks", "Failed"), ("tde", "Succeeded")])
async def test_an_encrypted_baseline_is_no_plaintext_beside_an_encrypted_class(
    treatment: str, phase: str
) -> None:
    """The template's own class declares encryption too; TDE may be measured on such disks."""
    world = World()
    add_class(world, encrypted="true")
    add_named_class(world, "standard", {"encrypted": "true"})
    instance, *others = parts()
    instance["spec"]["storage"]["className"] = "standard"
    world.apply(instance, *others, mode("luks", BY_CLASS))
    world.apply(study(treatment, blocks=1, replacements=0))

    proof = await proven_without_dm_crypt(world, "plain")
    assert world.campaign().status.phase == phase, world.describe()
    assert proof["ok"] is (phase == "Succeeded")
    said = "encryption declared by the class's encrypted: true"
    (check,) = [check for check in proof["checks"] if said in check["detail"]]
    if phase == "Failed":
        (trial,) = [t.status for t in world.trials() if t.spec.arm.name == "plain"]
        assert (trial.outcome, trial.reason) == ("Invalid", "ProofFailed")
        assert "the volume is not in plaintext, although another arm" in (trial.message or "")
    else:
        assert check["name"] == "exempt: the disk"
