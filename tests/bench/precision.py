"""`make bench-precision`: how narrow intervals get, interleaved blocks beside sequential ones.

Each pair is two campaigns of the product on the bundled cluster, with the same parts and about the
same machine time: one with sequential blocks, one whose clients take turns. The two take turns
themselves, so that a slow hour hits both. Each has the baseline twice (A/A) and one mode. The
half-width of an interval is compared at equal machine time, that is times the root of the seconds
from the first client's start to the end of the last window.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from encbench.core.timetable import GUARD
from tests.bench import campaigns, program, results
from tests.bench.precision_summary import (
    CPU,
    DESIGNS,
    Design,
    Line,
    Measured,
    decision,
    goals,
    kept,
    measured,
    pairs,
    summary,
    written,
)
from tests.e2e import manifests
from tests.support.install import installation
from tests.support.kube import REPO, Kube

RESULTS = REPO / "build" / "precision.jsonl"
"""Every campaign but short ones, a line each; numbers go on over all runs."""
ARMS = 3
WARMUP, WINDOW, SLICE, SETTLE = 2.0, 12.0, 1.2, 0.2
DEAD_TIME = 2.0
"""Seconds between two trials that are planned for; what they really took is measured."""
INTERLEAVED_BLOCKS = 2
"""A and A' take turns on their testbeds from one block to the next."""
THREADS = 4
SMALL = {"resources": {"cpu": CPU, "memory": "384Mi"}, "storage": {"size": "1Gi"}}
ENGINES: dict[str, tuple[dict[str, Any], str]] = {
    "mariadb": (SMALL, "tde"),
    "mysql": (
        {
            "version": "9.7",
            "image": "docker.io/encbench/mysql:9.7",
            "resources": {"cpu": CPU, "memory": "768Mi"},
            "storage": {"size": "2Gi"},
            "settings": {},
        },
        "tde",
    ),
    "postgresql": (
        {
            **SMALL,
            "version": "15",
            "image": "docker.io/encbench/postgresql:15",
            "settings": {"shared_buffers": "128MB"},
        },
        "tls",
    ),
}
"""Fields of the instance, and the mode: PostgreSQL has no encryption at rest of its own."""
SCRIPTS = ("read-write", "write-only", "read-only")

_EPILOG = """\
examples:
  make bench-precision                                      10 pairs for each workload: a night
  make bench-precision ARGS=--short                         one pair of 2 minutes each: half an hour
  make bench-precision ARGS="--engines mariadb,mysql,postgresql --workloads read-only,write-only"
  make bench-precision ARGS="--cpu 900m"                    larger servers, interleaved blocks alone
  make bench-precision ARGS="--repeats 3 --kept FILE"       3 pairs more than are kept
  make bench-precision ARGS="--repeats 0 --kept FILE"       judge those that are kept

exit codes:
  0  everything is as asked, or --short
  1  something is not
  2  nothing had a result

asked, of medians over all pairs unless it says interval:
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="make bench-precision ARGS=...",
        description=__doc__,
        epilog=_EPILOG + "".join(f"  {goal}\n" for goal in goals()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = top.add_argument
    add("--repeats", type=int, default=10, metavar="N", help="pairs for each workload; 10")
    add("--minutes", type=float, default=5.0, help="machine time of each campaign; 5")
    add("--kept", type=Path, metavar="FILE", help=f"earlier campaigns, as in {RESULTS.name}")
    add("--workloads", default="read-write,write-only", help=f"some of {', '.join(SCRIPTS)}")
    add("--engines", default="mariadb", help=f"some of {', '.join(ENGINES)}")
    add(
        "--cpu",
        default=CPU,
        metavar="QUANTITY",
        help=f"of a server; {CPU}, and with any other no sequential campaigns, for which three "
        "servers may not fit",
    )
    add("--short", action="store_true", help="one pair of 2 minutes each, not kept nor judged")
    return top


class Kind(NamedTuple):
    """What the campaigns of a pair have in common."""

    engine: str
    workload: str
    cpu: str
    """Of a server."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit code."""
    args = parser().parse_args(arguments)
    repeats, minutes = (1, 2.0) if args.short else (args.repeats, args.minutes)
    engines, workloads = args.engines.split(","), args.workloads.split(",")
    if unknown := [*{*engines} - {*ENGINES}, *{*workloads} - {*SCRIPTS}]:
        parser().error(f"unknown: {', '.join(unknown)}")
    earlier = kept(args.kept)
    kube = None
    if repeats:
        kube = installation()
        kube.apply(*manifests.parts(), manifests.mode("tls", inTransit={}))
    lines: list[Line] = []
    designs: tuple[Design, ...] = DESIGNS if args.cpu == CPU else ("interleaved",)
    for engine in engines:
        for workload in workloads:
            kind = Kind(engine, workload, args.cpu)
            found = [one for one in earlier if _kind(one) == kind]
            if kube is not None:
                before = _last(kind, [*earlier, *written(RESULTS)])
                wanted = range(before + 1, before + repeats + 1)
                for one in _alternate(kube, kind, designs, wanted, minutes):
                    found.append(one)
                    if not args.short:
                        results.add(RESULTS, asdict(one))
            print(f"\n{workload} on {engine} with {args.cpu} of CPU")
            own = list(_judged(workload, designs, found))
            for text, good in own:
                mark = "  " if good is None else "ok" if good else "NO"
                print(f"  {mark}  {text}", flush=True)
            lines += own
    if not lines:
        print("no campaign had a result")
        return 2
    return 0 if args.short or all(good is not False for _, good in lines) else 1


