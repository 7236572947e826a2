"""Caveats about recoveries: whether the arms had equal work, enough to measure, and to decrypt."""

from collections.abc import Iterator

from encbench.report.analysis.caveats.facts import Facts, note, serious
from encbench.report.document import Caveat
from encbench.report.words import text
from encbench.text.words import listed, plural

UNEQUAL = 1.2
"""Largest over smallest amount of log, above which the arms did not have equal work."""
SHORT_SECONDS = 1.0
"""Below this, a recovery mostly consists of an ordinary start."""


def unequal_log(facts: Facts) -> Iterator[Caveat]:
    """Arms that were stopped with different amounts of work left."""
    found = []
    for group in facts.groups:
        amounts = [row.redo_mib for row in group.rows if row.redo_mib]
        if group.primary == "recovery" and len(amounts) > 1:
            found.append((max(amounts) / min(amounts), min(amounts), max(amounts), group))
    bad = [one for one in found if one[0] > UNEQUAL]
    if bad:
        _, low, high, group = max(bad, key=lambda one: one[0])
        rate = "" if group.offered_tps else " Offer a load.rate that every arm keeps up with."
        yield serious(
            title="The arms had not equally much to recover",
            text=f"In {len(bad)} of {plural(len(facts.groups), 'condition')} the log that the data "
            f"files lacked at the stop differs between the arms, in {group.workload} from "
            f"{text.number(low, 1)} to {text.number(high, 1)} MiB: the difference in recovery time "
            f"is also one of work.{rate}",
        )


def short_recoveries(facts: Facts) -> Iterator[Caveat]:
    """Recoveries too short to show a difference."""
    groups = (group for group in facts.groups if group.primary == "recovery")
    seconds = [row.recovery_seconds for group in groups for row in group.rows]
    short = [one for one in seconds if one is not None and one < SHORT_SECONDS]
    if short:
        yield note(
            title="Servers answered within a second",
            text=f"The shortest mean is {text.number(min(short), 2)} s from start to first answer, "
            "and times are known to 0.03 s. So short a time is mostly what any start takes: more "
            "data, more load and a larger log show what a recovery costs.",
        )


def decrypted_already(facts: Facts) -> Iterator[Caveat]:
    """Encrypted devices, whose pages the kernel keeps decrypted while the server is down.

    Not so under gocryptfs: without its `-kernel_cache` each opening of a file drops its pages.
    """
    modes = facts.resolved.modes
    arms = {
        arm.name: None
        for group in facts.groups
        if group.primary == "recovery"
        for arm in group.arms
        if (mode := modes[arm.mode_ref]).volume is not None and mode.gocryptfs is None
    }
    if arms:
        yield serious(
            title="The kernel kept files decrypted",
            text="The stop ends the server and not its node, so what the server has written and "
            f"read stays in the kernel's page cache, decrypted for {listed(arms)}. PostgreSQL "
            "recovers from there; MySQL and MariaDB may read their log there, and without O_DIRECT "
            "their tables. Most of what decryption adds to a recovery after the failure of a node "
            "is missing, and so is the disk's part in every arm.",
        )
