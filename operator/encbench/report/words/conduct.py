"""How the campaign was measured, in words: the plan, and what disturbed it."""

from collections.abc import Sequence
from statistics import median

from encbench.api.campaign import CampaignSpec, Reset
from encbench.core.starts import started_anew
from encbench.report.document import Report
from encbench.report.document.trial import TrialView
from encbench.report.words import text
from encbench.text.words import listed, plural

RESETS: dict[Reset, str] = {
    "none": "data never restored",
    "block": "data restored before each block",
    "trial": "data restored before each trial",
}
STARTS: dict[Reset, str] = {
    "none": "caches warm from the warm-up",
    "block": "each server started anew before each block, then the warm-up",
    "trial": "each server started anew before each trial, then the warm-up",
}

PLACEMENTS = {
    True: "client and database shared a node",
    False: "client and database on different nodes",
    None: "not known whether client and database shared a node",
}


def plan(report: Report) -> str:
    """The number of blocks and how it was decided, in one line."""
    blocks, precision = report.spec.blocks, report.spec.precision
    parts = [f"{plural(blocks.min, 'block')} for each condition"]
    if precision is not None:
        parts = [
            f"pilot of {plural(blocks.min, 'block')} for each condition, from whose spread "
            f"the number for ±{text.margin(precision.target_half_width)} of the ratio to the "
            f"baseline was fixed once, at most {blocks.max:,}"
        ]
    parts.append(f"in random order, seed {report.spec.seed}")
    parts.append(f"up to {plural(blocks.max_replacements, 'block')} replaced")
    if blocks.per_testbed:
        parts.append(f"testbeds built anew every {plural(blocks.per_testbed, 'block')}")
    parts.append(f"{RESETS[report.spec.reset]}{_copying(report)}")
    return "; ".join((*parts, _caches(report.spec)))


def _caches(spec: CampaignSpec) -> str:
    """With which caches a trial begins."""
    if spec.cache == "Cold":
        # Whether that leaves a cache cold depends on the disk.
        return "each trial on a server just started, its files dropped from the page cache"
    return STARTS[started_anew(spec.reset, spec.residency, spec.cache)]


def _copying(report: Report) -> str:
    """How long restoring took over all trials: no window includes it, but it takes much time."""
    took = [t.restored_seconds for t in report.trials if t.restored_seconds is not None]
    if not took:
        return ""
    middle, most = (text.number(seconds, 1) for seconds in (median(took), max(took)))
    return f", in {middle} s at the median and {most} s at most"


def placement(report: Report) -> str:
    """Where the clients ran, seen from their database."""
    return PLACEMENTS[report.shared_node]


def external(report: Report) -> tuple[str, ...]:
    """Instances that the operator does not run."""
    instances = report.resolved.instances
    return tuple(name for name, instance in instances.items() if instance.is_external)


def repeat(report: Report) -> str:
    """Where the baseline mode ran a second time."""
    count, outside = len(report.resolved.instances), len(external(report))
    if not outside:
        return "on a second, identical database"
    if outside == count:
        return "a second time on the same database"
    return "on a second, identical database, or on the same one where encbench does not run it"


def searches(report: Report) -> str:
    """Where each mode was looked for."""
    outside = external(report)
    found = []
    if len(outside) < len(report.resolved.instances):
        which = "each database that encbench runs" if outside else "each database"
        found.append(
            f"Before any measurement the whole data directory of {which} is searched for a known "
            "marker; before and after each trial its own table file is. Plaintext is proven too."
        )
    if outside:
        found.append(
            f"encbench does not run {listed(outside)} and sees none of its files: there the "
            "clients' own sessions in each trial say what was encrypted in transit."
        )
    if silent := _silent(report, outside):
        found.append(
            f"The clients of {listed(silent)} are BenchmarkSQL's and do not report their sessions."
        )
    if not report.shared_node:
        found.append(
            "Whether the network encrypts packets between nodes itself (WireGuard, IPsec, a VPN), "
            "in every arm alike, is not seen."
        )
    return " ".join(found)


def _silent(report: Report, outside: Sequence[str]) -> list[str]:
    """The workloads on these instances whose clients do not report their sessions."""
    used = dict.fromkeys(group.workload for group in report.groups if group.instance in outside)
    return [name for name in used if not report.resolved.workloads[name].reports_sessions]


def disturbances(report: Report) -> list[tuple[str, str, str | None]]:
    """Each disturbance: its largest extent in trials that count, and its limit where it has one.

    The campaign fixed the limits before any TPS was known.
    """
    counted, limits = [t for t in report.trials if t.counted], report.spec.limits
    with_cipher = "foreign_with_dm_crypt_percent"
    crypt = [t for t in counted if t.foreign_with_dm_crypt_percent is not None]
    # With its client on the same node, such a trial has no node to which the limit applies.
    rest = [
        t
        for t in counted
        if t.foreign_cpu_percent is not None or t.foreign_with_dm_crypt_percent is None
    ]
    kinds: list[tuple[str, str, list[TrialView], float | None]] = [
        ("load from outside, of a node's cores", "foreign_cpu_percent", rest, limits.foreign_cpu),
        ("taken by the hypervisor, of a node's cores", "stolen_cpu_percent", counted, None),
        ("idle databases, of one instance's CPU", "idle_cpu_percent", counted, limits.idle_cpu),
        (
            "client throttled, of its running time",
            "throttled_percent",
            counted,
            limits.client_throttling,
        ),
    ]
    if crypt:
        kinds.insert(1, ("the same with any cipher in the kernel", with_cipher, crypt, None))
    return [
        (
            name,
            _most([getattr(trial, field) for trial in trials]),
            None if limit is None else text.margin(limit),
        )
        for name, field, trials, limit in kinds
    ]


def _most(found: Sequence[float | None]) -> str:
    """The largest in percent, with a remark where not every trial has one."""
    known = [value for value in found if value is not None]
    if not known:
        return "not measured"
    most = f"at most {text.number(max(known), 1)} %"
    return most if len(known) == len(found) else f"{most}, not measured in every trial"
