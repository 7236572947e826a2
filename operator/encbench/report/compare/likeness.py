"""What makes figures of two reports comparable: the specs behind equal names, and the machine.

`compare` lists what differs, `compare --fail-above` refuses it, and `history` keeps it apart.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from encbench.report.document import PLACES, Report
from encbench.text.words import plural

MEASURED, MACHINE = "what was measured", "what it ran on"
"""The topics that make reports unlike. Images, settings and versions are often what changed."""
_MACHINE = (
    *("Database node", "Client node", "Kernel", "Client's kernel", "CPU", "Client's CPU"),
    *("CPU flags for ciphers", "Allocatable CPU", "Instance type", "Kubernetes"),
)
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
    absent: str = "(absent)",
) -> Iterable[Difference]:
    """Every name whose values differ."""
    for name in names:
        one, other = a.get(name, absent), b.get(name, absent)
        if one != other:
            yield Difference(topic, f"{of}{name}", one, other)


def facts(report: Report) -> tuple[dict[str, str], dict[str, str]]:
    """What it ran on, and what it was made with, by name."""
    origin = report.provenance
    found = origin.by_name
    if origin.cpu_flags:
        found["CPU flags for ciphers"] = " ".join(origin.cpu_flags)
    if report.operator_version:
        found["encbench"] = report.operator_version
    machine = {name: value for name, value in found.items() if name in _MACHINE}
    return machine, {name: value for name, value in found.items() if name not in _MACHINE}


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
                found[f"{kind} {name}"] = flat(resolved[name].to_dict())
    return found


def configuration(report: Report, condition: MatchKey) -> dict[tuple[str, str], str]:
    """Everything by which a condition of one report is like that of another, by topic and name."""
    found = {(MEASURED, "baseline mode"): report.spec.baseline_mode_ref}
    for owner, leaves in specs(report, [condition]).items():
        found |= {(MEASURED, f"{owner}: {path}"): value for path, value in leaves.items()}
    machine, _ = facts(report)
    return found | {(MACHINE, name): value for name, value in machine.items() if name not in PLACES}


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