def _kind(one: Measured) -> Kind:
    return Kind(one.engine, one.workload, one.cpu)


def _last(kind: Kind, known: Sequence[Measured]) -> int:
    """The last number that a pair of that kind has; two pairs of one number could be mixed up."""
    return max((one.repeat for one in known if _kind(one) == kind), default=0)


def _judged(workload: str, designs: Sequence[Design], found: list[Measured]) -> Iterator[Line]:
    """What the campaigns of one workload say; nothing if none had a result."""
    if len(designs) == 1 and found:
        yield from decision(designs[0], found)
    elif both := pairs(found):
        yield f"{len(both)} pairs", None
        yield from summary(workload, both)


def _alternate(
    kube: Kube, kind: Kind, designs: Sequence[Design], repeats: range, minutes: float
) -> Iterator[Measured]:
    """The campaigns of one workload, the order of the two designs changing from pair to pair."""
    for repeat in repeats:
        for design in designs if repeat % 2 else reversed(designs):
            one = _campaign(kube, kind, design, repeat, minutes)
            place = f"{repeat:3} of {repeats[-1]}  {kind.workload} on {kind.engine}"
            print(f"{place}  {_line(design, one)}", flush=True)
            if one is not None:
                yield one


def blocks(design: Design, minutes: float) -> dict[str, Any]:
    """`spec.blocks` of a campaign that takes about that long."""
    seconds = 60 * minutes
    if design == "sequential":
        count = max(3, round(seconds / (ARMS * (WARMUP + WINDOW + DEAD_TIME))))
        return {"min": count, "maxReplacements": count}
    rounds = round((seconds / INTERLEAVED_BLOCKS - WARMUP) / (ARMS * (SLICE + GUARD)))
    turns = {
        "slice": f"{1000 * SLICE:g}ms",
        "settle": f"{1000 * SETTLE:g}ms",
        "rounds": max(4, rounds),
        # The clients of a block and of the next one have room beside the databases.
        "databaseCpu": "Shared",
    }
    return {"min": INTERLEAVED_BLOCKS, "maxReplacements": 2, "interleave": turns}


def _campaign(
    kube: Kube, kind: Kind, design: Design, repeat: int, minutes: float
) -> Measured | None:
    """Run one; None if it failed."""
    engine, workload, cpu = kind
    fields, mode = ENGINES[engine]
    instance = manifests.instance(f"precision-{engine}", **fields)
    instance["spec"]["engine"] = engine
    instance["spec"]["resources"] = {**fields["resources"], "cpu": cpu}
    load = {"concurrency": [THREADS], "warmup": f"{WARMUP:g}s", "duration": f"{WINDOW:g}s"}
    script = {"script": f"oltp_{workload.replace('-', '_')}", "tables": 4, "tableSize": 10_000}
    parts = instance, manifests.workload(f"precision-{workload}", sysbench=script, load=load)
    name = f"precision-{engine}-{workload}-{design}"
    matrix = {
        "instanceRefs": [instance["metadata"]["name"]],
        "modeRefs": [mode],
        "workloadRefs": [f"precision-{workload}"],
    }
    own = {"matrix": [matrix], "blocks": blocks(design, minutes), "seed": repeat}
    every = [*parts, manifests.campaign(name, [mode], **own)]
    report = campaigns.run(kube, name, every, 900 + 120 * minutes)
    if report is None:
        return None
    return measured(report, engine, workload, design, repeat, WARMUP, cpu)


def _line(design: Design, one: Measured | None) -> str:
    if one is None:
        return f"{design:11}  no result"
    shown = ", ".join(f"{name} ±{100 * log.half:.1f} %" for name, log in one.logs.items())
    return f"{design:11}  {one.seconds:4.0f} s, {one.unmeasured:.0%} not measured  {shown}"


if __name__ == "__main__":
    program.run(main)
