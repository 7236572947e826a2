"""Caveats about who else used the machines: other programs, idle databases, the hypervisor."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from encbench.report.analysis.caveats.facts import Facts, note, serious
from encbench.report.analysis.kernel_cipher import on_dm_crypt, outside_pods
from encbench.report.document import Caveat
from encbench.report.document.group import Group
from encbench.report.document.trial import TrialView
from encbench.report.words import text
from encbench.text.words import listed, plural

FOREIGN_PERCENT = 10.0
"""Of a node's cores: how much others may use before readers should know."""
IDLE_PERCENT = 2.0
"""Of one instance's CPU: how much the idle databases together may use."""
STOLEN_PERCENT = 2.0
"""Of a node's cores: how much the hypervisor may take."""
STOLEN_MUCH = 10.0
"""The same, from which figures may be of the hypervisor more than of the mode."""
STOLEN_APART = 5.0
"""The same, from which the means of two arms differ by more than chance explains."""


def foreign_load(facts: Facts) -> Iterator[Caveat]:
    """Other programs on the nodes."""
    known = [t for t in facts.counted if t.foreign_cpu_percent is not None]
    much = [t for t in known if (t.foreign_cpu_percent or 0) > FOREIGN_PERCENT]
    if much:
        most = max(t.foreign_cpu_percent or 0 for t in much)
        arms = _in_turns(facts, much)
        ciphers = f" and ciphers of {listed(arms)} in the same windows" if arms else ""
        limit = facts.spec.limits.foreign_cpu
        yield serious(
            title="Something else used the nodes",
            text=f"In {len(much)} of {plural(len(known), 'counted trial')} programs outside the "
            "campaign, or interrupts and kernel work of its own traffic"
            f"{ciphers}, took more than {text.number(FOREIGN_PERCENT, 0)} % of a node's cores, "
            f"{text.number(most, 0)} % at most; above {text.margin(limit)} a trial is Invalid "
            "(limits.foreignCpu). Such load widens intervals, and may hit one arm by chance.",
        )


def _in_turns(facts: Facts, trials: Sequence[TrialView]) -> list[str]:
    """Arms whose ciphers outside the pods may be in the windows of these trials of other arms."""
    cells = {trial.cell for trial in trials if trial.rounds}
    counted = [trial for trial in facts.counted if trial.cell in cells]
    return sorted({t.arm for t in counted if t.foreign_with_dm_crypt_percent is not None})


def kernel_encryption(facts: Facts) -> Iterator[Caveat]:
    """CPU of ciphers in the nodes' kernels, which no pod's includes."""
    modes, arms = facts.resolved.modes, set[str]()
    for group in facts.groups:
        if group.primary != "recovery":
            counted = [trial for trial in facts.counted if group.has(trial)]
            arms.update(outside_pods(group.arms, modes, counted))
    crypt, others = on_dm_crypt(arms, facts.counted), _beside_ciphers(facts)
    title = f"{'dm-crypt' if crypt else 'The kernel may have'} encrypted outside the pods"
    if arms:
        said = [*_where(sorted(crypt), sorted(arms - crypt)), *([others] if others else [])]
        yield serious(title=title, text=" ".join(said))
    elif others:
        yield note(title=title, text=others)


def _where(crypt: Sequence[str], declared: Sequence[str]) -> Iterator[str]:
    """Where the ciphers of these arms run, and what follows, in sentences."""
    if crypt:
        yield f"The data of {listed(crypt)} lay on dm-crypt, which encrypts in kernel threads."
    if declared:
        yield (
            f"No pod can see what encrypts the data of {listed(declared)}: it may be the node's "
            "kernel, as with CephFS or ZFS, or storage beyond the node, which costs the node "
            "nothing."
        )
    yield (
        "What the kernel takes is in no pod, so CPU per transaction leaves such a cipher out: it "
        "may show a cost of the mode, but never that there is none. Node CPU includes it."
    )


def _beside_ciphers(facts: Facts) -> str:
    """What no pod used on the nodes of such databases, in sentences; empty where it is little."""
    known = [t.foreign_with_dm_crypt_percent for t in facts.counted]
    ciphers = [share for share in known if share is not None]
    much = [share for share in ciphers if share > FOREIGN_PERCENT]
    if not much:
        return ""
    return (
        f"In {len(much)} of {plural(len(ciphers), 'counted trial')} of a mode with a "
        "storageClassName what no pod of the campaign used was more than "
        f"{text.number(FOREIGN_PERCENT, 0)} % of the node's cores, {text.number(max(much), 0)} % "
        "at most. Other programs are not known apart from a cipher in the kernel, so "
        "limits.foreignCpu was not applied there."
    )


