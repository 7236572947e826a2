"""`make bench-observer`: what collection costs, measured by switching it off and on under load.

One long trial of the product runs as always. While it does, everything that collects (the recorder,
every agent, Prometheus, node-exporter) is paused and resumed every few seconds by signals, in pairs
of an "on" and an "off" phase whose order is drawn from a seed. Off is as far off as it goes: the
containers are there and not one of their instructions runs; the tool's own output goes to its file
as before. What remains in both phases is Kubernetes itself and the operator, which sleeps.

The server's CPU is read from `/proc` by this process, twice a phase and alike in both, and TPS is
the tool's own, second by second. The first second of each phase is left out: a recorder that was
paused has lines to catch up with. Neighbouring phases of a few seconds are far more alike than
trials are, which is what lets an effect of a percent be seen on a noisy machine.

It needs the cluster of its own on this machine, for it signals processes of pods.
"""

import json
import os
import random
import re
import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from encbench.core.statistics.intervals import estimate
from tests.bench import program
from tests.bench.processes import Process, in_pods, pause, resume
from tests.e2e import manifests
from tests.e2e.bucket import bucket
from tests.e2e.campaigns import delete_campaign
from tests.support.install import NAMESPACE, installation, is_own
from tests.support.kube import REPO, Kube, wait_for

NAME = "observer"
MINUTES = float(os.environ.get("MINUTES", "10"))
"""Length of each of the two windows."""
DATABASE_CPU = os.environ.get("DATABASE_CPU", "1")
"""What collection costs is so much a second, whatever the database does: the smaller the database,
the larger its share. One core is the smallest that anybody would choose a strategy by."""
WARMUP = 5.0
PHASE = 5.0
"""Seconds; no probe of the pods waits longer."""
SETTLE = 1.0
MARGIN = 5.0
"""Seconds before the window's end that are left alone."""
PAIRS = REPO / "build" / "observer.json"
"""Every pair: TPS, and CPU-seconds of the server per transaction."""
COLLECTORS = {
    "recorder": "encbench.sidecars.recorder",
    "agent": "encbench.sidecars.agent",
    "prometheus": "prometheus --config.file",
    "node-exporter": "prometheus-node-exporter",
}
_SECOND = re.compile(r"^\[ (\d+)s \] thds: \d+ tps: ([\d.]+) ", re.MULTILINE)


@dataclass(frozen=True)
class Phase:
    """A few seconds with collection on or off; the settling second is not part of it."""

    start: float
    end: float
    server_seconds: float
    collectors: dict[str, float] = field(default_factory=dict)
    """CPU-seconds by what it is."""

    @property
    def cores(self) -> float:
        """The server's CPU."""
        return self.server_seconds / (self.end - self.start)


@dataclass(frozen=True)
class Run:
    """One trial with its phases, two and two a pair."""

    trial: dict[str, Any]
    pairs: list[tuple[Phase, Phase]]
    """On, off."""


def main() -> int:
    """Run the benchmark; the exit code.

    It is 1 when the interval of CPU per transaction leaves 0.98-1.02, or when a sidecar uses over
    1 % of a core. TPS is shown and not judged.
    """
    if not is_own() or os.geteuid() != 0:
        print("it signals processes of pods: run it as root on a cluster of its own")
        return 2
    kube = installation()
    resume(_collectors(in_pods()))  # of a run that was killed
    delete_campaign(kube, NAME)
    load = {"concurrency": [4], "warmup": f"{WARMUP:g}s", "duration": f"{MINUTES * 60:.0f}s"}
    client = {"resources": {"cpu": "500m", "memory": "64Mi"}}
    kube.apply(
        *manifests.parts(),
        manifests.instance(NAME, resources={"cpu": DATABASE_CPU, "memory": "384Mi"}),
        manifests.workload(NAME, load=load, client=client),
    )
    matrix = [{"instanceRefs": [NAME], "modeRefs": ["plaintext"], "workloadRefs": [NAME]}]
    spec = {"matrix": matrix, "blocks": {"min": 1}, "residency": "OnDemand"}
    kube.apply(manifests.campaign(NAME, ["plaintext"], **spec))
    draw = random.Random(1)
    runs: list[Run] = []
    try:
        while len(runs) < 2:
            known = {_name(run.trial) for run in runs}
            trial = wait_for("the next window", partial(_window, kube, known), 600)
            runs.append(_alternate(kube, trial, draw))
            print(f"{len(runs[-1].pairs)} pairs of phases in {_name(trial)}", flush=True)
        wait_for("both trials' records", lambda: _are_archived(kube, runs), 300, every=2)
        return _report(kube, runs)
    finally:
        resume(_collectors(in_pods()))
        delete_campaign(kube, NAME)


def _window(kube: Kube, known: set[str]) -> dict[str, Any] | None:
    """A trial that was released and whose warm-up is over."""
    for trial in kube.list("trials", NAMESPACE, f"encbench.io/campaign={NAME}"):
        status = trial.get("status", {})
        at = status.get("releaseAt")
        begun = at is not None and time.time() > at + WARMUP + SETTLE
        if begun and "window" not in status and _name(trial) not in known:
            return trial
    return None


def _are_archived(kube: Kube, runs: list[Run]) -> bool:
    found = [kube.get("trial", _name(run.trial), NAMESPACE) for run in runs]
    return all(body is not None and "artefactKey" in body["status"] for body in found)


def _name(trial: dict[str, Any]) -> str:
    name: str = trial["metadata"]["name"]
    return name


