"""Campaigns with encrypted columns: what is refused, proven, counted, and what comes to nothing."""

import base64
import json
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.conditions import find
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.kinds import (
    CONFIG_MAP,
    INSTANCE_TEMPLATE,
    JOB,
    OVERHEAD_REPORT,
    PERSISTENT_VOLUME_CLAIM,
    POD,
    SECRET,
    STATEFUL_SET,
    TESTBED,
)
from encbench.core.artefact import decode
from encbench.core.evidence import ProvenanceRecord
from encbench.core.problem import Reason
from encbench.core.tls import TlsSession
from encbench.kube import labels
from encbench.kube.secrets import entry
from encbench.ports import Body
from encbench.reconcile.objects import Trial
from tests.support import manifests
from tests.unit.reconcile.clients import Plan
from tests.unit.reconcile.columns import HOP, KEY, key, mode
from tests.unit.reconcile.pods import JAR_DIGEST
from tests.unit.reconcile.world import SPACE, World, parts, study, tpcc_parts

ALL: dict[str, Any] = {"method": "confidential", "ratio": 100}
JAR = {"class": "com.example.Driver", "urlTemplate": "jdbc:mariadb://{host}"}


def refusal(world: World) -> str:
    fact = find(world.campaign().status.conditions, "Accepted")
    assert fact is not None
    assert fact.status == "False" and fact.reason in set(Reason), fact.message
    for kind in (TESTBED, JOB, STATEFUL_SET):
        assert not world.cluster.all(kind), "nothing is started"
    return fact.message


async def refused(*bodies: Body, world: World | None = None) -> str:
    world = world or World()
    world.apply(*bodies)
    await world.settle(60)
    return refusal(world)


# -- what is refused


async def test_an_engine_that_the_proxy_does_not_speak_to() -> None:
    _, *others = parts()
    own = manifests.body(INSTANCE_TEMPLATE, "small", SPACE, engine="postgresql", version="17")
    said = await refused(own, *others, mode("enc", columns=ALL), study("enc"))
    assert "InstanceTemplate small with EncryptionMode enc: the confidential proxy does not" in said


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (
            {"columns": ALL},
            "write driver: {encrypting: {}} into the mode, or columns.ratio: 0; sysbench takes no "
            "driver and needs a mode and a matrix entry of its own",
        ),
        (
            {"columns": {"method": "confidential", "list": ["bmsql_item.i_pric"]}, "driver": None},
            "bmsql_item.i_pric is not a column of TPC-C's tables: write bmsql_item.i_price",
        ),
    ],
)
async def test_what_tpcc_cannot_work_with(spec: dict[str, Any], said: str) -> None:
    assert said in await refused(*tpcc_parts(), mode("enc", **spec), study("enc"))


async def test_an_image_of_benchmarksql_lacks_our_driver() -> None:
    *others, workload = tpcc_parts(benchmarksql={})
    workload["spec"]["load"] |= {"warmup": "0s", "duration": "1m"}
    own = mode("enc", columns=ALL, driver={"encrypting": {}})
    said = await refused(*others, workload, own, study("enc"))
    assert "BenchmarkSQL's image lacks encbench's encrypting driver" in said


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (
            {"columns": ALL, "driver": {"encrypting": {}}},
            "sysbench does not use JDBC: leave driver out of the mode, or give TPC-C and sysbench "
            "modes and matrix entries of their own",
        ),
        (
            {"columns": {"method": "confidential", "list": ["sbtest.pat"]}},
            "sbtest.pat is not a column of sysbench's tables: write sbtest.pad",
        ),
    ],
)
async def test_what_does_not_go_with_sysbench(spec: dict[str, Any], said: str) -> None:
    assert said in await refused(*parts(), mode("enc", **spec), study("enc"))


async def accepted_with_a_key() -> World:
    """A world whose campaign was accepted with a Secret of the user's."""
    world = World()
    world.cluster.add(SECRET, key(KEY))
    own = mode("enc", columns={**HOP, "mekSecretRef": {"name": "mine"}})
    world.apply(*parts(), own, study("enc"))
    await world.run(lambda: world.campaign().status.resolved is not None)
    return world