def stolen(facts: Facts) -> Iterator[Caveat]:
    """Cores that the hypervisor withheld from a node."""
    known = [t.stolen_cpu_percent for t in facts.counted if t.stolen_cpu_percent is not None]
    much = [share for share in known if share > STOLEN_PERCENT]
    if not much:
        return
    groups = [(group.place, _stolen_means(facts, group)) for group in facts.groups]
    place, means = max(groups, key=lambda one: _weight(one[1]))
    by_arm = listed(f"{text.number(mean, 0)} % with {arm}" for arm, mean in means.items())
    yield (serious if _weight(means) >= 1 else note)(
        title="The hypervisor took CPU",
        text=f"In {len(much)} of {plural(len(known), 'counted trial')} it withheld more than "
        f"{text.number(STOLEN_PERCENT, 0)} % of a node's cores though the node had work for them "
        f"(steal), {text.number(max(much), 0)} % at most. In {place} that is on average {by_arm}. "
        "No limit makes such a trial Invalid: other virtual machines widen intervals, and may hit "
        "one arm by chance. On instances with CPU credits steal follows an arm's own use instead "
        "and is no chance. Some kernels count it as CPU of the processes that wait, so that CPU "
        "per transaction contains it.",
    )


def _stolen_means(facts: Facts, group: Group) -> dict[str, float]:
    """By arm, in percent, over the trials of a condition."""
    shares: dict[str, list[float]] = defaultdict(list)
    for trial in facts.counted:
        if group.has(trial) and trial.stolen_cpu_percent is not None:
            shares[trial.arm].append(trial.stolen_cpu_percent)
    return {arm: fmean(of) for arm, of in sorted(shares.items())}


def _weight(means: Mapping[str, float]) -> float:
    """At 1 or more what was stolen is serious: much of it, or unequally much."""
    most, least = max(means.values(), default=0.0), min(means.values(), default=0.0)
    return max(most / STOLEN_MUCH, (most - least) / STOLEN_APART)


def foreign_unknown(facts: Facts) -> Iterator[Caveat]:
    """Nodes without metrics about other programs."""
    unknown = [trial for trial in facts.counted if not _measured(trial)]
    if not unknown:
        return
    title = "Load from outside was not measured"
    why = next((why for t in unknown if (why := t.cpu_withheld.get("foreign"))), None)
    said = (
        f"In {len(unknown)} of {plural(len(facts.counted), 'counted trial')} Prometheus did not "
        "show how busy the nodes were with anything else"
        f"{f', for instance because: {why}' if why else ''}. Trials that were disturbed may be "
        "among the valid ones."
    )
    blind = [group for group in facts.groups if _unguarded(facts, group)]
    if blind:
        yield serious(
            title=title,
            text=f"{said} So limits.foreignCpu was without effect in {len(blind)} of "
            f"{plural(len(facts.groups), 'condition')}, first in {blind[0].place}. Have Prometheus "
            "scrape a node-exporter on each node every second, with the label node, and agents and "
            "recorders with the labels in docs/install.md.",
        )
    else:
        yield note(title=title, text=said)


def _measured(trial: TrialView) -> bool:
    """Whether what others used is known, with a cipher in the kernel or without."""
    return (trial.foreign_cpu_percent, trial.foreign_with_dm_crypt_percent) != (None, None)


def _unguarded(facts: Facts, group: Group) -> bool:
    """Whether `limits.foreignCpu`, which could be held, was held against no trial of a condition.

    Of an external database nothing else is known.
    """
    if group.instance in facts.external:
        return False
    known = [_measured(trial) for trial in facts.counted if group.has(trial)]
    return facts.spec.limits.foreign_cpu < 1 and bool(known) and not any(known)


def not_idle(facts: Facts) -> Iterator[Caveat]:
    """Databases that did something while another was measured."""
    busy = [t for t in facts.counted if (t.idle_cpu_percent or 0) > IDLE_PERCENT]
    if busy:
        most = max(t.idle_cpu_percent or 0 for t in busy)
        yield note(
            title="Idle databases were not quite idle",
            text=f"In {len(busy)} of {plural(len(facts.counted), 'counted trial')} the other "
            f"databases used up to {text.number(most, 0)} % of one instance's CPU, with purging or "
            "flushing left over from their own trials. A longer warm-up lets them finish.",
        )
