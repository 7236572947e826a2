"""`make bench-solo`: whether interleaved blocks say the same as sequential ones.

Each campaign of the product has both on the same testbeds, and its report says interleaved minus
solo with an interval. Drift is in the sequential blocks alone, so most of the time goes there, and
their windows are short. Campaigns of one kind are pooled. The goal is on the interval's bounds.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from math import fsum
from pathlib import Path
from typing import Any

from encbench.report.document.interleaving import SoloCheck
from tests.bench import campaigns, program, results
from tests.bench.precision import ENGINES, SCRIPTS, THREADS
from tests.e2e import manifests
from tests.support.install import installation
from tests.support.kube import REPO, Kube

RESULTS = REPO / "build" / "solo.jsonl"
"""A line for each figure of each campaign; numbers, which are seeds, go on over all runs."""
MOST = 0.02
"""How far from zero the interval's bounds may be, in points as a fraction."""
SERVER_CPU, CLIENT_CPU = "900m", "500m"
"""Of a server of 900m, TPS varies half as much from round to round as of one of 450m."""
WARMUP, WINDOW = 2, 6
"""Seconds of a sequential trial."""
INTERLEAVED = {"slice": "1200ms", "settle": "200ms", "rounds": 20, "databaseCpu": "Shared"}
SEQUENTIAL_PER_INTERLEAVED = 8
BLOCK_SECONDS = 45
"""Roughly what a sequential block takes with its share of an interleaved one."""
INTERVALS = ("difference", "interleaved", "solo")
Row = dict[str, Any]

_EPILOG = f"""\
examples:
  make bench-solo                                         three engines and two workloads: a night
  make bench-solo ARGS="--engines mysql --workloads read-only"
  make bench-solo ARGS="--engines mysql --workloads read-only --kept FILE"
                                                          one more, pooled with those that are kept
  make bench-solo ARGS="--blocks 0 --kept FILE"           judge those that are kept

exit codes:
  0  all intervals of TPS are within ±{100 * MOST:g} points
  1  one is not
  2  no campaign had a result
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="make bench-solo ARGS=...",
        description=__doc__,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = top.add_argument
    add("--engines", default=",".join(ENGINES), help=f"some of {', '.join(ENGINES)}; all")
    add("--workloads", default="write-only,read-only", help=f"some of {', '.join(SCRIPTS)}")
    add("--blocks", type=int, default=80, metavar="N", help="sequential blocks, 0 for none; 80")
    add("--kept", type=Path, metavar="FILE", help=f"earlier campaigns, as in {RESULTS.name}")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaigns and judge them beside those that are kept; the exit code."""
    args = parser().parse_args(arguments)
    engines, workloads = args.engines.split(","), args.workloads.split(",")
    if unknown := [*{*engines} - {*ENGINES}, *{*workloads} - {*SCRIPTS}]:
        parser().error(f"unknown: {', '.join(unknown)}")
    found: list[Row] = results.distinct(results.read(args.kept), _key)
    if args.blocks:
        kube = installation()
        kube.apply(*manifests.parts(), manifests.mode("tls", inTransit={}))
        for engine in engines:
            for workload in workloads:
                kind = {"engine": engine, "workload": workload}
                known = [*found, *results.written(RESULTS)]
                before = max(
                    (it["number"] for it in known if it.items() >= kind.items()), default=0
                )
                kind["number"] = before + 1
                for check in _campaign(kube, engine, workload, args.blocks, before + 1):
                    found.append({**kind, **check.model_dump()})
                    results.add(RESULTS, found[-1])
    if not found:
        print("no campaign had a result")
        return 2
    print("\ninterleaved minus solo, in points of the cost, with 95 % intervals")
    good = list(map(_is_as_asked, pooled(found)))
    return int(not all(good))


def _key(row: Row) -> tuple[object, ...]:
    return *_place(row), f"number {row['number']}"


def _place(row: Row) -> tuple[str, ...]:
    return row["engine"], row["workload"], row["arm"], row["figure"]


