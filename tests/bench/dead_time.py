"""`make bench-dead-time`: the time between measured windows on warm testbeds.

It runs a short campaign on a real cluster and prints, between one window's end and the next one's
begin, what is left after the declared warm-up. The warm-up is long enough for the next trial's
clients to start in it. The dataset is not reset between trials. The exit code is 1 where the median
is above what is asked for.
"""

import statistics
from itertools import pairwise

from tests.bench import program
from tests.e2e import manifests
from tests.e2e.campaigns import delete_campaign, ended
from tests.support.install import NAMESPACE, installation
from tests.support.kube import wait_for

NAME = "dead-time"
BLOCKS = 5
WARMUP = 6.0
MOST = 2.0
"""Seconds: the median at most."""


def main() -> int:
    """Run the benchmark; the exit code."""
    kube = installation()
    delete_campaign(kube, NAME)
    kube.apply(*manifests.parts())
    kube.apply(manifests.workload(NAME, load={"warmup": f"{WARMUP:g}s"}))
    cell = {"instanceRefs": ["mariadb"], "modeRefs": ["tde"], "workloadRefs": [NAME]}
    kube.apply(manifests.campaign(NAME, [], matrix=[cell], blocks={"min": BLOCKS}))
    try:
        wait_for("the end of the campaign", lambda: ended(kube, NAME), 900, every=2)
        trials = kube.list("trials", NAMESPACE, f"encbench.io/campaign={NAME}")
    finally:
        delete_campaign(kube, NAME)
    windows = sorted(
        (t["status"]["window"]["start"], t["status"]["window"]["end"])
        for t in trials
        if "window" in t["status"]
    )
    gaps = [later - end - WARMUP for (_, end), (later, _) in pairwise(windows)]
    measured = sum(end - start for start, end in windows)
    whole = windows[-1][1] - windows[0][0]
    print(
        f"{len(windows)} windows, {len(gaps)} gaps, each less the declared warm-up of {WARMUP:g} s"
    )
    middle = statistics.median(gaps)
    print(
        f"dead time in seconds: median {middle:.2f} (at most {MOST:g}), "
        f"mean {statistics.mean(gaps):.2f}, least {min(gaps):.2f}, most {max(gaps):.2f}"
    )
    print(f"share of the time that was measured: {measured / whole:.0%}")
    return 0 if middle <= MOST else 1


if __name__ == "__main__":
    program.run(main)
