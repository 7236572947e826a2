"""``python -m tests.chaos``: break things for some minutes; the exit code says what did not hold.

0: everything held. 1: something did not. 2: nothing could be tried.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

from tests.chaos import campaign, disks, leftovers, schedule, table
from tests.chaos.campaign import Outcome
from tests.chaos.faults import FAULTS
from tests.chaos.scene import Scene
from tests.chaos.schedule import Planned
from tests.cluster.layout import Layout
from tests.support.install import NAMESPACE, RELEASE, cluster, install, is_own, uninstall
from tests.support.kube import Kube, import_images

IMAGES = ("mariadb", "sysbench")
"""What the campaigns need beside the chart's own pods."""

_EPILOG = """\
The cluster is one of our own on this machine; it is brought up when it is not there, and stays.
The same seed gives the same faults at the same moments. What a killed run left is undone first.
"""


def main(arguments: list[str]) -> int:
    """Run campaigns until the time is over."""
    options = _parser().parse_args(arguments)
    if options.list:
        for fault in FAULTS.values():
            least, most = fault.hold
            print(f"{fault.name:32}{fault.lane:16}{least:g} to {most:g} s")
        return 0
    if not is_own():
        print("chaos breaks the cluster itself: it needs one of our own (CLUSTER=own)")
        return 2
    faults = [FAULTS[name] for name in options.only] if options.only else list(FAULTS.values())
    seed = options.seed
    print(f"seed {seed}: to repeat, --seed={seed}" + _chosen(options.only), flush=True)
    scene = _prepared()
    try:
        outcomes = _run(scene, schedule.campaigns(seed, faults, options.faults), options.minutes)
    finally:
        _finish(scene)
    print("\n".join(table.lines(outcomes)))
    print(f"seed {seed}")
    if any(outcome.violations for outcome in outcomes):
        return 1
    return 0 if any(hit.target for outcome in outcomes for hit in outcome.hits) else 2


def _run(scene: Scene, plans: Iterator[list[Planned]], minutes: float) -> list[Outcome]:
    """The undisturbed campaign first, and others as long as there is time for one to begin."""
    own = replace(scene, campaign="chaos-0")
    calm = campaign.run(own, campaign.manifest(own.campaign), [])
    _tell(calm)
    outcomes = [calm]
    if calm.violations:
        return outcomes
    until = time.monotonic() + 60 * minutes
    for number, plan in enumerate(plans, 1):
        if time.monotonic() > until:
            return outcomes
        own = replace(scene, campaign=f"chaos-{number}")
        outcomes.append(
            campaign.run(own, campaign.manifest(own.campaign), plan, calm.evidence, _say)
        )
        _tell(outcomes[-1])
    return outcomes


def _prepared() -> Scene:
    """The cluster, free of what a killed run left, with the chart on disks of ours."""
    layout = Layout.from_environment()
    left = leftovers.undo_on_machine(layout)
    kube = cluster()
    left += leftovers.undo_in_cluster(kube)
    for one in left:
        _say(f"undone: {one}")
    leftovers.undo_campaigns(kube)
    if disks.has_other_store(kube):
        _uninstall(kube)
        kube.kubectl("delete", "pvc", disks.STORE_CLAIM, f"--namespace={NAMESPACE}")
    disks.prepare(kube, layout)
    disks.recycle(kube, layout)
    import_images(*IMAGES)
    install(kube)
    kube.apply(*campaign.parts())
    return Scene(kube, layout)


def _finish(scene: Scene) -> None:
    """Leave the cluster without release and without disks of ours."""
    leftovers.undo_on_machine(scene.layout)
    leftovers.undo_in_cluster(scene.kube)
    leftovers.undo_campaigns(scene.kube)
    _uninstall(scene.kube)
    disks.remove(scene.kube, scene.layout)


def _uninstall(kube: Kube) -> None:
    if RELEASE in kube.run("helm", "list", "--all", "--short", f"--namespace={NAMESPACE}").split():
        uninstall(kube)


def _say(text: str) -> None:
    print(f"  {text}", flush=True)


def _tell(outcome: Outcome) -> None:
    """The progress line of a campaign."""
    put = sum(1 for hit in outcome.hits if hit.target)
    print(
        f"{outcome.name}: {put} faults, {outcome.trials} trials, {outcome.replaced} did not count, "
        f"{outcome.seconds:.0f} s, {len(outcome.violations)} violations",
        flush=True,
    )
    for one in outcome.violations:
        _say(one)


def _chosen(only: list[str]) -> str:
    return f" --only {' '.join(only)}" if only else ""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.chaos",
        description="Faults at random moments of real campaigns, and an oracle after each.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=30, help="how long (default: 30)")
    parser.add_argument(
        "--seed", type=int, default=int.from_bytes(os.urandom(4)), help="drawn unless given"
    )
    parser.add_argument(
        "--only", nargs="+", default=[], choices=FAULTS, metavar="FAULT", help="these faults"
    )
    parser.add_argument("--faults", type=int, default=12, help="in each campaign (default: 12)")
    parser.add_argument("--list", action="store_true", help="list the faults, and do nothing")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
