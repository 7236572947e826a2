"""What makes figures of two reports comparable: the specs behind equal names, and the machine.

`compare` lists what differs, `compare --fail-above` refuses it, and `history` keeps it apart.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from encbench.api.overheadreport import Interval, Row
from encbench.core.naming import script_name
from encbench.kube.machines import MEMORY_SLACK
from encbench.report.document import MEMORY, PLACES, UPKEEP, ZONE, Report
from encbench.report.document.group import Group
from encbench.report.figures import JudgedFigure
from encbench.text.words import plural

MEASURED, MACHINE = "what was measured", "what it ran on"
"""The topics that make reports unlike."""
MADE = "what it was made with"
"""Images, settings and versions: they are often what changed."""
ABSENT, NOT_RECORDED = "(absent)", "(not recorded)"
_MADE = (
    *("image", "imagePullPolicy", "imagePullSecrets", "version"),
    *("client.image", "client.imagePullPolicy", "client.imagePullSecrets"),
    "tpcc.benchmarksql.loadImage",
)
"""Paths of specs with that topic, besides an instance's settings."""
_MATCHED = "load.concurrency"
"""The list of a workload, each value of which is a condition of its own."""
_MACHINE = (
    *("Database node", "Client node", "Kernel", "Client's kernel", "CPU", "Client's CPU"),
    *("CPU flags for ciphers", "CPU governor", "Allocatable CPU", MEMORY, "Instance type", ZONE),
    "Container runtime",
)
_ROUNDED = 0.11
"""GiB by which two sizes that are shown with one decimal may seem further apart than they are."""
Configuration = dict[tuple[str, str], str]
"""Values by topic and name."""
_KINDS = (("Instance", "instances"), ("Mode", "modes"), ("Workload", "workloads"))


@dataclass(frozen=True)
class MatchKey:
    """What conditions of different reports are matched by."""

    instance: str
    workload: str
    concurrency: int
    arm: str

    @property
    def name(self) -> str:
        """In words."""
        threads = plural(self.concurrency, "thread")
        return f"{self.arm}, {self.workload} at {threads} on {self.instance}"


@dataclass(frozen=True)
class Difference:
    """One fact that is not the same in both."""

    topic: str
    """What was measured, what it ran on, what it was made with, or how it was measured."""
    name: str
    a: str
    b: str


def unequal(
    topic: str,
    names: Iterable[str],
    a: Mapping[str, str],
    b: Mapping[str, str],
    *,
    of: str = "",
    absent: str = ABSENT,
) -> Iterable[Difference]:
    """Every name whose values differ."""
    for name in names:
        one, other = a.get(name, absent), b.get(name, absent)
        if one != other:
            yield Difference(topic, f"{of}{name}", one, other)


def decides(found: Difference) -> bool:
    """Whether it makes reports unlike.

    What only one of them recorded does not: each version of encbench records more.
    """
    told = NOT_RECORDED not in (found.a, found.b) and not alike(found.name, found.a, found.b)
    return told and found.topic in (MEASURED, MACHINE)


def alike(name: str, one: str, other: str) -> bool:
    """Whether a fact with these values leaves two machines alike."""
    if name in (*PLACES, ZONE, *UPKEEP) or one == other:
        return True
    if name != MEMORY:
        return False
    sizes = [[float(size) for size in re.findall(r"(\d+\.\d+) GiB", it)] for it in (one, other)]
    if not all(sizes):
        return False
    return all(
        any(abs(a - b) <= MEMORY_SLACK * max(a, b) + _ROUNDED for b in theirs)
        for own, theirs in (sizes, reversed(sizes))
        for a in own
    )


def overhead(group: Group, row: Row, figure: JudgedFigure) -> Interval | None:
    """The overhead of a row, where it means what it means today.

    Early reports took the server's CPU per transaction without that of its proxy.
    """
    of_server = any(
        it.proxy_cpu_ms_per_transaction is not None
        and it.database_side_cpu_ms_per_transaction is None
        for it in (row, group.row(group.baseline.name))
    )
    if of_server and figure.key == "cpuPerTransaction":
        return None
    found: Interval | None = getattr(row, figure.overhead)
    return found