async def test_a_key_that_is_no_longer_marked_when_it_is_mounted() -> None:
    world = await accepted_with_a_key()
    await world.cluster.patch_metadata(SECRET, SPACE, "mine", labels={labels.USE: None})
    await world.settle(30)
    (testbed,) = [
        body for body in world.cluster.all(TESTBED) if body["spec"]["arm"]["modeRef"] == "enc"
    ]
    names = {body["metadata"]["name"] for body in world.cluster.all(STATEFUL_SET)}
    assert names and testbed["metadata"]["name"] not in names
    facts = {fact["type"]: fact for fact in testbed["status"]["conditions"]}
    assert facts["Provisioned"]["reason"] == "NotMarked"
    assert "kubectl label secret mine" in facts["Provisioned"]["message"]
    await world.cluster.patch_metadata(SECRET, SPACE, "mine", labels={labels.USE: labels.KEY})
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"


@pytest.mark.parametrize(
    ("secret", "said"),
    [
        (
            None,
            "there is no Secret mine with an entry mek: create it with the label "
            "encbench.io/use=key and a key of 32 hex digits",
        ),
        (key(KEY, "other"), "there is no Secret mine with an entry mek"),
        (key(KEY[:-1]), "Secret mine, entry mek has 31 hex digits: write 32"),
        (key(KEY * 2), "has 64 hex digits: write 32"),
        (key("x" + KEY[1:]), "is not written in hex digits: write 32"),
    ],
)
async def test_a_key_that_is_none(secret: Body | None, said: str) -> None:
    world = World()
    if secret is not None:
        world.cluster.add(SECRET, secret)
    own = mode("enc", columns={**ALL, "mekSecretRef": {"name": "mine"}})
    message = await refused(*parts(), own, study("enc"), world=world)
    assert said in message
    assert KEY[1:20] not in message, "a key is repeated nowhere"


async def test_an_installation_without_the_proxy() -> None:
    said = await refused(
        *parts(), mode("enc", columns=ALL), study("enc"), world=World(proxy_image="")
    )
    assert "set the chart's confidentialProxy.image" in said


def claim(use: str | None) -> Body:
    """A PersistentVolumeClaim with a driver, marked for that use."""
    meta: Body = {"name": "drivers", "namespace": SPACE}
    meta |= {"labels": {labels.USE: use}} if use else {}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta, "spec": {}}


ON_CLAIM = {**JAR, "claimName": "drivers", "path": "d.jar"}


async def test_a_claim_is_used_once_it_is_there_and_marked() -> None:
    world, own = World(), mode("enc", driver={"jar": ON_CLAIM})
    said = await refused(*tpcc_parts(), own, study("enc"), world=world)
    assert "there is no PersistentVolumeClaim drivers in namespace bench: create it with" in said
    assert "the label encbench.io/use=driver and the jar in it, or name the jar by url" in said
    world.cluster.add(PERSISTENT_VOLUME_CLAIM, claim(None))
    await world.settle(30)
    assert refusal(world).endswith(
        "PersistentVolumeClaim drivers is not marked for use as the source of a JDBC driver: "
        "kubectl label persistentvolumeclaim drivers --namespace bench encbench.io/use=driver"
    )
    mark = {labels.USE: labels.DRIVER}
    await world.cluster.patch_metadata(PERSISTENT_VOLUME_CLAIM, SPACE, "drivers", labels=mark)
    await world.run(lambda: bool(world.cluster.all(TESTBED)))


async def test_a_key_that_is_gone_when_it_is_mounted_is_named() -> None:
    world = await accepted_with_a_key()
    world.cluster.remove(SECRET, SPACE, "mine")
    await world.settle(30)
    facts = {
        fact["message"]
        for body in world.cluster.all(TESTBED)
        for fact in body["status"]["conditions"]
        if fact["type"] in ("Provisioned", "Hindered")
    }
    assert "there is no Secret mine any more: create it again" in facts
    world.cluster.add(SECRET, key(KEY))
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"


