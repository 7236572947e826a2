"""A plan for a terminal and for programs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from encbench.api.campaign import CampaignSpec, Reset
from encbench.cli.manifests import Refusal
from encbench.cli.outline import BlockOutline, CellOutline, ConditionOutline, Duration, Outline
from encbench.core.problem import Problem, Reason
from encbench.text.lines import item, paragraph
from encbench.text.words import plural

SHOWN = 12
"""Blocks of a condition whose order is shown."""
_INDENT = "  "


@dataclass(frozen=True)
class Planned:
    """One campaign with what would be said against it."""

    name: str
    namespace: str
    problems: tuple[Problem, ...] = ()
    """What the operator would answer with Accepted=False."""
    accepted: bool = False
    """It stands in the cluster and was accepted already."""
    outline: Outline | None = None
    """None where it would be refused."""


@dataclass(frozen=True)
class Answer:
    """Everything that a plan says."""

    refused: tuple[Refusal, ...] = ()
    """Objects that `kubectl apply` would refuse."""
    campaigns: tuple[Planned, ...] = ()
    offline: bool = True
    """What the manifests lack was not looked for in a cluster."""
    warnings: tuple[str, ...] = field(default=())

    @property
    def is_good(self) -> bool:
        """Nothing would be refused."""
        return not self.refused and not any(planned.problems for planned in self.campaigns)


def text(answer: Answer) -> str:
    """What would be refused first, then each campaign."""
    parts = []
    if answer.refused:
        lines = ["kubectl apply would refuse:"]
        for refusal in answer.refused:
            lines.append(f"{_INDENT}{refusal.kind} {refusal.name} ({refusal.source})")
            lines += [item("    - ", problem) for problem in refusal.problems]
        parts.append("\n".join(lines))
    parts += [part for planned in answer.campaigns for part in _campaign(planned, answer)]
    parts += [paragraph(warning) for warning in answer.warnings]
    return "\n\n".join(parts) + "\n"


def _campaign(planned: Planned, answer: Answer) -> Iterable[str]:
    title = f"campaign {planned.name} in namespace {planned.namespace}"
    if planned.problems:
        lines = [f"{title}: would be refused"]
        lines += [item("  - ", problem.text) for problem in planned.problems]
        if answer.offline and any(p.reason is Reason.NOT_FOUND for p in planned.problems):
            note = (
                "Names were looked for among the manifests only: give the rest with -f too, or "
                "look in the cluster with --live."
            )
            lines.append(paragraph(note, _INDENT))
        yield "\n".join(lines)
        return
    found = planned.outline
    if found is None:
        return
    yield f"{title}: {'was accepted' if planned.accepted else 'would be accepted'}"
    for number, cell in enumerate(found.cells, 1):
        yield _cell(found.spec, cell, number, len(found.cells))
    yield _time(found)
    for cell in found.cells:
        for condition in cell.conditions:
            yield _order(found, cell, condition)


def _cell(spec: CampaignSpec, outline: CellOutline, number: int, of: int) -> str:
    cell = outline.cell
    arms = ", ".join(
        f"{arm.name} (A′, the baseline again)" if arm.role == "control" else arm.name
        for arm in cell.arms
    )
    least, most = outline.sets
    sets = ""
    if most > 1:
        count = f"{least}" if least == most else f"{least} to {most}"
        sets = f"{_INDENT}testbeds    {count} sets, each built, loaded and proven anew\n"
    conditions = "; ".join(
        f"{c.condition.workload_ref} at {plural(c.condition.concurrency, 'thread')}"
        for c in outline.conditions
    )
    loaded = "once for all arms" if outline.shared else "once into each database"
    return (
        f"cell {number} of {of}: {cell.name} on {cell.instance_ref}\n"
        f"{_INDENT}arms        {arms}\n"
        f"{item(f'{_INDENT}conditions  ', conditions)}\n"
        f"{_INDENT}dataset     that of {cell.dataset_workload}, loaded {loaded}"
        f"{_RESETS[spec.reset]}\n"
        f"{sets}"
        f"{_INDENT}at a time   {outline.databases} for databases, {outline.clients} for clients;\n"
        f"{_INDENT}            agent, recorder and the chart's own come on top"
    )


_RESETS: dict[Reset, str] = {
    "none": "",
    "block": ", restored before each block",
    "trial": ", restored before each trial",
}


def _time(found: Outline) -> str:
    least, most, replaced = found.least, found.most, found.replaced
    lines = ["trials and time (one trial runs at a time)"]
    if least == most:
        lines.append(_duration("planned", least, blocks(found)))
    else:
        lines.append(_duration("at least", least, blocks(found)))
        cap = f"up to {found.spec.blocks.max} blocks a condition"
        lines.append(_duration("at most", most, cap))
    spare = found.spec.blocks.max_replacements
    if spare:
        why = f"with all {plural(spare, 'replacement block')} a condition"
        lines.append(_duration("replaced", replaced, why))
    share = least.measured / least.total if least.total else 0.0
    lines.append(
        paragraph(
            f"Of that {clock(least.measured)} are measured ({100 * share:.0f} %), "
            f"{clock(least.warmup)} warm-up, {clock(least.dead)} between trials: "
            f"{found.pace.source}. Starting, loading and proving the databases come before and "
            "depend on the dataset and the storage; they are not counted here"
            f"{_uncounted(found.spec)}.",
            _INDENT,
        )
    )
    return "\n".join(lines)


def _uncounted(spec: CampaignSpec) -> str:
    """What else takes time, not measured yet."""
    parts = []
    if spec.reset != "none":
        parts.append(f"restoring the data before each {spec.reset}")
    if spec.cache == "Cold":
        parts.append("starting the server anew before each trial")
    if spec.residency == "OnDemand":
        parts.append("starting and stopping each database for its trials")
    return f", and neither is {' or '.join(parts)}" if parts else ""


def blocks(found: Outline) -> str:
    """Where the number of blocks comes from, in words."""
    spec = found.spec
    if all(c.fixed is not None for cell in found.cells for c in cell.conditions):
        return "blocks as the pilots have fixed them"
    count = f"{plural(spec.blocks.min, 'block')} a condition"
    if spec.precision is None:
        return count
    target = f"±{100 * spec.precision.target_half_width:g} %"
    return f"{count}: the pilot, to be sure of {target}"


def _duration(name: str, found: Duration, why: str) -> str:
    trials = plural(found.trials, "trial")
    return f"{_INDENT}{name:<12}{trials:>12}{clock(found.total):>12}   {why}"


def _order(found: Outline, cell: CellOutline, outline: ConditionOutline) -> str:
    condition = outline.condition
    lines = [
        f"order of {condition.workload_ref} at {plural(condition.concurrency, 'thread')} on "
        f"{cell.cell.instance_ref} (seed {found.spec.seed})"
    ]
    for block in outline.blocks[:SHOWN]:
        trials = "  ".join(
            f"{n} {place.arm.name}{_seat(place.arm.name, place.seat.name)}"
            for n, place in enumerate(block.places, 1)
        )
        lines.append(f"{_INDENT}block {block.number:<4}{_mark(block)}{trials}")
    if len(outline.blocks) > SHOWN:
        lines.append(f"{_INDENT}and so on to block {outline.least}; --output json has all")
    if outline.most > outline.least:
        lines.append(f"{_INDENT}up to block {outline.most} as the pilot says")
    if outline.fixed is not None:
        lines.append(
            f"{_INDENT}the pilot has fixed {plural(outline.fixed.planned_blocks, 'block')}"
        )
    if any(place.seat != place.arm for block in outline.blocks for place in block.places):
        lines.append(f"{_INDENT}* on the other's testbed: baseline and A′ take turns on theirs")
    return "\n".join(lines)


def _seat(arm: str, seat: str) -> str:
    return "" if arm == seat else "*"


def _mark(block: BlockOutline) -> str:
    return f"set {block.generation:<3} " if block.generation > 1 else ""


def clock(seconds: float) -> str:
    """`2:31` or `1:02:31`."""
    hours, rest = divmod(round(seconds), 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes}:{left:02d}"


def document(answer: Answer) -> dict[str, Any]:
    """The same for programs."""
    return {
        "schema": "encbench.io/plan/v1",
        "refused": [
            {"kind": r.kind, "name": r.name, "source": r.source, "problems": list(r.problems)}
            for r in answer.refused
        ],
        "campaigns": [
            {
                "name": planned.name,
                "namespace": planned.namespace,
                "problems": [problem.text for problem in planned.problems],
                **(_outline(planned.outline) if planned.outline else {}),
            }
            for planned in answer.campaigns
        ],
        "warnings": list(answer.warnings),
    }


def _outline(found: Outline) -> dict[str, Any]:
    return {
        "seed": found.spec.seed,
        "time": {
            "leastSeconds": found.least.total,
            "mostSeconds": found.most.total,
            "withAllReplacementsSeconds": found.replaced.total,
            "measuredSeconds": found.least.measured,
            "warmupSeconds": found.least.warmup,
            "betweenTrialsSeconds": found.least.dead,
            "source": found.pace.source,
        },
        "trials": {
            "least": found.least.trials,
            "most": found.most.trials,
            "withAllReplacements": found.replaced.trials,
        },
        "cells": [
            {
                "name": cell.cell.name,
                "instance": cell.cell.instance_ref,
                "arms": [arm.to_dict() for arm in cell.cell.arms],
                "testbedSets": {"least": cell.sets[0], "most": cell.sets[1]},
                "conditions": [_condition(condition) for condition in cell.conditions],
            }
            for cell in found.cells
        ],
    }


def _condition(found: ConditionOutline) -> dict[str, Any]:
    return {
        "workload": found.condition.workload_ref,
        "concurrency": found.condition.concurrency,
        "blocks": {"least": found.least, "most": found.most},
        "order": [_arms(block) for block in found.blocks],
    }


def _arms(block: BlockOutline) -> dict[str, Any]:
    places: Sequence[dict[str, str]] = [
        {"arm": place.arm.name, "testbedOf": place.seat.name} for place in block.places
    ]
    return {"block": block.number, "set": block.generation, "trials": places}
