"""The installation's images and pull secrets reach every pod that the operator makes."""

from dataclasses import replace
from itertools import chain

from encbench.admission.images import SERVERS, Images
from encbench.api.kinds import JOB, STATEFUL_SET
from encbench.kube.labels import COMPONENT
from encbench.kube.pods import PodMarks
from encbench.reconcile.deps import Settings
from tests.unit.reconcile.world import SPACE, World, parts, study

SAFE = "cluster-autoscaler.kubernetes.io/safe-to-evict"
OURS = Images(
    servers={**SERVERS, "mariadb": "registry.example.com/mariadb"},
    tools={"sysbench": "registry.example.com/sysbench:1"},
)


async def test_a_campaign_without_images_runs_with_the_installations() -> None:
    secrets = ("registry", "mirror")
    marks = PodMarks(
        {"cost-centre": "42", COMPONENT: "ours"}, {"owner": "dba", SAFE: "true"}, "measured"
    )

    def ours(usual: Settings) -> Settings:
        programs = replace(usual.programs, pull_secrets=secrets, marks=marks)
        installed = replace(usual.installed, images=OURS)
        return replace(usual, programs=programs, installed=installed)

    world = World(settings=ours)
    bare = parts()
    for body in bare:
        body["spec"].pop("image", None)
        body["spec"].get("client", {}).pop("image", None)
    bare[0]["spec"]["imagePullSecrets"] = ["own", "registry"]
    world.apply(*bare, study("plain", blocks=1))
    await world.run(world.running())

    resolved = world.campaign().status.resolved
    assert resolved is not None
    assert {one.image for one in resolved.instances.values()} == {
        "registry.example.com/mariadb:10.11"
    }
    made = {kind: world.cluster.all(kind, SPACE) for kind in (STATEFUL_SET, JOB)}
    pods = [body["spec"]["template"]["spec"] for bodies in made.values() for body in bodies]
    for body in chain(*made.values()):
        meta = body["spec"]["template"]["metadata"]
        assert (meta["labels"]["cost-centre"], meta["annotations"]["owner"]) == ("42", "dba")
        assert meta["labels"][COMPONENT] != "ours"
        assert meta["annotations"][SAFE] == "false"
    assert {pod["priorityClassName"] for pod in pods} == {"measured"}
    servers = {c["image"] for pod in pods for c in pod["containers"] if c["name"] == "server"}
    tools = {c["image"] for pod in pods for c in pod["containers"] if c["name"] == "tool"}
    assert servers == {"registry.example.com/mariadb:10.11"}
    assert tools == {"registry.example.com/sysbench:1"}
    for kind, wanted in (
        (STATEFUL_SET, ["own", "registry", "mirror"]),
        (JOB, ["registry", "mirror"]),
    ):
        for body in made[kind]:
            named = body["spec"]["template"]["spec"]["imagePullSecrets"]
            assert [one["name"] for one in named] == wanted, body["metadata"]["name"]
    purposes = {body["metadata"]["labels"]["app.kubernetes.io/component"] for body in made[JOB]}
    assert purposes == {"load", "client"}
