"""What could be wrong with the figures: checks of this campaign's facts, one policy each.

Each check takes the facts and returns a caveat or None. They are fixed beforehand and never change
a figure; they tell a reader where to look before believing one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from encbench.api.base import parse_quantity
from encbench.api.campaign import CampaignSpec
from encbench.api.workload import WorkloadSpec
from encbench.report import judgement, text
from encbench.report.bucket import Source
from encbench.report.document import Caveat, Group, Provenance, TrialView

FEW_BLOCKS = 6
SHORT_WINDOW_SECONDS = 60.0
BUSY_CLIENT_PERCENT = 80.0
IDLE_SERVER_PERCENT = 60.0
MANY_INVALID = 0.2
SYSBENCH_ROW_BYTES = 240
"""About what a row of sysbench's oltp tables takes with its secondary index."""


@dataclass(frozen=True)
class Facts:
    """What the checks look at."""

    spec: CampaignSpec
    workloads: dict[str, WorkloadSpec]
    groups: Sequence[Group]
    trials: Sequence[TrialView]
    unrecorded: int
    provenance: Provenance
    sources: Sequence[Source]

    @property
    def counted(self) -> list[TrialView]:
        """Trials whose figures are used."""
        return [trial for trial in self.trials if trial.counted]


Check = Callable[[Facts], Caveat | None]


def caveats(facts: Facts) -> tuple[Caveat, ...]:
    """The caveats that hold, serious ones first."""
    found = [caveat for check in CHECKS if (caveat := check(facts)) is not None]
    return tuple(sorted(found, key=lambda caveat: caveat.weight != "serious"))


def colocation(facts: Facts) -> Caveat | None:
    """Client and database on one node."""
    count = sum(trial.colocated for trial in facts.counted)
    if not count:
        return None
    return Caveat(
        weight="serious",
        title="Client and database shared a node",
        text=f"In {text.plural(count, 'trial')} they competed for the same cores and caches: "
        "encryption that slows the server also frees CPU for the client and the other way round. "
        "Node CPU is of both.",
    )


def noise_floor(facts: Facts) -> Caveat | None:
    """A floor that hides the margin."""
    wide = [
        group.noise_floor
        for group in facts.groups
        if group.noise_floor is not None and group.noise_floor >= facts.spec.margin
    ]
    if not wide:
        return None
    return Caveat(
        weight="serious",
        title="The noise floor is wider than the margin",
        text=f"The baseline against itself differed by up to ±{text.percent(max(wide))} in "
        f"{len(wide)} of {text.plural(len(facts.groups), 'condition')}; an overhead near the "
        f"margin of {text.margin(facts.spec.margin)} cannot be told from noise there. More "
        "blocks, longer windows or a quieter machine narrow it.",
    )


def few_blocks(facts: Facts) -> Caveat | None:
    """Intervals that rest on little."""
    counts = [group.counted_blocks for group in facts.groups if group.counted_blocks]
    if not counts or min(counts) >= FEW_BLOCKS:
        return None
    return Caveat(
        weight="note",
        title="Few blocks",
        text=f"The smallest comparison rests on {text.plural(min(counts), 'block')}. So few can "
        "neither show whether the differences are roughly normal nor average out a rare event.",
    )


def missing_blocks(facts: Facts) -> Caveat | None:
    """Fewer blocks than were planned."""
    short = [group for group in facts.groups if group.counted_blocks < group.planned_blocks]
    if not short:
        return None
    worst = min(short, key=lambda group: group.counted_blocks)
    return Caveat(
        weight="serious",
        title="Fewer valid blocks than planned",
        text=f"{len(short)} of {text.plural(len(facts.groups), 'condition')} fell short; "
        f"{worst.workload} at {text.plural(worst.concurrency, 'thread')} on {worst.instance} has "
        f"{worst.counted_blocks} of {worst.planned_blocks}. What keeps trials from succeeding may "
        "also bias those that do.",
    )


def many_invalid(facts: Facts) -> Caveat | None:
    """A large share of trials that did not count."""
    bad = [trial for trial in facts.trials if trial.outcome != "Succeeded"]
    count, total = len(bad) + facts.unrecorded, len(facts.trials) + facts.unrecorded
    if not total or count / total <= MANY_INVALID:
        return None
    return Caveat(
        weight="serious",
        title="Many trials did not succeed",
        text=f"{count} of {total} ({judgement.by_reason(trial.reason for trial in bad)}).",
    )


def cpu_withheld(facts: Facts) -> Caveat | None:
    """CPU figures that are absent."""
    reasons = [why for trial in facts.counted if (why := trial.cpu_withheld.get("database"))]
    missing = [t for t in facts.counted if t.database_cpu_ms_per_transaction is None]
    if not missing:
        return None
    why = f", for instance because: {reasons[0]}" if reasons else ""
    return Caveat(
        weight="note",
        title="Server CPU withheld",
        text=f"In {len(missing)} of {text.plural(len(facts.counted), 'counted trial')} there is no "
        f"CPU of the server{why}. Its blocks are left out of the CPU columns for all arms.",
    )


