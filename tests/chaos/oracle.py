"""What must hold after a campaign, whatever was broken while it ran.

Everything here is pure: :mod:`.evidence` gathers, and `judge` returns a sentence for each
violation. The formulas are written down again; nothing of the operator's code is used.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isclose
from typing import Any

from tests.e2e.campaigns import conditions
from tests.e2e.readings import geometric

Body = dict[str, Any]
OUTCOMES = ("Succeeded", "Invalid", "Failed")
EXACT = ("instance", "workload", "concurrency", "arm", "role", "blocks", "plannedBlocks", "figure")
"""Fields of a row that the plan decides."""
FIGURES = ("tps", "qps", "latencyAverageMs", "latencyP95Ms")
"""Fields of a row that come from the tools' logs alone; others may be withheld."""


@dataclass(frozen=True)
class Evidence:
    """What was found of a campaign that is over."""

    campaign: Body
    trials: list[Body]
    report: Body
    """The OverheadReport's status."""
    index: Body
    """`report/index.json`; its digest was checked."""
    unresolved: list[str] = field(default_factory=list)
    """Objects that the report names and the bucket lacks, or has with another digest."""
    tps: Mapping[str, float] = field(default_factory=dict)
    """TPS by the name of the trial, from its tool's own log."""


def judge(found: Evidence, undisturbed: Evidence | None = None) -> list[str]:
    """What does not hold of a campaign; compared with one of the same plan that nothing hit."""
    ended = list(_ended(found))
    if ended:
        return [*ended, *_counted(found), *_keys(found)]
    return [
        *_counted(found),
        *_keys(found),
        *(f"unresolved: {one}" for one in found.unresolved),
        *_indexed(found),
        *_blocks(found),
        *_figures(found),
        *(_like(found, undisturbed) if undisturbed else ()),
    ]


def replaced(found: Evidence) -> int:
    """How many trials did not count."""
    return sum(_status(trial).get("outcome") != "Succeeded" for trial in found.trials)


def _ended(found: Evidence) -> Iterator[str]:
    facts = conditions(found.campaign)
    if facts.get("Complete", {}).get("status") == "True":
        return
    failed = facts.get("Failed", {})
    if failed.get("status") == "True":
        yield f"the campaign failed: {failed['reason']}: {failed['message']}"
    else:
        yield f"the campaign did not end: {_status(found.campaign).get('step')}"


def _counted(found: Evidence) -> Iterator[str]:
    """Trials = valid + invalid + failed, by the trials, the campaign and the report."""
    outcomes = Counter(_status(trial).get("outcome") for trial in found.trials)
    for trial in found.trials:
        if _status(trial).get("outcome") not in OUTCOMES:
            yield f"trial {_name(trial)} has no outcome"
    progress = _status(found.campaign).get("progress", {})
    for outcome in OUTCOMES:
        told = progress.get(outcome.lower(), 0)
        if told != outcomes[outcome]:
            yield f"the campaign counts {told} {outcome} trials, and there are {outcomes[outcome]}"
    if not found.report:
        return
    reasons = Counter(
        _status(trial).get("reason")
        for trial in found.trials
        if _status(trial).get("outcome") in ("Invalid", "Failed")
    )
    told = {entry["reason"]: entry["count"] for entry in found.report.get("invalid", [])}
    if told != dict(reasons):
        yield f"the report counts {told}, and the trials say {dict(reasons)}"


def _keys(found: Evidence) -> Iterator[str]:
    """One record a trial, and one trial a place."""
    keys = [_status(trial).get("artefactKey") for trial in found.trials]
    for key, count in Counter(key for key in keys if key).items():
        if count > 1:
            yield f"{count} trials have the key {key}"
    places = Counter(_place(trial) for trial in found.trials)
    for place, count in places.items():
        if count > 1:
            yield f"{count} trials are at {place}"


def _indexed(found: Evidence) -> Iterator[str]:
    """The index has every trial once, as the trial itself says."""
    entries = found.index.get("trials", [])
    for name, count in Counter(entry["name"] for entry in entries).items():
        if count > 1:
            yield f"the index has trial {name} {count} times"
    told = {entry["name"]: entry for entry in entries}
    trials = {_name(trial): _status(trial) for trial in found.trials}
    for name in sorted(told.keys() ^ trials.keys()):
        yield f"trial {name} is in the index or in the cluster, but not in both"
    for name in sorted(told.keys() & trials.keys()):
        entry, status = told[name], trials[name]
        pairs = {
            "outcome": (entry.get("outcome"), status.get("outcome")),
            "key": (entry.get("key"), status.get("artefactKey")),
            "digest": (entry.get("digest"), status.get("artefactDigest")),
        }
        for what, (in_index, in_status) in pairs.items():
            if in_index != in_status:
                yield f"{what} of {name} is {in_index} in the index and {in_status} in its status"
        if entry.get("outcome") == "Succeeded" and not entry.get("key"):
            yield f"the valid trial {name} has no record"