async def test_a_key_that_is_none_any_more_keeps_the_database_from_being_made() -> None:
    world = await accepted_with_a_key()
    world.cluster.remove(SECRET, SPACE, "mine")
    world.cluster.add(SECRET, key(KEY[:-1]))
    await world.settle(30)
    (testbed,) = [
        body for body in world.cluster.all(TESTBED) if body["spec"]["arm"]["modeRef"] == "enc"
    ]
    facts = {fact["type"]: fact for fact in testbed["status"]["conditions"]}
    assert facts["Provisioned"]["reason"] == "EntryInvalid"
    assert "has 31 hex digits: write 32" in facts["Provisioned"]["message"]
    assert KEY[:-1] not in str(testbed)
    names = {body["metadata"]["name"] for body in world.cluster.all(STATEFUL_SET)}
    assert names and testbed["metadata"]["name"] not in names
    world.cluster.remove(SECRET, SPACE, "mine")
    world.cluster.add(SECRET, key(KEY))
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"


async def test_a_key_that_is_rotated_changes_nothing_of_a_testbed_that_has_its_copy() -> None:
    world = World()
    world.cluster.add(SECRET, key(KEY))
    own = mode("enc", columns={**HOP, "mekSecretRef": {"name": "mine"}})
    world.apply(*parts(), own, study("enc", blocks=2))
    await world.run(world.running())
    world.cluster.remove(SECRET, SPACE, "mine")
    world.cluster.add(SECRET, key(KEY[::-1]))
    made: dict[tuple[str, str], Body] = {}

    def ended() -> bool:
        for kind in (JOB, STATEFUL_SET, POD, SECRET):
            for body in world.latest(kind.kind, ""):
                made[kind.kind, body["metadata"]["name"]] = body
        return world.ended()

    await world.run(ended)
    assert world.campaign().status.phase == "Succeeded"
    copies = [
        entry(made.pop(place), "mek") for place in [*made] if place[1].endswith("-credentials")
    ]
    assert {KEY} == {*copies} - {None}
    assert made.pop((SECRET.kind, "mine"))
    assert {kind for kind, _ in made} >= {JOB.kind, STATEFUL_SET.kind, POD.kind}
    assert not [place for place, body in made.items() if "'mine'" in str(body)]


async def test_a_claim_that_is_no_longer_marked_when_it_is_mounted() -> None:
    world = World()
    world.cluster.add(PERSISTENT_VOLUME_CLAIM, claim(labels.DRIVER))
    world.apply(*tpcc_parts(), mode("enc", driver={"jar": ON_CLAIM}), study("enc"))
    await world.run(lambda: world.campaign().status.resolved is not None)
    mark = {labels.USE: None}
    await world.cluster.patch_metadata(PERSISTENT_VOLUME_CLAIM, SPACE, "drivers", labels=mark)
    await world.settle(30)
    (testbed,) = [
        body for body in world.cluster.all(TESTBED) if body["spec"]["arm"]["modeRef"] == "enc"
    ]
    facts = {fact["type"]: fact for fact in testbed["status"]["conditions"]}
    assert facts["Provisioned"]["reason"] == "NotMarked"
    assert "kubectl label persistentvolumeclaim drivers" in facts["Provisioned"]["message"]


async def test_the_jar_of_a_driver_on_a_claim_is_in_the_provenance() -> None:
    world = World()
    world.cluster.add(PERSISTENT_VOLUME_CLAIM, claim(labels.DRIVER))
    world.apply(*tpcc_parts(), mode("enc", driver={"jar": ON_CLAIM}), study("enc", blocks=1))
    await world.run(world.ended)
    found = {
        trial.spec.arm.mode_ref: decode(ProvenanceRecord, world.store.objects[key], key).driver_jars
        for trial in world.trials()
        for key in [f"{trial.spec.storage_prefix}/trials/{trial.uid}/provenance.json"]
    }
    assert found == {"plain": None, "enc": (JAR_DIGEST,)}


# -- what is measured


async def measured(*modes: Body, world: World | None = None) -> World:
    world = world or World()
    names = [body["metadata"]["name"] for body in modes]
    world.apply(*parts(), *modes, study(*names, blocks=1, replacements=0))
    await world.run(world.ended)
    await world.settle()
    return world


