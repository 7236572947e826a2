"""The caveat about disks of different StorageClasses: a mode may name one of its own.

Its class should be like the template's but for encryption. Where the provisioner, the type of disk
or its file system differ as well, their cost is in the mode's figures.
"""

from collections.abc import Iterator

from encbench.core.evidence import DiskFacts
from encbench.report.analysis.caveats.facts import Facts, serious
from encbench.report.document import Caveat
from encbench.text.words import listed

NONE = "none"


def unlike(facts: Facts) -> Iterator[Caveat]:
    """Arms whose disks differ in more than encryption."""
    found = dict.fromkeys(_unlike(facts))
    if found:
        yield serious(
            title="The disks differ in more than encryption",
            text=f"{'; '.join(found)}. A difference between these arms is one of their disks as "
            "well. Name a StorageClass in the mode that is like the template's but for encryption.",
        )


def _unlike(facts: Facts) -> Iterator[str]:
    """For each arm with another disk than its set's baseline, how they differ."""
    baseline = facts.spec.baseline_mode_ref
    sets = {(bed.cell, bed.generation): bed.disk for bed in facts.testbeds if bed.arm == baseline}
    for bed in facts.testbeds:
        own, other = bed.disk, sets.get((bed.cell, bed.generation))
        differ = [*_differences(own, other)] if own is not None and other is not None else []
        if differ:
            yield f"The disk of {bed.arm} is unlike that of {baseline}: {listed(differ)}"


def _differences(one: DiskFacts, other: DiskFacts) -> Iterator[str]:
    """What both are known in, with both values."""
    if one.provisioner != other.provisioner:
        yield f"provisioner {one.provisioner} against {other.provisioner}"
    kinds = (one.filesystem, other.filesystem)
    if None not in kinds and kinds[0] != kinds[1]:
        yield f"file system {kinds[0]} against {kinds[1]}"
    for name in sorted(one.parameters.keys() | other.parameters.keys()):
        mine, yours = (it.parameters.get(name, NONE) for it in (one, other))
        # Which file system it is says the mount, if it is known: it may be named or be the default.
        shown = None not in kinds and name.rpartition("/")[2].lower() == "fstype"
        if mine != yours and not shown:
            yield f"{name} {mine} against {yours}"
    if one.mount_options is not None and other.mount_options is not None:
        mine, yours = (" ".join(sorted(it.mount_options or ())) or NONE for it in (one, other))
        if mine != yours:
            yield f"mount options {mine} against {yours}"
