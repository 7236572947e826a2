"""A plan for a terminal and for programs."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from encbench.api.campaign import CampaignSpec
from encbench.cli.manifests import Refusal
from encbench.cli.outline import CellOutline, ConditionOutline, Outline
from encbench.cli.progress import clock
from encbench.core.columns.enclave import SIMULATION
from encbench.core.problem import Problem, Reason
from encbench.kube.nodes import PodRequest
from encbench.reconcile.campaign.precision import fewest
from encbench.reconcile.campaign.room import CellRoom
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
    standing: str = "would be accepted"
    """How it stands where no problem is known."""
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
        yield f"{title}: {planned.standing}"
        for number, cell in enumerate(found.cells, 1):
            yield f"cell {number} of {len(found.cells)}: {_cell(found.spec, cell)}"
        yield _time(found)
        for cell in found.cells:
            for condition in cell.conditions:
                yield _order(found.spec, cell, condition)


def _cell(spec: CampaignSpec, cell: CellOutline) -> str:
    arms = ", ".join(
        f"{arm.name} (A′, the baseline again)" if arm.role == "control" else arm.name
        for arm in cell.arms
    )
    loaded = "once for all arms" if cell.shared else "once into each database"
    reset = "" if spec.reset == "none" else f", restored before each {spec.reset}"
    least, most = cell.testbed_sets.least, cell.testbed_sets.most
    lines = [
        f"{cell.name} on {cell.instance}",
        f"{_INDENT}arms        {arms}",
        *(
            [f"{_INDENT}            {', '.join(cell.simulated)}: {SIMULATION}"]
            if cell.simulated
            else []
        ),
        item(f"{_INDENT}conditions  ", "; ".join(map(_named, cell.conditions))),
        f"{_INDENT}dataset     that of {cell.cell.dataset_workload}, loaded {loaded}{reset}",
    ]
    if most > 1:
        count = f"{least}" if least == most else f"{least} to {most}"
        lines.append(f"{_INDENT}testbeds    {count} sets, each built, loaded and proven anew")
    lines += [
        f"{_INDENT}at once     {cell.databases} for databases, {cell.clients} for clients",
        *_room(cell.room, together=spec.allow_colocation),
    ]
    return "\n".join(lines)


def _room(room: CellRoom, *, together: bool) -> Iterable[str]:
    """The nodes and the disk, with agents, recorders and proxies; the chart's pods come on top."""
    pods = [("database", room.databases), ("client", room.clients)]
    if together:
        everything = PodRequest(room.together_millicores, room.together_bytes)
        yield f"{_INDENT}node        one may hold all: {everything.words}"
    else:
        title = "nodes"
        for name, own in pods:
            if own is not None:
                yield (
                    f"{_INDENT}{title:<12}{own.count} × {own.node_cores} cores and "
                    f"{own.node_gibibytes} GiB or more, each for a {name} of "
                    f"{PodRequest(own.millicores, own.bytes).words}"
                )
                title = ""
    if room.loads is not None:
        own = room.loads
        words = (
            f"{own.count} × {PodRequest(own.millicores, own.bytes).words} beside the databases, or "
            "one after another where there is no room for all"
        )
        yield item(f"{_INDENT}loads       ", words)
    if room.volumes:
        yield f"{_INDENT}disk        {room.volumes} × {room.volume_size}"


def _named(condition: ConditionOutline) -> str:
    return f"{condition.workload} at {plural(condition.concurrency, 'thread')}"


def _time(found: Outline) -> str:
    time, trials, spec = found.time, found.trials, found.spec
    how = "one trial runs at a time"
    if spec.blocks.interleave is not None:
        how = "all arms of a block at once, in turns"
    if spec.parallelism > 1:
        how = f"{spec.parallelism} cells side by side, if there are nodes for each of them"
    lines = [f"trials and time ({how})"]
    name = "planned" if trials.least == trials.most else "at least"
    lines.append(_row(name, trials.least, time.least_seconds, _blocks(found)))
    if trials.least != trials.most:
        why = f"up to {spec.blocks.max} blocks{_solo(spec)} a condition"
        lines.append(_row("at most", trials.most, time.most_seconds, why))
    if spare := spec.blocks.max_replacements:
        why = f"with all {plural(spare, 'replacement block')} a condition"
        count, seconds = trials.with_all_replacements, time.with_all_replacements_seconds
        lines.append(_row("replaced", count, seconds, why))
    whole = time.in_a_row_seconds
    share = time.measured_seconds / whole if whole else 0.0
    of_that = "Of that" if spec.parallelism == 1 else f"Of {clock(whole)} in a row"
    gaps = "between trials" if spec.blocks.interleave is None else "between trials and slices"
    words = (
        f"{of_that} {clock(time.measured_seconds)} are measured ({100 * share:.0f} %), "
        f"{clock(time.warmup_seconds)} warm-up, {clock(time.between_trials_seconds)} {gaps}: "
        f"{time.source}. Not counted: {'; '.join(_uncounted(found))}."
    )
    return "\n".join([*lines, paragraph(words, _INDENT)])


