"""Caveats about the software that was measured: what changed while the campaign went on."""

from collections.abc import Iterator

from encbench.report.analysis.caveats.facts import Facts, serious
from encbench.report.analysis.provenance import beds, has_changed, settings_of
from encbench.report.document import Caveat
from encbench.text.words import listed, plural

MEASURED = ("server", "proxy", "volume", "tool")
"""Containers whose programs are measured; those beside them measure."""
_JAR = "jar of the mode's driver"
_SHOWN = 3


def changed(facts: Facts) -> Iterator[Caveat]:
    """Trials of one arm with other server settings, or other programs, than the rest."""
    found = [*_programs(facts)]
    settings = _settings(facts)
    if settings:
        more = len(settings) - _SHOWN
        names = settings[:_SHOWN] + ([plural(more, "other")] if more > 0 else [])
        found.append(f"server settings ({listed(names)})")
    if found:
        yield serious(
            title="The software changed during the campaign",
            text=f"Trials of one arm ran with different {listed(found)}; the provenance says "
            "which. An upgrade of encbench changes what is made after it, and so does an image "
            "that is pushed anew under its name; on another kind of node a server may choose other "
            "settings itself. Blocks before and after that measured different systems: run the "
            "campaign anew without such a change, on nodes of one kind.",
        )


def _settings(facts: Facts) -> list[str]:
    """Those that changed within an arm."""
    known, counted = beds(facts.counted_here), {trial.uid for trial in facts.counted_here}
    records = [(known[s.record.testbed], s.record) for s in facts.sources if s.trials & counted]
    return [name for name, values in settings_of(records).items() if has_changed(values)]


def _programs(facts: Facts) -> Iterator[str]:
    """Those that changed within an arm under a workload, by the digests that are known."""
    by_uid = {trial.uid: trial for trial in facts.counted_here}
    found: dict[tuple[str, ...], set[str]] = {}
    for source in facts.sources:
        jars = ((_JAR, digest) for digest in source.record.driver_jars or ())
        programs = [*source.record.images.items(), *jars]
        for trial in (by_uid[uid] for uid in source.trials if uid in by_uid):
            for program, image in programs:
                # An image that was not pulled from a registry has a digest of another kind.
                name, _, digest = image.rpartition("@")
                kind = "pulled" if name else "imported"
                arm = (program, kind, trial.cell, trial.workload, trial.arm)
                found.setdefault(arm, set()).add(digest)
    differing = {program for (program, *_), digests in found.items() if len(digests) > 1}
    yield from (f"images of the {one}" for one in MEASURED if one in differing)
    if _JAR in differing:
        yield "jars of the mode's driver"
