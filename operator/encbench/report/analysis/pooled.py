"""Pooling a follow-up with the campaigns that it extends (docs/design/0013-extend.md).

Whether campaigns are pooled depends on the machine, on the plan and on complete blocks, never on
what was measured. Blocks of an earlier campaign get numbers of their own, so that all of them fit
in one `Pairs`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from encbench.api.campaign import CampaignSpec
from encbench.core import plan
from encbench.report.analysis.pairs import Blocks, Pairs
from encbench.report.compare.difference import difference
from encbench.report.compare.likeness import alike
from encbench.report.document import Provenance
from encbench.report.document.pooled import Part, PooledChange
from encbench.report.figures import JudgedFigure

STRIDE = 100_000
"""More than any block's number."""


def unlike(a: Provenance, b: Provenance) -> Iterator[str]:
    """What is not the same on both machines, as `compare` would list it."""
    facts = [
        origin.by_name | {"CPU flags for ciphers": " ".join(origin.cpu_flags)} for origin in (a, b)
    ]
    common = facts[0].keys() & facts[1].keys()
    settings = a.settings.keys() & b.settings.keys()
    for names, (one, other) in ((common, facts), (settings, (a.settings, b.settings))):
        for name in sorted(names):
            if not alike(name, one[name], other[name]):
                yield f"{name}: {one[name]} and {other[name]}"


def joined(parts: Sequence[Blocks]) -> Blocks:
    """The blocks of all campaigns; the last one's keep their numbers."""
    return {
        STRIDE * away + number: block
        for away, blocks in enumerate(reversed(parts))
        for number, block in blocks.items()
    }


def campaign_of(block: int) -> int:
    """How many campaigns before the follow-up a block was measured."""
    return block // STRIDE


def unit(spec: CampaignSpec, block: int) -> int:
    """The unit in its own campaign, with a number that no other campaign's has."""
    away, number = divmod(block, STRIDE)
    return STRIDE * away + plan.unit(spec.blocks, number)


def changes(
    parts: Sequence[tuple[str, Pairs]], whole: Pairs, judging: Sequence[JudgedFigure]
) -> tuple[PooledChange, ...]:
    """Each figure of each treatment: in each campaign, and pooled."""
    (_, last), before = parts[-1], joined([pairs.blocks for _, pairs in parts[:-1]])
    earlier = replace(last, blocks=before)
    found = []
    for arm in (arm.name for arm in whole.arms if arm.role == "treatment"):
        for figure in judging:
            pooled = whole.change(figure, arm)
            if pooled is None:
                continue
            found.append(
                PooledChange(
                    arm=arm,
                    figure=figure.key,
                    parts=tuple(
                        Part(
                            campaign=name,
                            blocks=len(pairs.complete(figure.field)),
                            change=pairs.change(figure, arm),
                        )
                        for name, pairs in parts
                    ),
                    difference=difference(earlier.change(figure, arm), last.change(figure, arm)),
                    blocks=len(whole.complete(figure.field)),
                    change=pooled,
                )
            )
    return tuple(found)
