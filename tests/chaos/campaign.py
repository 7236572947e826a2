"""One campaign from its creation to the oracle, with faults in between.

Everything happens in one thread: faults begin and end at their moments, and between them the
campaign is looked at. Whatever happens, the faults that are on are ended.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from tests.chaos import disks, evidence, oracle
from tests.chaos.faults import Begun
from tests.chaos.oracle import Evidence
from tests.chaos.scene import NotThere, Scene
from tests.chaos.schedule import Planned
from tests.e2e import manifests
from tests.e2e.conftest import conditions
from tests.support.install import NAMESPACE
from tests.support.kube import CommandFailed, wait_for

BLOCKS = 2
MOST = 900
"""Seconds that a campaign may take after its last fault. No wait of a step below is longer."""
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

Say = Callable[[str], None]


@dataclass(frozen=True)
class Hit:
    """A fault that was put, or could not be."""

    name: str
    target: str
    """What it hit; empty if there was nothing to hit."""
    problem: str = ""
    """Why there was not."""
    recovery: float | None = None
    """Seconds after the end of the fault until the campaign went on."""


@dataclass
class _On:
    """A fault that is on, or was."""

    planned: Planned
    begun: Begun
    until: float
    ended: float | None = None
    facts: int = 0
    """What was known of the campaign when the fault ended."""
    recovery: float | None = None


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


@dataclass
class _Watch:
    """How far the campaign is, by the facts that its objects have shown."""

    scene: Scene
    shown: set[tuple[str, ...]] = field(default_factory=set)
    campaign: dict[str, Any] = field(default_factory=dict)
    gone: bool = False

    def look(self) -> bool:
        """Read the objects; whether the API server answered."""
        selector = f"encbench.io/campaign={self.scene.campaign}"
        try:
            found = self.scene.objects("campaigns")
            children = self.scene.objects("trials,testbeds,overheadreports", selector)
        except NotThere:
            return False
        own = [one for one in found if one["metadata"]["name"] == self.scene.campaign]
        self.gone = not own
        self.campaign = own[0] if own else {}
        for body in (*own, *children):
            self.shown |= {
                (body["metadata"]["name"], kind, fact["lastTransitionTime"])
                for kind, fact in conditions(body).items()
                if fact["status"] == "True" and kind != "Hindered"
            }
        return True

    @property
    def facts(self) -> int:
        return len(self.shown)

    @property
    def over(self) -> bool:
        facts = conditions(self.campaign)
        ended = any(facts.get(kind, {}).get("status") == "True" for kind in ("Complete", "Failed"))
        return self.gone or ended


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


def manifest(name: str, instance: str = INSTANCE) -> dict[str, Any]:
    """A campaign of few short trials that may replace as many blocks as faults break."""
    matrix = [{"instanceRefs": [instance], "modeRefs": ["tde"], "workloadRefs": [WORKLOAD]}]
    blocks = {"min": BLOCKS, "maxReplacements": 60}
    return manifests.campaign(name, [], matrix=matrix, blocks=blocks, stepDeadlines=STEPS)


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
    watch = _Watch(scene)
    on: list[_On] = []
    hits: list[Hit] = []
    problems: list[str] = []
    with ExitStack() as undo:
        try:
            hits = _through(watch, plan, on, undo, began, say)
        except TimeoutError as error:
            problems.append(str(error))
    hits += [Hit(one.planned.fault.name, one.begun.target, recovery=one.recovery) for one in on]
    problems += _calm(scene)
    found = None
    if watch.gone:
        if not any(one.planned.fault.lane == "campaign" for one in on):
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
        hits,
        problems,
        time.monotonic() - began,
        trials=len(found.trials) if found else 0,
        replaced=oracle.replaced(found) if found else 0,
        evidence=found,
    )


def _through(
    watch: _Watch, plan: Sequence[Planned], on: list[_On], undo: ExitStack, began: float, say: Say
) -> list[Hit]:
    """From the first moment to the end of the campaign; what could not be put."""
    missed: list[Hit] = []
    waiting = list(plan)
    last = began
    while True:
        now = time.monotonic()
        for one in on:
            if one.ended is None and now >= one.until:
                _end(one, watch)
                last = time.monotonic()
        if waiting and now - began >= waiting[0].at:
            planned = waiting.pop(0)
            try:
                begun = planned.fault.begin(watch.scene, Random(planned.seed))
            except NotThere as error:
                missed.append(Hit(planned.fault.name, "", str(error)))
                say(f"{now - began:6.0f} s  {planned.fault.name}: {error}"[:110])
                continue
            last = time.monotonic()
            on.append(_On(planned, begun, last + planned.hold))
            undo.callback(_end, on[-1], watch)
            say(f"{now - began:6.0f} s  {planned.fault.name} {begun.target} {planned.hold:.0f} s")
            continue
        if watch.look():
            _recovered(watch, on)
            if watch.over:
                return missed
        if not waiting and now - last > MOST:
            step = (watch.campaign.get("status") or {}).get("step")
            raise TimeoutError(f"no end {MOST} s after the last fault: {step}")
        time.sleep(0.3)


def _end(one: _On, watch: _Watch) -> None:
    if one.ended is None:
        one.begun.end()
        one.ended = time.monotonic()
        one.facts = watch.facts


def _recovered(watch: _Watch, on: Sequence[_On]) -> None:
    for one in on:
        if one.ended is not None and one.recovery is None and watch.facts > one.facts:
            one.recovery = time.monotonic() - one.ended


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
    return [
        *(f"left: {one}" for one in evidence.unfinished(kube)),
        *(f"left of a fault: {one}" for one in evidence.marks(scene)),
    ]
