"""`make bench-aa`: real A/A campaigns, and what the verdicts say of nothing.

Each campaign compares plaintext with plaintext under another name, on testbeds of its own, with a
seed of its own: whatever it finds is wrong. At most one campaign in twenty may say `Overhead`.

Sequential blocks have short windows and are few, and foreign load is allowed, so that the noise is
as bad as it gets. Of interleaved blocks more is asked: no `Overhead`, at most one interval in ten
misses zero, and half of the noise floors are below 3 %. Each has new testbeds, because two servers
of one kind differ by about one percent as long as they live.
"""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.bench import program, results
from tests.e2e import manifests
from tests.e2e.campaigns import conditions, delete_campaign, ended
from tests.support.install import NAMESPACE, installation
from tests.support.kube import REPO, Kube, wait_for

RESULTS = REPO / "build" / "aa.jsonl"
"""Every campaign that had a result, a line each; numbers, which are seeds, go on over all runs."""
BLOCKS: dict[str, dict[str, Any]] = {
    "sequential": {"min": 6, "maxReplacements": 6},
    "interleaved": {
        "min": 8,
        "maxReplacements": 4,
        "perTestbed": 1,
        "interleave": {"slice": "1200ms", "settle": "200ms", "rounds": 20, "databaseCpu": "Shared"},
    },
}
LOADS = {
    "sequential": {"concurrency": [2], "warmup": "1s", "duration": "5s"},
    "interleaved": {"concurrency": [4], "warmup": "5s"},
}
CPUS = {"sequential": ("350m", "220m"), "interleaved": ("900m", "500m")}
"""Of a server and of its client. A server of 450m took 9 % more or less CPU a transaction from one
slice to the next, one of 900m 5 %."""
AGAIN = "plaintext-again"
PATIENCE = 2400
"""Seconds for a campaign."""
WRONG = 0.05
MISSED, FLOOR = 0.1, 0.03
"""Of interleaved campaigns: the share whose interval may miss zero, and the median noise floor."""
FIGURES = (
    ("TPS", "overhead", "verdict"),
    ("average latency", "latencyAverageOverhead", "latencyAverageVerdict"),
    ("p95 latency", "latencyP95Overhead", "latencyP95Verdict"),
    ("CPU per transaction", "cpuPerTransactionOverhead", "cpuPerTransactionVerdict"),
)
Row = dict[str, Any]

_EPILOG = """\
examples:
  make bench-aa                               20 campaigns, about three and a half minutes each
  make bench-aa ARGS="--design interleaved"   20 of interleaved blocks, a quarter of an hour each
  make bench-aa ARGS="--design interleaved --campaigns 10 --kept FILE"
                                              10 more than are kept
  make bench-aa ARGS="--campaigns 0 --kept FILE"
                                              judge those that are kept

exit codes:
  0  the verdicts are as they must be
  1  they are not
  2  no campaign had a result
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="make bench-aa ARGS=...",
        description=__doc__,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = top.add_argument
    add("--design", choices=list(BLOCKS), default="sequential", help="how blocks are; sequential")
    add("--campaigns", type=int, default=20, metavar="N", help="how many to run; 20")
    add("--kept", type=Path, metavar="FILE", help=f"earlier campaigns, as in {RESULTS.name}")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaigns and judge them beside those that are kept; the exit code."""
    args = parser().parse_args(arguments)
    earlier = results.distinct(results.read(args.kept), _key)
    found = [row for row in earlier if row["design"] == args.design]
    if args.campaigns:
        kube = _prepared(args.design)
        known = [row for row in results.written(RESULTS) if row["design"] == args.design]
        before = max((row["number"] for row in (*found, *known)), default=0)
        last = before + args.campaigns
        for number in range(before + 1, last + 1):
            row = _campaign(kube, args.design, number)
            print(f"{number:3} of {last}  {_line(row)}", flush=True)
            if row is not None and row["verdict"] != "NoData":
                found.append({"design": args.design, "number": number, **row})
                results.add(RESULTS, found[-1])
    if not found:
        print("no campaign had a result")
        return 2
    return _summary(args.design, found)


def _key(row: Row) -> tuple[object, ...]:
    return f"{row['design']} blocks", f"number {row['number']}"