def records(world: World, name: str) -> list[dict[str, Any]]:
    return [
        json.loads(content)
        for path, content in world.store.objects.items()
        if path.endswith(f"/{name}")
    ]


async def test_a_campaign_with_encrypted_columns() -> None:
    world = await measured(mode("enc", columns=ALL), mode("hop", columns=HOP))
    assert world.campaign().status.phase == "Succeeded"
    by_arm = {one["spec"]["arm"]["name"]: one for one in records(world, "trial.json")}
    for arm in ("enc", "hop"):
        proxy = by_arm[arm]["cpu"]["proxy"]
        assert proxy["cores"] == pytest.approx(0.2, rel=0.01)
        assert proxy["limitCores"] == 1.0
        assert by_arm[arm]["cpu"]["database"]["cores"] == pytest.approx(0.3, rel=0.01)
    assert by_arm["plain"]["cpu"].get("proxy") is None
    assert "the key opened" in by_arm["enc"]["proofs"]["before"]["summary"]
    assert "without encryption is in force" in by_arm["hop"]["proofs"]["after"]["summary"]


async def test_the_key_is_in_a_secret_and_nowhere_else() -> None:
    world = World()
    world.cluster.add(SECRET, key(KEY))
    own = mode("enc", columns={**ALL, "mekSecretRef": {"name": "mine"}})
    world.apply(*parts(), own, mode("made", columns=ALL), study("enc", "made", blocks=1))

    def generated() -> set[str]:
        found = (body["data"].get("mek", "") for body in world.cluster.all(SECRET))
        return {base64.b64decode(text).decode() for text in found} - {"", KEY}

    await world.run(lambda: bool(generated()))
    (made,) = generated()
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"
    stored = b"".join(world.store.objects.values()).decode(errors="replace")
    for kind in (TESTBED, JOB, STATEFUL_SET, CONFIG_MAP, OVERHEAD_REPORT):
        stored += json.dumps(world.cluster.all(kind))
    stored += json.dumps(world.campaign().status.to_dict())
    stored += " ".join(event.note for event in world.cluster.events)
    for secret in (KEY, made):
        assert len(secret) == 32
        assert secret not in stored
        assert base64.b64encode(secret.encode()).decode() not in stored


async def test_a_mode_that_is_not_in_force_is_no_measurement() -> None:
    world = World()
    world.controllers.in_force["enc"] = EncryptionModeSpec.model_validate({"columns": HOP})
    await measured(mode("enc", columns=ALL), world=world)
    (trial,) = [one for one in world.trials() if one.spec.arm.name == "enc"]
    assert (trial.status.outcome, trial.status.reason) == ("Invalid", "ProofFailed")
    assert "chosen columns in plaintext" in (trial.status.message or "")


async def test_clients_that_do_not_come_through_the_proxy() -> None:
    world = World()
    world.proxying = 0.0
    await measured(mode("hop", columns=HOP), world=world)
    (trial,) = [one for one in world.trials() if one.spec.arm.name == "hop"]
    assert (trial.status.outcome, trial.status.reason) == ("Invalid", "ProofFailed")
    assert "the clients did not come through it" in (trial.status.message or "")


async def test_a_proxy_that_nobody_scrapes() -> None:
    world = World()
    world.proxied = False
    await measured(mode("hop", columns=HOP), world=world)
    (trial,) = [one for one in world.trials() if one.spec.arm.name == "hop"]
    assert (trial.status.outcome, trial.status.reason) == ("Invalid", "SeriesLost")


async def test_a_strict_proxy_hides_what_sysbench_negotiated() -> None:
    world = World()
    unknown = TlsSession(tls="unknown", cipher="unknown")

    def plan(trial: Trial, usual: Plan) -> Plan:
        return replace(usual, session=unknown) if trial.spec.arm.name == "enc" else usual

    world.plan = plan
    await measured(mode("enc", columns=ALL), world=world)
    assert world.campaign().status.phase == "Succeeded"