def _collectors(processes: list[Process]) -> list[Process]:
    return [p for p in processes if any(mark in p.command for mark in COLLECTORS.values())]


def _alternate(kube: Kube, trial: dict[str, Any], draw: random.Random) -> Run:
    """Phases for as long as the trial's window lasts."""
    testbed = trial["spec"]["testbedRef"]["name"]
    pod = kube.get("pod", f"{testbed}-0", NAMESPACE)
    assert pod is not None, "the database's pod is there while its trial runs"
    found = in_pods()
    own = [p for p in found if p.is_of(pod["metadata"]["uid"])]
    (server,) = [p for p in own if p.command.split()[0].endswith("mariadbd")]
    collectors = _collectors(found)
    by_kind = {
        "recorder": [p for p in collectors if COLLECTORS["recorder"] in p.command],
        "agent": [p for p in own if COLLECTORS["agent"] in p.command],
    }
    missing = [
        kind for kind, mark in COLLECTORS.items() if not any(mark in p.command for p in collectors)
    ]
    assert not missing, f"nothing runs that looks like {missing}"
    end = trial["status"]["releaseAt"] + WARMUP + MINUTES * 60 - MARGIN
    pairs: list[tuple[Phase, Phase]] = []
    try:
        while time.time() + 2 * PHASE < end:
            order = [True, False]
            draw.shuffle(order)
            phases = {is_on: _phase(is_on, server, collectors, by_kind) for is_on in order}
            pairs.append((phases[True], phases[False]))
    finally:
        resume(collectors)
    return Run(trial, pairs)


def _phase(
    is_on: bool, server: Process, collectors: list[Process], by_kind: dict[str, list[Process]]
) -> Phase:
    (resume if is_on else pause)(collectors)
    time.sleep(SETTLE)
    start, before = time.time(), server.cpu_seconds()
    used = {kind: sum(p.cpu_seconds() for p in own) for kind, own in by_kind.items()}
    time.sleep(PHASE - SETTLE)
    end, after = time.time(), server.cpu_seconds()
    return Phase(
        start,
        end,
        after - before,
        {k: sum(p.cpu_seconds() for p in own) - used[k] for k, own in by_kind.items()},
    )


def _report(kube: Kube, runs: list[Run]) -> int:
    on_tps, off_tps, on_cpu, off_cpu = [], [], [], []
    shares: dict[str, list[float]] = {}
    with bucket(kube) as store:
        for run in runs:
            seconds, began = _tps(kube, store, run)
            for on, off in run.pairs:
                rates = [_mean_rate(seconds, began, phase) for phase in (on, off)]
                if None in rates or 0.0 in (*rates, on.cores, off.cores):
                    continue
                on_rate, off_rate = (rate or 0.0 for rate in rates)
                on_tps.append(on_rate)
                off_tps.append(off_rate)
                on_cpu.append(on.cores / on_rate)
                off_cpu.append(off.cores / off_rate)
                for kind, used in on.collectors.items():
                    shares.setdefault(kind, []).append(used / (on.end - on.start))
    PAIRS.parent.mkdir(exist_ok=True)
    kept = {"onTps": on_tps, "offTps": off_tps, "onCpu": on_cpu, "offCpu": off_cpu}
    PAIRS.write_text(json.dumps(kept))
    cores = [phase.cores for run in runs for pair in run.pairs for phase in pair]
    print(f"\n{len(on_tps)} pairs of phases of {PHASE - SETTLE:g} s with collection on and off")
    print(f"database of {DATABASE_CPU} CPU, {sum(cores) / len(cores):.2f} cores in use")
    good = True
    for name, on_figures, off_figures in (
        ("TPS", on_tps, off_tps),
        ("CPU per transaction", on_cpu, off_cpu),
    ):
        found = estimate(off_figures, on_figures)
        bounds = found.change_bounds("increase") if found else None
        if found is None or bounds is None:
            print(f"{name}: too few pairs for an interval")
            return 2
        low, high = 1 + bounds.low, 1 + bounds.high
        print(f"{name:20} on/off = {1 + found.change('increase'):.4f} [{low:.4f}, {high:.4f}]")
        good = good and (name == "TPS" or (low >= 0.98 and high <= 1.02))
    for kind, found_shares in shares.items():
        share = sum(found_shares) / len(found_shares)
        print(f"{kind:20} {share:.2%} of a core while collection is on")
        good = good and share <= 0.01
    return 0 if good else 1


def _tps(kube: Kube, store: Any, run: Run) -> tuple[dict[int, float], float]:
    """TPS by the second of the load, as the tool itself said, and when the load began."""
    body = kube.get("trial", _name(run.trial), NAMESPACE)
    assert body is not None
    status = body["status"]
    assert "window" in status, f"{status.get('reason')}: {status.get('message')}"
    folder = status["artefactKey"].rpartition("/")[0]
    log = store.get(f"{folder}/client-0/output.log").decode()
    seconds = {int(second): float(tps) for second, tps in _SECOND.findall(log)}
    return seconds, status["window"]["start"] - WARMUP


def _mean_rate(seconds: dict[int, float], began: float, phase: Phase) -> float | None:
    """Mean TPS of a phase: line k tells of the second that ended k seconds after the load began."""
    total = 0.0
    start, end = phase.start - began, phase.end - began
    for second in range(int(start) + 1, int(end) + 2):
        if second not in seconds:
            return None
        total += seconds[second] * max(0.0, min(end, second) - max(start, second - 1))
    return total / (end - start)


if __name__ == "__main__":
    program.run(main)