def pooled(rows: Iterable[Row]) -> Iterator[Row]:
    """One row for each figure of each kind of campaign.

    Each campaign counts by the inverse of its variance (Cochran's fixed-effect mean). One with an
    interval that has no bounds, or no width, is left out where another has them.
    """
    for place in dict.fromkeys(map(_place, rows := list(rows))):
        own = [row for row in rows if _place(row) == place]
        own = [row for row in own if all(map(_has_width, map(row.get, INTERVALS)))] or own[:1]
        intervals = {it: _mean([row[it] for row in own]) for it in INTERVALS}
        yield {**own[0], **intervals, "blocks": sum(row["blocks"] for row in own)}


def _has_width(interval: Any) -> bool:
    return None not in (interval["low"], interval["high"]) and interval["low"] < interval["high"]


def _mean(intervals: list[Row]) -> Row:
    if len(intervals) == 1:
        return intervals[0]
    weights = [((it["high"] - it["low"]) / 2) ** -2 for it in intervals]
    estimate = fsum(w * it["estimate"] for w, it in zip(weights, intervals, strict=True))
    estimate, half = estimate / fsum(weights), fsum(weights) ** -0.5
    return {"estimate": estimate, "low": estimate - half, "high": estimate + half}


def blocks(solo: int) -> dict[str, Any]:
    """`spec.blocks` of a campaign with so many sequential ones."""
    count = max(6, round(solo / SEQUENTIAL_PER_INTERLEAVED))
    return {"min": count, "solo": solo, "maxReplacements": solo, "interleave": INTERLEAVED}


def _is_as_asked(row: Row) -> bool:
    """Print a line; only TPS is judged."""
    is_tps = row["figure"] == "tps"
    good = not is_tps or _is_small(row["difference"])
    mark = "  " if not is_tps else "ok" if good else "NO"
    shown = ", ".join(f"{it} {_shown(row[it])}" for it in INTERVALS)
    place = f"{row['workload']} on {row['engine']}, {row['arm']}, {row['figure']}"
    print(f"{mark}  {place}: {shown}, {row['blocks']} sequential blocks")
    return good


def _is_small(difference: Row) -> bool:
    bounds = difference["low"], difference["high"]
    return all(it is not None and abs(it) <= MOST for it in bounds)


def _shown(interval: Row) -> str:
    if interval["low"] is None or interval["high"] is None:
        return f"{100 * interval['estimate']:+.1f} % (no interval)"
    low, high = 100 * interval["low"], 100 * interval["high"]
    return f"{100 * interval['estimate']:+.1f} % [{low:+.1f}, {high:+.1f}]"


def _campaign(kube: Kube, engine: str, workload: str, solo: int, seed: int) -> Iterator[SoloCheck]:
    """Run one; nothing if it failed."""
    fields, mode = ENGINES[engine]
    server, client = {**fields["resources"], "cpu": SERVER_CPU}, {"cpu": CLIENT_CPU}
    names = f"solo-{engine}", f"solo-{workload}"
    instance = manifests.instance(names[0], **{**fields, "engine": engine, "resources": server})
    script = {"script": f"oltp_{workload.replace('-', '_')}", "tables": 4, "tableSize": 10_000}
    load = {"concurrency": [THREADS], "warmup": f"{WARMUP}s", "duration": f"{WINDOW}s"}
    resources = {"resources": {**client, "memory": "64Mi"}}
    work = manifests.workload(names[1], sysbench=script, load=load, client=resources)
    name = f"solo-{engine}-{workload}"
    matrix = [{"instanceRefs": names[:1], "modeRefs": [mode], "workloadRefs": names[1:]}]
    own = {"matrix": matrix, "blocks": blocks(solo), "seed": seed}
    every = [instance, work, manifests.campaign(name, [mode], **own)]
    report = campaigns.run(kube, name, every, 900 + BLOCK_SECONDS * 2 * solo)
    for group in report.groups if report is not None else ():
        if group.interleaving is not None:
            yield from group.interleaving.solo


if __name__ == "__main__":
    program.run(main)
