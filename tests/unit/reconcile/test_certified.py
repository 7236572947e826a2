"""Who is certified by whom, whatever the arm."""

from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE, JOB, SECRET, STATEFUL_SET, TESTBED
from encbench.kube.secrets import entry
from encbench.ports import Body
from encbench.wire.sidecar import CERTIFICATE, KEY, TOKEN, Sidecar, entry_name
from tests.support import manifests
from tests.support.testbeds import TLS
from tests.unit.reconcile.world import NAME, SPACE, World, parts, study

ENTRIES = {"ca.crt", "tls.crt", "tls.key", "client.crt", "client.key"}


def started() -> World:
    world = World()
    world.apply(*parts(), manifests.body(ENCRYPTION_MODE, "tls", SPACE, **TLS))
    world.apply(study("tls", blocks=1))
    return world


def secrets(world: World, ending: str) -> dict[str, Body]:
    found = {body["metadata"]["name"]: body for body in world.cluster.all(SECRET)}
    return {name: body for name, body in found.items() if name.endswith(ending)}


async def test_every_arm_has_a_certificate_of_its_own_by_the_campaign_s_ca() -> None:
    world = started()
    await world.run(world.running())
    (authority,) = secrets(world, "-ca").values()
    assert authority["metadata"]["name"] == f"{NAME}-ca"
    assert authority["metadata"]["ownerReferences"][0]["kind"] == "Campaign"
    assert authority["immutable"] is True
    credentials = secrets(world, "-credentials")
    assert len(credentials) == 3
    for body in credentials.values():
        assert set(body["data"]) >= ENTRIES
        assert entry(body, "ca.crt") == entry(authority, "ca.crt")
        assert "ca.key" not in body["data"]
    assert len({entry(body, "tls.key") for body in credentials.values()}) == 3


async def test_each_sidecar_has_a_token_and_a_certificate_of_its_own() -> None:
    world = started()
    await world.run(world.running())
    (authority,) = secrets(world, "-ca").values()
    beds = secrets(world, "-credentials")
    own: list[str] = []
    both: tuple[Sidecar, ...] = ("agent", "recorder")
    for body in beds.values():
        assert entry(body, "sidecars-ca.crt") == entry(authority, "ca.crt")
        own += [
            entry(body, entry_name(sidecar, file)) or ""
            for sidecar in both
            for file in (TOKEN, CERTIFICATE, KEY)
        ]
    assert len(own) == 3 * 2 * 3
    assert len(set(own)) == len(own)
    for where, name in ((STATEFUL_SET, "agent"), (JOB, "recorder")):
        for body in world.cluster.all(where):
            pod = body["spec"]["template"]["spec"]
            given = {
                item["key"]
                for volume in pod["volumes"]
                if "secret" in volume
                for item in volume["secret"]["items"]
            }
            other = {"agent": "recorder", "recorder": "agent"}[name]
            assert not [key for key in given if key.startswith(f"{other}-")]


async def test_only_the_server_of_a_tls_arm_is_given_one() -> None:
    world = started()
    await world.run(world.running())
    given = {}
    for body in world.cluster.all(STATEFUL_SET):
        pod = body["spec"]["template"]["spec"]
        given[body["metadata"]["labels"]["encbench.io/arm"]] = [
            [item["key"] for item in volume["secret"]["items"]]
            for volume in pod["volumes"]
            if volume["name"] == "tls"
        ]
        for one in pod["containers"]:
            if one["name"] == "agent":
                assert "tls" not in [mount["name"] for mount in one["volumeMounts"]]
    assert given == {"plain": [], "plain-control": [], "tls": [["ca.crt", "tls.crt", "tls.key"]]}


async def test_no_testbed_is_certified_by_the_ca_of_an_earlier_campaign() -> None:
    world = started()
    stale = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": f"{NAME}-ca",
            "namespace": SPACE,
            "ownerReferences": [
                {
                    "apiVersion": "encbench.io/v1alpha1",
                    "kind": "Campaign",
                    "name": NAME,
                    "uid": "another",
                    "controller": True,
                }
            ],
        },
        "data": {},
    }
    world.cluster.add(SECRET, stale)
    await world.settle(60)
    assert not world.cluster.all(TESTBED), "they come after the CA"
    world.cluster.remove(SECRET, SPACE, f"{NAME}-ca")
    await world.run(world.ended)
    assert world.campaign().status.phase == "Succeeded"


async def test_the_ca_goes_with_the_campaign() -> None:
    world = started()
    await world.run(world.ended)
    await world.settle()
    assert list(secrets(world, "")) == [f"{NAME}-ca"]
    world.cluster.remove(CAMPAIGN, SPACE, NAME)
    await world.run(world.gone)
    await world.settle()
    assert not secrets(world, "")