def _prepared(design: str) -> Kube:
    """An installed operator, and what the campaigns share."""
    kube = installation()
    server, client = CPUS[design]
    kube.apply(
        *manifests.parts(),
        manifests.mode(AGAIN),
        manifests.workload("aa", load=LOADS[design], client=_resources(client, "64Mi")),
        manifests.instance("aa", **_resources(server, "384Mi")),
    )
    return kube


def _resources(cpu: str, memory: str) -> dict[str, Any]:
    return {"resources": {"cpu": cpu, "memory": memory}}


def _campaign(kube: Kube, design: str, number: int) -> Row | None:
    """Run one; the row of the second plaintext, with the noise floor of TPS beside it."""
    name = f"aa-{number}"
    delete_campaign(kube, name)
    matrix = [{"instanceRefs": ["aa"], "modeRefs": [AGAIN], "workloadRefs": ["aa"]}]
    limits = {"clientThrottling": 1, "foreignCpu": 1, "idleCpu": 1}
    own = {"matrix": matrix, "blocks": BLOCKS[design], "limits": limits, "seed": number}
    kube.apply(manifests.campaign(name, [AGAIN], **own))
    try:
        campaign = wait_for(f"the end of {name}", lambda: ended(kube, name), PATIENCE, every=2)
        report = kube.get("overheadreport", name, NAMESPACE) or {}
    finally:
        delete_campaign(kube, name)
    failed = conditions(campaign).get("Failed", {})
    if failed.get("status") == "True":
        print(f"      {name}: {failed['reason']}: {failed['message']}")
    status = report.get("status", {})
    rows = [row for row in status.get("rows", []) if row["arm"] == AGAIN]
    return {**rows[0], "noiseFloor": status.get("noiseFloor")} if rows else None


def _line(row: Row | None) -> str:
    if row is None or "overhead" not in row:
        return "no result"
    cpu, floor = row.get("cpuPerTransactionOverhead"), "(not measured)"
    if row["noiseFloor"] is not None:
        floor = f"±{100 * row['noiseFloor']:5.1f} %"
    return (
        f"{row['verdict']:12}  TPS {_shown(row['overhead'])}  "
        f"noise floor {floor}  CPU per transaction {_shown(cpu)} "
        f"{row.get('cpuPerTransactionVerdict', '-')}  {row['blocks']} blocks"
    )


def _shown(interval: dict[str, float] | None) -> str:
    if interval is None or "low" not in interval:
        return "(not measured)"
    low, high = 100 * interval["low"], 100 * interval["high"]
    return f"{100 * interval['estimate']:+6.1f} % [{low:+6.1f}, {high:+6.1f}]"


def _summary(design: str, found: list[Row]) -> int:
    print(f"\n{len(found)} A/A campaigns of {design} blocks: {BLOCKS[design]}")
    for name, interval, verdict in FIGURES:
        missed, known = _missing_zero(found, interval)
        says = [row.get(verdict) for row in found]
        counts = ", ".join(
            f"{says.count(word)} {word}" for word in ("Overhead", "Equivalent", "Inconclusive")
        )
        print(f"{name:20} {counts}; {missed} of {known} intervals at 95 % miss zero")
    floors = sorted(row["noiseFloor"] for row in found if row["noiseFloor"] is not None)
    middle = floors[len(floors) // 2] if floors else math.inf
    if floors:
        print(
            f"noise floor of TPS   ±{100 * floors[0]:.1f} to ±{100 * floors[-1]:.1f} %, "
            f"median ±{100 * middle:.1f} %"
        )
    wrong = sum(row["verdict"] == "Overhead" for row in found)
    print(f"wrong Overhead of TPS in {wrong} of {len(found)} campaigns")
    if design == "sequential":
        return int(wrong > WRONG * len(found))
    missed, _ = _missing_zero(found, "overhead")
    return int(wrong > 0 or missed > MISSED * len(found) or middle > FLOOR)


def _missing_zero(found: list[Row], interval: str) -> tuple[int, int]:
    """How many of these intervals miss zero, and how many there are."""
    known = [row[interval] for row in found if "low" in row.get(interval, {})]
    return sum(not one["low"] <= 0 <= one["high"] for one in known), len(known)


if __name__ == "__main__":
    program.run(main)