def _row(name: str, trials: int, seconds: float, why: str) -> str:
    return f"{_INDENT}{name:<12}{plural(trials, 'trial'):>12}{clock(seconds):>12}   {why}"


def _uncounted(found: Outline) -> Iterable[str]:
    """What else takes time, of unknown length."""
    spec = found.spec
    yield "starting, loading and proving the databases, which depends on dataset and storage"
    if not found.time.assumed:
        return  # the campaign's own pace has the rest
    if spec.reset != "none":
        yield f"restoring the data before each {spec.reset}"
    if spec.cache == "Cold":
        yield "restarting the server before each trial"
    if spec.residency == "OnDemand":
        yield "starting and stopping each database for its trials"
    if any(cell.checked for cell in found.cells):
        yield "TPC-C's consistency queries after each trial, minutes at a thousand warehouses"


def _blocks(found: Outline) -> str:
    """Where the number of blocks comes from, in words."""
    spec = found.spec
    if all(condition.fixed for cell in found.cells for condition in cell.conditions):
        return f"blocks as the pilots have fixed them{_solo(spec)}"
    count = f"{plural(spec.blocks.min, 'block')}{_solo(spec)} a condition"
    if spec.precision is None:
        return count
    target = f"±{100 * spec.precision.target_half_width:g} % of the ratio to the baseline"
    least = fewest(spec)
    more = f", and {least} in all at least" if least > spec.blocks.min else ""
    return f"{count}: the pilot, to reach {target}{more}"


def _solo(spec: CampaignSpec) -> str:
    """The sequential blocks beside interleaved ones, in words."""
    return f" and {plural(spec.blocks.solo, 'solo block')}" if spec.blocks.solo else ""


def _order(spec: CampaignSpec, cell: CellOutline, condition: ConditionOutline) -> str:
    in_turns = spec.blocks.interleave is not None
    what = "blocks" if in_turns else "order"
    lines = [f"{what} of {_named(condition)} on {cell.instance} (seed {spec.seed})"]
    for block in condition.order[:SHOWN]:
        trials = "  ".join(
            f"{'' if in_turns else f'{n} '}{trial.arm}"
            f"{'' if trial.arm == trial.testbed_of else '*'}"
            for n, trial in enumerate(block.trials, 1)
        )
        mark = f"set {block.set:<3} " if block.set > 1 else ""
        lines.append(f"{_INDENT}block {block.block:<4}{mark}{trials}")
    least, most = condition.blocks.least, condition.blocks.most
    if least > SHOWN:
        lines.append(f"{_INDENT}and so on to block {least}; --output json has all")
    if most > least:
        lines.append(f"{_INDENT}up to block {most}, as the pilot decides")
    if condition.fixed:
        lines.append(f"{_INDENT}the pilot has fixed {plural(least, 'block')}")
    if spec.blocks.solo:
        solo = plural(spec.blocks.solo, "solo block")
        lines.append(f"{_INDENT}and {solo}, one trial after the other")
    if any(it.arm != it.testbed_of for block in condition.order for it in block.trials):
        lines.append(f"{_INDENT}* baseline and A′ have swapped testbeds")
    return "\n".join(lines)


def document(answer: Answer) -> dict[str, Any]:
    """The same for programs."""
    return {
        "schema": "encbench.io/plan/v1",
        "refused": [asdict(refusal) for refusal in answer.refused],
        "campaigns": [
            {
                "name": planned.name,
                "namespace": planned.namespace,
                "problems": [problem.text for problem in planned.problems],
                "notes": [problem.text for problem in planned.notes],
                **(planned.outline.to_dict() if planned.outline else {}),
            }
            for planned in answer.campaigns
        ],
        "warnings": list(answer.warnings),
    }
