"""One campaign from its creation to the oracle and its deletion, with faults in between."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from tests.chaos import disks, evidence, oracle
from tests.chaos.course import Course, Hit, Say
from tests.chaos.oracle import Evidence
from tests.chaos.scene import NotThere, Scene
from tests.chaos.schedule import Planned
from tests.e2e import manifests
from tests.e2e.campaigns import conditions
from tests.support.install import NAMESPACE
from tests.support.kube import CommandFailed, wait_for

BLOCKS = 2
STEPS = {
    "provision": "4m",
    "load": "4m",
    "proof": "4m",
    "start": "1m",
    "overrun": "1m",
    "archive": "6m",
}
CALM = 240
"""Seconds in which everything of the installation must be ready again after the faults."""
INSTANCE, WORKLOAD = "chaos", "chaos"
RUNNING = 4
"""Pods of the installation: operator, store, Prometheus and the node's exporter."""


@dataclass(frozen=True)
class Outcome:
    """What came of one campaign."""

    name: str
    hits: list[Hit]
    violations: list[str]
    seconds: float
    trials: int = 0
    replaced: int = 0
    evidence: Evidence | None = None


def parts() -> list[dict[str, Any]]:
    """What the campaigns name: small databases on disks of ours."""
    return [
        *manifests.parts(),
        manifests.instance(
            INSTANCE, storage={"size": disks.DATABASE_SIZE, "className": disks.CLASS}
        ),
        workload(),
    ]


def workload() -> dict[str, Any]:
    """Short windows."""
    return manifests.workload(WORKLOAD, load={"warmup": "1s", "duration": "5s"})


def manifest(name: str, instance: str = INSTANCE, blocks: int = BLOCKS) -> dict[str, Any]:
    """A campaign of few short trials that may replace as many blocks as faults break."""
    matrix = [{"instanceRefs": [instance], "modeRefs": ["tde"], "workloadRefs": [WORKLOAD]}]
    wanted = {"min": blocks, "maxReplacements": 60}
    return manifests.campaign(name, [], matrix=matrix, blocks=wanted, stepDeadlines=STEPS)


def run(
    scene: Scene,
    body: dict[str, Any],
    plan: Sequence[Planned],
    undisturbed: Evidence | None = None,
    say: Say = print,
) -> Outcome:
    """Run a campaign under the faults of a plan, judge it, delete it and look what is left."""
    began = time.monotonic()
    scene.kube.apply(body)
    course = Course(scene, plan, say)
    problems: list[str] = []
    try:
        course.run()
    except TimeoutError as error:
        problems.append(str(error))
    problems += _calm(scene)
    found = None
    if course.gone:
        if not course.was_deleted:
            problems.append("the campaign is gone, and no fault deleted it")
    else:
        try:
            found = evidence.gather(scene)
        except (CommandFailed, AssertionError, BotoCoreError, ClientError) as error:
            problems.append(f"the evidence cannot be read: {error}")
        else:
            problems += oracle.judge(found, undisturbed)
    problems += _gone(scene)
    return Outcome(
        scene.campaign,
        course.hits,
        problems,
        time.monotonic() - began,
        trials=len(found.trials) if found else 0,
        replaced=oracle.replaced(found) if found else 0,
        evidence=found,
    )


def _calm(scene: Scene) -> list[str]:
    """Wait until everything of the installation is ready, so that the oracle can read."""

    def look() -> bool:
        try:
            pods = scene.objects("pods", "app.kubernetes.io/name=encbench")
            nodes = scene.objects("nodes")
        except NotThere:
            return False
        facts = [conditions(node).get("Ready", {}).get("status") for node in nodes]
        # An evicted pod stays as a word about it.
        live = [pod for pod in pods if pod["status"]["phase"] not in ("Failed", "Succeeded")]
        facts += [conditions(pod).get("Ready", {}).get("status") for pod in live]
        return len(live) == RUNNING and set(facts) == {"True"}

    try:
        wait_for("the installation", look, CALM)
    except TimeoutError as error:
        return [str(error)]
    return []


def _gone(scene: Scene) -> list[str]:
    """Delete the campaign; what is left of it, and of the faults."""
    kube = scene.kube
    try:
        kube.kubectl(
            *("delete", "campaign", scene.campaign, "-n", NAMESPACE, "--ignore-not-found"),
            *("--wait", "--timeout=200s"),
        )
    except CommandFailed as error:
        return [f"the campaign cannot be deleted: {error}"]
    try:
        wait_for("the end", lambda: not evidence.left(kube), 120)
    except TimeoutError:
        return [f"left: {one}" for one in evidence.left(kube)]
    if disks.is_prepared(kube):
        disks.recycle(kube, scene.layout)
    return [f"left of a fault: {one}" for one in evidence.marks(scene)]