def busy_client(facts: Facts) -> Caveat | None:
    """A client that may be what limits TPS."""
    busy = [t for t in facts.counted if (t.client_cpu_percent or 0) >= BUSY_CLIENT_PERCENT]
    throttled = [t for t in facts.counted if (t.throttled_seconds or 0) > 0]
    if not busy and not throttled:
        return None
    most = max((t.client_cpu_percent or 0 for t in facts.counted), default=0)
    return Caveat(
        weight="serious",
        title="The client was near its limit",
        text=f"Client CPU reached {text.number(most, 0)} % of its limit; {len(busy)} of "
        f"{text.plural(len(facts.counted), 'counted trial')} were above "
        f"{text.number(BUSY_CLIENT_PERCENT, 0)} %, {len(throttled)} were throttled. Where the "
        "client limits TPS the cost of encryption is hidden.",
    )


def idle_server(facts: Facts) -> Caveat | None:
    """A server that was never saturated."""
    cpu = [t.database_cpu_percent for t in facts.counted if t.database_cpu_percent is not None]
    if not cpu or max(cpu) >= IDLE_SERVER_PERCENT:
        return None
    return Caveat(
        weight="note",
        title="The server was never saturated",
        text=f"Its CPU stayed at or below {text.number(max(cpu), 0)} % of the limit. TPS then "
        "follows latency, and CPU that encryption adds does not show in it: read CPU per "
        "transaction, or measure at a higher concurrency.",
    )


def short_window(facts: Facts) -> Caveat | None:
    """Windows in which a burst weighs much."""
    lengths = [t.window.end - t.window.start for t in facts.counted if t.window is not None]
    if not lengths or min(lengths) >= SHORT_WINDOW_SECONDS:
        return None
    return Caveat(
        weight="note",
        title="Short windows",
        text=f"The shortest measured {text.number(min(lengths), 0)} s. Checkpoints, purges and "
        "flushing come in longer waves and may be missed or caught by chance.",
    )


def fixed_rate(facts: Facts) -> Caveat | None:
    """TPS that says what was offered."""
    fixed = sorted(name for name, workload in facts.workloads.items() if workload.load.rate)
    if not fixed:
        return None
    return Caveat(
        weight="serious",
        title="A fixed rate was offered",
        text=f"TPS of {text.listed(fixed)} cannot exceed it, whatever the mode costs: read latency "
        "and CPU per transaction.",
    )


def dataset_in_memory(facts: Facts) -> Caveat | None:
    """At-rest encryption that is hardly exercised."""
    pools = [
        float(size)
        for source in facts.sources
        if (size := source.record.server.settings.get("innodb_buffer_pool_size", "")).isdigit()
    ]
    sizes = [
        w.sysbench.tables * w.sysbench.table_size * SYSBENCH_ROW_BYTES
        for w in facts.workloads.values()
    ]
    if not pools or not sizes or min(sizes) >= min(pools):
        return None
    mebi = parse_quantity("1Mi")
    return Caveat(
        weight="note",
        title="The dataset fits into memory",
        text=f"About {text.number(min(sizes) / mebi, 0)} MiB of rows in a buffer pool of "
        f"{text.number(min(pools) / mebi, 0)} MiB: pages are decrypted when they are read from "
        "disk, which then hardly happens. With more data than memory encryption at rest can cost "
        "more.",
    )


def no_aes(facts: Facts) -> Caveat | None:
    """A CPU that computes AES in software."""
    known = [s for s in facts.sources if s.record.machine.cpu_flags]
    lacking = (s.record.machine for s in known if "aes" not in s.record.machine.cpu_flags)
    without = {machine.node or "a node" for machine in lacking}
    if not without:
        return None
    return Caveat(
        weight="serious",
        title="No AES instructions",
        text=f"The CPU of {text.listed(sorted(without))} lists no aes flag; AES is many times "
        "slower there than on a current server.",
    )


def mixed_machines(facts: Facts) -> Caveat | None:
    """Arms that did not run on the same thing."""
    names = ("Server version", "Database node", "Kernel", "CPU")
    mixed = [f.name for f in facts.provenance.facts if f.name in names and len(f.values) > 1]
    if not mixed:
        return None
    return Caveat(
        weight="note",
        title="Not everything was the same everywhere",
        text=f"There is more than one {text.listed(name.lower() for name in mixed)}; the "
        "provenance says where. A difference between arms may come from there.",
    )


def several_comparisons(facts: Facts) -> Caveat | None:
    """Many intervals, each at 95 %."""
    count = sum(1 for g in facts.groups for c in g.comparisons if c.loss is not None)
    if count < 2:
        return None
    return Caveat(
        weight="note",
        title="Several comparisons",
        text=f"{count} intervals stand side by side, each at 95 % for itself: about one in twenty "
        "misses its true value. They are not corrected for their number.",
    )


def errors(facts: Facts) -> Caveat | None:
    """Errors that the tool ignored."""
    count = sum(trial.errors or 0 for trial in facts.counted)
    if not count:
        return None
    return Caveat(
        weight="note",
        title="Ignored errors",
        text=f"The tool ignored {text.plural(count, 'error')} such as deadlocks in counted trials; "
        "each trial stayed below the workload's limit.",
    )


CHECKS: tuple[Check, ...] = (
    *(colocation, noise_floor, fixed_rate, busy_client, missing_blocks, many_invalid, no_aes),
    *(few_blocks, short_window, dataset_in_memory, idle_server, cpu_withheld),
    *(mixed_machines, several_comparisons, errors),
)
"""In the order in which they are shown."""
