"""A follow-up and the campaigns that it extends, pooled."""

from encbench.api.base import Model
from encbench.api.overheadreport import FigureKey, Interval
from encbench.api.scalars import Name
from encbench.core.records import CampaignId


class Part(Model):
    """What one campaign says by itself."""

    campaign: Name
    blocks: int
    change: Interval | None = None


class PooledChange(Model):
    """One figure of one treatment over the blocks of all these campaigns."""

    arm: Name
    figure: FigureKey
    parts: tuple[Part, ...]
    """The first campaign first, the follow-up of this report last."""
    difference: Interval | None = None
    """The last part minus those before it, which are pooled, in the unit of the change."""
    blocks: int
    change: Interval | None = None
    """Of all blocks, with its 95 % interval."""


class Pooling(Model):
    """How a follow-up's report treats the campaigns that it extends."""

    earlier: tuple[CampaignId, ...]
    """The first one first."""
    extensions: int
    """Follow-ups that the plan announced. Where it announced any, verdicts are of the pooled
    blocks; else of the follow-up's own."""
    why_not: tuple[str, ...] = ()
    """What is not the same on both machines; nothing is pooled then."""

    @property
    def contained(self) -> frozenset[str]:
        """The uids of the campaigns whose blocks count as the follow-up's own where it pools."""
        return frozenset(it.uid for it in self.earlier if self.extensions and not self.why_not)