def _blocks(found: Evidence) -> Iterator[str]:
    """As many valid blocks as planned, and one block more for each that broke."""
    wanted = found.campaign["spec"]["blocks"]["min"]
    blocks = _by_block(found)
    arms = {trial["spec"]["arm"]["name"] for trial in found.trials}
    valid = [n for n, own in blocks.items() if _is_valid(own, arms)]
    if len(valid) != wanted:
        yield f"{len(valid)} blocks are valid, and {wanted} were planned"
    if sorted(blocks) != list(range(1, len(blocks) + 1)):
        yield f"there are blocks {sorted(blocks)}"
    for row in found.report.get("rows", []):
        if row.get("blocks") != wanted:
            yield f"the row of {row.get('arm')} is of {row.get('blocks')} blocks, not {wanted}"


def _figures(found: Evidence) -> Iterator[str]:
    """The report's TPS are those of the valid blocks' logs, and of no others."""
    arms = {trial["spec"]["arm"]["name"] for trial in found.trials}
    valid = {n for n, own in _by_block(found).items() if _is_valid(own, arms)}
    baseline = [row["arm"] for row in found.report.get("rows", []) if row["role"] == "control"]
    for row in found.report.get("rows", []):
        own = {row["arm"], *(baseline if row["role"] == "baseline" else ())}
        names = [
            _name(trial)
            for trial in found.trials
            if trial["spec"]["arm"]["name"] in own and trial["spec"]["block"] in valid
        ]
        lacking = [name for name in names if name not in found.tps]
        if lacking or not names:
            yield f"the row of {row['arm']} rests on trials without a log: {lacking}"
            continue
        again = geometric([found.tps[name] for name in names])
        if "tps" not in row or not isclose(row["tps"], again, rel_tol=0.01):
            yield f"the TPS of {row['arm']} are {row.get('tps')}, and {again:.2f} by the logs"


def _like(found: Evidence, undisturbed: Evidence) -> Iterator[str]:
    """The same rows with the same fields, and the same plan where both have a block."""
    rows, before = (_rows(one) for one in (found, undisturbed))
    for arm in sorted(rows.keys() ^ before.keys()):
        yield f"the row of {arm} is in one report, but not in both"
    for arm in sorted(rows.keys() & before.keys()):
        for name in EXACT:
            here, there = rows[arm].get(name), before[arm].get(name)
            if here != there:
                yield f"{name} of {arm} is {here}, and {there} when nothing is disturbed"
        for name in FIGURES:
            if (name in rows[arm]) != (name in before[arm]):
                yield f"{name} of {arm} is in one report, but not in both"
    plan, planned = (_plan(one) for one in (found, undisturbed))
    for place in sorted(plan.keys() & planned.keys()):
        if plan[place] != planned[place]:
            yield f"at {place} ran {plan[place]}, and {planned[place]} when nothing is disturbed"
    hashes = {_status(one.campaign).get("resolved", {}).get("hash") for one in (found, undisturbed)}
    if len(hashes) != 1:
        yield "the frozen specs differ"


def _rows(found: Evidence) -> dict[str, Body]:
    return {row["arm"]: row for row in found.report.get("rows", [])}


def _plan(found: Evidence) -> dict[tuple[int, int], tuple[str, int]]:
    """Arm and seed by block and order."""
    specs = [trial["spec"] for trial in found.trials]
    return {(s["block"], s["order"]): (s["arm"]["name"], s["seed"]) for s in specs}


def _by_block(found: Evidence) -> dict[int, list[Body]]:
    blocks: dict[int, list[Body]] = {}
    for trial in found.trials:
        blocks.setdefault(trial["spec"]["block"], []).append(trial)
    return blocks


def _is_valid(block: list[Body], arms: set[str]) -> bool:
    done = {t["spec"]["arm"]["name"] for t in block if _status(t).get("outcome") == "Succeeded"}
    return done == arms


def _place(trial: Body) -> tuple[int, str]:
    return trial["spec"]["block"], trial["spec"]["arm"]["name"]


def _name(trial: Body) -> str:
    name: str = trial["metadata"]["name"]
    return name


def _status(body: Body) -> Body:
    status: Body = body.get("status") or {}
    return status