def facts(report: Report, conditions: Sequence[MatchKey]) -> tuple[dict[str, str], dict[str, str]]:
    """What the conditions ran on, and what the report was made with, by name."""
    origin = report.provenance
    own = _machines(report, conditions)
    found = origin.by_name | own
    # They are what all machines of the campaign have in common.
    if origin.cpu_flags and own.get("CPU") == origin.by_name.get("CPU"):
        found["CPU flags for ciphers"] = " ".join(origin.cpu_flags)
    if report.operator_version:
        found["encbench"] = report.operator_version
    machine = {name: value for name, value in found.items() if name in _MACHINE and value}
    return machine, {name: value for name, value in found.items() if name not in _MACHINE}


def _machines(report: Report, conditions: Sequence[MatchKey]) -> dict[str, str]:
    """Facts about the machines of the conditions; empty where none of theirs is known."""
    return {
        fact.name: ", ".join(
            sorted(
                it.value
                for it in fact.values
                if not it.where or any(_concerns(report, conditions, place) for place in it.where)
            )
        )
        for fact in report.provenance.facts
        if fact.name in _MACHINE
    }


def _concerns(report: Report, conditions: Sequence[MatchKey], place: str) -> bool:
    """Whether a place may be of the conditions: not if it is another instance's or treatment's."""
    instance, _, arm = place.partition("/")
    if instance not in report.resolved.instances or not conditions:
        return True
    treated = any(it.name == arm for it in report.treatments)
    return any(it.instance == instance and (it.arm == arm or not treated) for it in conditions)


def specs(report: Report, conditions: Iterable[MatchKey]) -> dict[str, dict[str, str]]:
    """The leaves of each spec that the conditions name: `Instance small` → `resources.cpu` → 4."""
    refs = {arm.name: arm.mode_ref for arm in report.treatments}
    named = list(conditions)
    names = {
        "instances": [it.instance for it in named],
        "modes": [report.spec.baseline_mode_ref, *(refs.get(it.arm, it.arm) for it in named)],
        "workloads": [it.workload for it in named],
    }
    found: dict[str, dict[str, str]] = {}
    for kind, field in _KINDS:
        resolved = getattr(report.resolved, field)
        for name in names[field]:
            if name in resolved:
                leaves = flat(resolved[name].to_dict())
                found[f"{kind} {name}"] = {k: v for k, v in leaves.items() if k != _MATCHED}
    for name in dict.fromkeys(names["workloads"]):
        if name in report.resolved.scripts:
            found[f"Workload {name}"] |= _script(report, name)
    return found


def _script(report: Report, workload: str) -> dict[str, str]:
    """The digest of its text, and the one in the name of its copy, which older reports have too.

    Earlier releases cut a long name and lost that digest. What such a report measured is like that
    of no other campaign's name, because only equal names may mean equal contents.
    """
    copy, campaign = report.resolved.scripts[workload], report.campaign.name
    mark = copy.rpartition("-")[2]
    known = {one.workload: one.digest for one in report.scripts or ()}
    return {
        "content of the script": mark
        if copy == script_name(campaign, mark)
        else f"not known, its copy was {copy}",
        "SHA-256 of the script": known.get(workload) or NOT_RECORDED,
    }


def topic_of(path: str) -> str:
    """Of a leaf of a spec."""
    return MADE if path in _MADE or path.startswith("settings.") else MEASURED


def configuration(report: Report, condition: MatchKey) -> Configuration:
    """Everything by which a condition of one report is like that of another, by topic and name."""
    found = {(MEASURED, "baseline mode"): report.spec.baseline_mode_ref}
    for owner, leaves in specs(report, [condition]).items():
        for path, value in leaves.items():
            if topic_of(path) == MEASURED:
                found[MEASURED, f"{owner}: {path}"] = value
    machine, _ = facts(report, [condition])
    return found | {(MACHINE, name): value for name, value in machine.items()}


def apart(one: Configuration, other: Configuration) -> Iterable[Difference]:
    """What makes two configurations unlike."""
    for topic, name in dict.fromkeys((*one, *other)):
        absent = NOT_RECORDED if topic == MACHINE else ABSENT
        values = one.get((topic, name), absent), other.get((topic, name), absent)
        found = Difference(topic, name, *values)
        if found.a != found.b and decides(found):
            yield found


def flat(value: Any, path: str = "") -> dict[str, str]:
    """Leaves of a spec by their path: `resources.cpu`."""
    if isinstance(value, Mapping):
        found: dict[str, str] = {}
        for key, entry in value.items():
            found |= flat(entry, f"{path}.{key}" if path else str(key))
        return found
    if isinstance(value, list):
        return {path: ", ".join(str(entry) for entry in value)}
    return {path: str(value)}
