"""Caveats about disks that differ, by StorageClasses or by nodes.

A mode may name a class of its own, which should be like the template's but for encryption. Where
the provisioner, the type of disk or its file system differ as well, their cost is in the mode's
figures. So is that of dm-crypt where only some of the nodes encrypt their disks.

A disk may also be one whose pages no agent can drop from memory.
"""

from collections.abc import Iterator, Mapping

from encbench.core.evidence import DiskFacts
from encbench.core.records import IndexTestbed
from encbench.report.analysis.caveats.facts import Facts, serious
from encbench.report.document import Caveat
from encbench.text.words import listed

NONE = "none"
ZFS = "zfs"


def unlike(facts: Facts) -> Iterator[Caveat]:
    """Arms whose disks differ in more than encryption."""
    found = dict.fromkeys(_unlike(facts))
    if found:
        yield serious(
            title="The disks differ in more than encryption",
            text=f"{'; '.join(found)}. A difference between these arms is one of their disks as "
            "well. Name a StorageClass in the mode that is like the template's but for encryption.",
        )


def some_on_dm_crypt(facts: Facts) -> Iterator[Caveat]:
    """Nodes that encrypt the disks of some arms, as no mode of these asks for."""
    found = dict.fromkeys(_on_dm_crypt_unlike_the_baseline(facts))
    if found:
        yield serious(
            title="Some nodes encrypt their disks",
            text=f"{'; '.join(found)}, although no mode of theirs asks for it. A difference "
            "between these arms is dm-crypt's cost as well. Use nodes that all encrypt their disks "
            "in the same way, or that do not encrypt them.",
        )


def kept_files(facts: Facts) -> Iterator[Caveat]:
    """Starts that were to be cold on a file system with a cache of its own."""
    if facts.spec.cache != "Cold":
        return
    own = {bed.arm: None for bed in facts.testbeds if bed.disk and bed.disk.filesystem == ZFS}
    if own:
        yield serious(
            title="ZFS kept files in memory",
            text=f"cache: Cold drops a server's files from the page cache. The disks of "
            f"{listed(own)} are ZFS, which keeps them decrypted in a cache of its own (ARC) and "
            "drops none. So trials began with files in memory, and the cost of decrypting what "
            "is read can be missing. Use another file system, or set primarycache=metadata.",
        )


def _on_dm_crypt_unlike_the_baseline(facts: Facts) -> Iterator[str]:
    baseline = facts.spec.baseline_mode_ref
    by_class = {name for name, mode in facts.resolved.modes.items() if mode.storage_class}
    for bed, own, other in _beside_the_baseline(facts):
        if not {bed.arm, baseline} & by_class and {own.dm_crypt, other.dm_crypt} == {True, False}:
            on, off = (bed.arm, baseline) if own.dm_crypt else (baseline, bed.arm)
            yield f"dm-crypt was under the data of {on} but not of {off}"


def _unlike(facts: Facts) -> Iterator[str]:
    """For each arm with another disk than its set's baseline, how they differ."""
    for bed, own, other in _beside_the_baseline(facts):
        if differ := [*_differences(own, other)]:
            baseline = facts.spec.baseline_mode_ref
            yield f"The disk of {bed.arm} is unlike that of {baseline}: {listed(differ)}"


def _beside_the_baseline(facts: Facts) -> Iterator[tuple[IndexTestbed, DiskFacts, DiskFacts]]:
    """Each testbed with its disk and that of its set's baseline, where both are known."""
    baseline = facts.spec.baseline_mode_ref
    sets = {(bed.cell, bed.generation): bed.disk for bed in facts.testbeds if bed.arm == baseline}
    for bed in facts.testbeds:
        other = sets.get((bed.cell, bed.generation))
        if bed.disk is not None and other is not None:
            yield bed, bed.disk, other


def _differences(one: DiskFacts, other: DiskFacts) -> Iterator[str]:
    """What both are known in, with both values."""
    if one.provisioner != other.provisioner:
        yield f"provisioner {one.provisioner} against {other.provisioner}"
    kinds = (one.filesystem, other.filesystem)
    if None not in kinds and kinds[0] != kinds[1]:
        yield f"file system {kinds[0]} against {kinds[1]}"
    if one.parameters is not None and other.parameters is not None:
        # Which file system it is says the mount, if it is known: it may be named or be the default.
        yield from _unlike_parameters(one.parameters, other.parameters, seen=None not in kinds)
    if one.mount_options is not None and other.mount_options is not None:
        mine, yours = (" ".join(sorted(it.mount_options or ())) or NONE for it in (one, other))
        if mine != yours:
            yield f"mount options {mine} against {yours}"


def _unlike_parameters(
    one: Mapping[str, str], other: Mapping[str, str], *, seen: bool
) -> Iterator[str]:
    """The same of two classes' parameters, without that of a file system that was `seen`."""
    for name in sorted(one.keys() | other.keys()):
        mine, yours = one.get(name, NONE), other.get(name, NONE)
        if mine != yours and not (seen and name.rpartition("/")[2].lower() == "fstype"):
            yield f"{name} {mine} against {yours}"
