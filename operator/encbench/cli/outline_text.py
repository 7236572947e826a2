"""A plan for a terminal and for programs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from encbench.api.campaign import CampaignSpec
from encbench.cli.manifests import Refusal
from encbench.cli.outline import CellOutline, ConditionOutline, Length, Outline
from encbench.cli.progress import clock
from encbench.core.problem import Problem, Reason
from encbench.text.lines import item, paragraph
from encbench.text.words import plural

SHOWN = 12
"""Blocks of a condition whose order is shown."""
_INDENT = "  "


@dataclass(frozen=True)
class Planned:
    """One campaign with its problems."""

    name: str
    namespace: str
    problems: tuple[Problem, ...] = ()
    """Why the operator would set Accepted=False."""
    notes: tuple[Problem, ...] = ()
    """What looks like a mistake, and would not be refused."""
    accepted: bool = False
    """It exists in the cluster and was accepted already."""
    outline: Outline | None = None
    """None if the campaign would be refused."""


@dataclass(frozen=True)
class Answer:
    """Everything that a plan says."""

    refused: tuple[Refusal, ...] = ()
    """Objects that `kubectl apply` would refuse."""
    campaigns: tuple[Planned, ...] = ()
    offline: bool = True
    """No cluster was searched for what the manifests lack."""
    warnings: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        """Nothing would be refused."""
        return not self.refused and not any(planned.problems for planned in self.campaigns)


def text(answer: Answer) -> str:
    """First what would be refused, then each campaign."""
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
                "Only these manifests were searched: add the missing ones with -f, or search the "
                "cluster with --live."
            )
            lines.append(paragraph(note, _INDENT))
        yield "\n".join(lines)
    if planned.notes:
        yield "\n".join(item("note: ", problem.text) for problem in planned.notes)
    found = planned.outline
    if found is not None and not planned.problems:
        yield f"{title}: {'was accepted' if planned.accepted else 'would be accepted'}"
        for number, cell in enumerate(found.cells, 1):
            yield f"cell {number} of {len(found.cells)}: {_cell(found.spec, cell)}"
        yield _time(found)
        for cell in found.cells:
            for condition in cell.conditions:
                yield _order(found.spec, cell, condition)


def _cell(spec: CampaignSpec, outline: CellOutline) -> str:
    cell, (least, most) = outline.cell, outline.sets
    conditions = "; ".join(_named(c) for c in outline.conditions)
    dataset = f"that of {cell.dataset_workload}, loaded " + (
        "once for all arms" if outline.shared else "once into each database"
    )
    if spec.reset != "none":
        dataset += f", restored before each {spec.reset}"
    lines = [
        f"{cell.name} on {cell.instance_ref}",
        f"{_INDENT}arms        "
        + ", ".join(
            f"{arm.name} (A′, the baseline again)" if arm.role == "control" else arm.name
            for arm in cell.arms
        ),
        item(f"{_INDENT}conditions  ", conditions),
        f"{_INDENT}dataset     {dataset}",
    ]
    if most > 1:
        count = f"{least}" if least == most else f"{least} to {most}"
        lines.append(f"{_INDENT}testbeds    {count} sets, each built, loaded and proven anew")
    return "\n".join(
        [
            *lines,
            f"{_INDENT}at once     {outline.databases} for databases, {outline.clients} for "
            "clients;",
            f"{_INDENT}            agents, recorders and the chart's own pods come on top",
        ]
    )


def _named(outline: ConditionOutline) -> str:
    condition = outline.condition
    return f"{condition.workload_ref} at {plural(condition.concurrency, 'thread')}"


def _time(found: Outline) -> str:
    least, spec = found.least, found.spec
    lines = ["trials and time (one trial runs at a time)"]
    if least == found.most:
        lines.append(_length("planned", least, _blocks(found)))
    else:
        lines.append(_length("at least", least, _blocks(found)))
        lines.append(_length("at most", found.most, f"up to {spec.blocks.max} blocks a condition"))
    if spare := spec.blocks.max_replacements:
        why = f"with all {plural(spare, 'replacement block')} a condition"
        lines.append(_length("replaced", found.replaced, why))
    share = least.measured / least.total if least.total else 0.0
    words = (
        f"Of that {clock(least.measured)} are measured ({100 * share:.0f} %), "
        f"{clock(least.warmup)} warm-up, {clock(least.dead)} between trials: "
        f"{found.pace.source}. Not counted: {'; '.join(_uncounted(spec))}."
    )
    return "\n".join([*lines, paragraph(words, _INDENT)])


def _uncounted(spec: CampaignSpec) -> Iterable[str]:
    """What else takes time, of unknown length."""
    yield "starting, loading and proving the databases, which depends on dataset and storage"
    if spec.reset != "none":
        yield f"restoring the data before each {spec.reset}"
    if spec.cache == "Cold":
        yield "restarting the server before each trial"
    if spec.residency == "OnDemand":
        yield "starting and stopping each database for its trials"


def _blocks(found: Outline) -> str:
    """Where the number of blocks comes from, in words."""
    spec = found.spec
    if all(condition.fixed for cell in found.cells for condition in cell.conditions):
        return "blocks as the pilots have fixed them"
    count = f"{plural(spec.blocks.min, 'block')} a condition"
    if spec.precision is None:
        return count
    return f"{count}: the pilot, to reach ±{100 * spec.precision.target_half_width:g} %"


def _length(name: str, found: Length, why: str) -> str:
    trials = plural(found.trials, "trial")
    return f"{_INDENT}{name:<12}{trials:>12}{clock(found.total):>12}   {why}"


def _order(spec: CampaignSpec, cell: CellOutline, outline: ConditionOutline) -> str:
    lines = [f"order of {_named(outline)} on {cell.cell.instance_ref} (seed {spec.seed})"]
    for block in outline.blocks[:SHOWN]:
        trials = "  ".join(
            f"{n} {arm.name}{'' if arm == seat else '*'}"
            for n, (arm, seat) in enumerate(block.places, 1)
        )
        mark = f"set {block.generation:<3} " if block.generation > 1 else ""
        lines.append(f"{_INDENT}block {block.number:<4}{mark}{trials}")
    if outline.least > SHOWN:
        lines.append(f"{_INDENT}and so on to block {outline.least}; --output json has all")
    if outline.most > outline.least:
        lines.append(f"{_INDENT}up to block {outline.most}, as the pilot decides")
    if outline.fixed:
        lines.append(f"{_INDENT}the pilot has fixed {plural(outline.least, 'block')}")
    if any(arm != seat for block in outline.blocks for arm, seat in block.places):
        lines.append(f"{_INDENT}* baseline and A′ have swapped testbeds")
    return "\n".join(lines)


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
                "notes": [problem.text for problem in planned.notes],
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
        "order": [
            {
                "block": block.number,
                "set": block.generation,
                "trials": [{"arm": arm.name, "testbedOf": seat.name} for arm, seat in block.places],
            }
            for block in found.blocks
        ],
    }
