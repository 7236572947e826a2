"""Caveats about encrypted columns: what the proxy simulates, and what its figures leave out."""

from collections.abc import Callable, Iterable

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.report.analysis.caveats.facts import Facts
from encbench.report.document import Caveat
from encbench.report.document.group import Group, LayerStep
from encbench.report.words import text
from encbench.text.words import listed


def stand_in(facts: Facts) -> Caveat | None:
    """Our proxy simulates a vendor's."""
    names = _modes(facts, lambda mode: mode.columns is not None)
    if not names:
        return None
    return Caveat(
        weight="serious",
        title="A simulation of a vendor's proxy layer",
        text=f"{listed(names)} {'goes' if len(names) == 1 else 'go'} through a proxy of "
        "encbench's own in the database's pod, which stands in for the proxy layer of an "
        "always-confidential database. What a vendor's layer costs is not measured here, and "
        "nothing is kept confidential from whoever runs the machine: the key lies beside the "
        "database, whose files and memory are in plaintext.",
    )


def hop_not_apart(facts: Facts) -> Caveat | None:
    """An encrypted arm without a pass-through arm to compare with."""
    mixed = [
        step
        for _, step in _steps(facts)
        if "hop" in step.layers and len(step.layers) > 1 and step.blocks
    ]
    if not mixed:
        return None
    names = listed(dict.fromkeys(step.arm for step in mixed))
    return Caveat(
        weight="serious",
        title="The hop is not told apart",
        text=f"No arm goes through the proxy and is otherwise like {names} with nothing encrypted: "
        "what the way through the proxy costs is in the figures of driver or encryption. Add a "
        "mode with columns.ratio: 0 and the same resources.",
    )


def hop_in_the_loss(facts: Facts) -> Caveat | None:
    """A loss against the direct arm that includes the way through the proxy."""
    found = [(group, step) for group, step in _steps(facts) if step.layers == ("hop",)]
    known = [(group, step.loss.estimate) for group, step in found if step.loss is not None]
    if not known:
        return None
    low, high = min(loss for _, loss in known), max(loss for _, loss in known)
    ranged = text.percent(high)
    if text.percent(low) != ranged:
        ranged = f"{text.number(100 * low, 1)} to {ranged}"
    arms = listed(dict.fromkeys(step.arm for _, step in found))
    return Caveat(
        weight="note",
        title="The hop is encbench's own",
        text=f"Against the direct arm every loss contains the way through the proxy, {ranged} of "
        "TPS with nothing encrypted, which a database with a proxy layer of its own pays in "
        f"plaintext as well: the fair baseline of driver and encryption is {arms}, and the tables "
        "by layer use it.",
    )


def results_only(facts: Facts) -> Caveat | None:
    """Traffic that is not encrypted."""
    names = _modes(facts, lambda mode: mode.columns is not None and mode.columns.encrypts)
    if not names:
        return None
    return Caveat(
        weight="note",
        title="Only results are encrypted",
        text=f"{listed(names)}: statements and their parameters go to the server as they are, "
        "in plaintext, and so do storage and execution. Writes are therefore hardly affected, and "
        "a workload with other reads than this one's pays another price.",
    )


def client_without_driver(facts: Facts) -> Caveat | None:
    """The client, sysbench, receives ciphertext and drops it."""
    sysbench = {name for name, workload in facts.workloads.items() if workload.tpcc is None}
    arms = {
        arm.name
        for group in facts.groups
        if group.workload in sysbench
        for arm in group.arms
        if (mode := facts.modes.get(arm.mode_ref)) and mode.columns and mode.columns.encrypts
    }
    if not arms:
        return None
    return Caveat(
        weight="note",
        title="The client does not decrypt",
        text=f"sysbench has no encrypting driver: under {listed(sorted(arms))} it receives "
        "ciphertext and drops it, as in the published study. Response time and client CPU are "
        "without what decryption would add.",
    )


def permissive(facts: Facts) -> Caveat | None:
    """Results of expressions that leave in plaintext."""
    names = _modes(
        facts,
        lambda mode: mode.columns is not None and mode.columns.encrypts and not mode.columns.strict,
    )
    if not names:
        return None
    return Caveat(
        weight="serious",
        title="Columns of unknown origin are in plaintext",
        text=f"{listed(names)} {'has' if len(names) == 1 else 'have'} strict: false: what an "
        "expression, a view, a derived table or a UNION shows of a chosen column leaves the proxy "
        "as plaintext.",
    )


def driver_before_external(facts: Facts) -> Caveat | None:
    """An encrypting driver in front of a database that encrypts by itself."""
    drivers = _modes(facts, lambda mode: mode.driver is not None and mode.columns is None)
    if not drivers or not facts.external:
        return None
    return Caveat(
        weight="serious",
        title="What the database encrypts was not seen",
        text=f"{listed(facts.external)} encrypts columns, or does not, by rules that its "
        f"owner set; {listed(drivers)} only exchanges the client's driver. Which columns "
        "arrived encrypted, and by which algorithm, is the owner's word.",
    )


def _modes(facts: Facts, wanted: Callable[[EncryptionModeSpec], bool]) -> list[str]:
    """Modes of the report's arms that satisfy `wanted`."""
    used = dict.fromkeys(arm.mode_ref for group in facts.groups for arm in group.arms)
    return [name for name in used if name in facts.modes and wanted(facts.modes[name])]


def _steps(facts: Facts) -> Iterable[tuple[Group, LayerStep]]:
    return ((group, step) for group in facts.groups for step in group.steps)
