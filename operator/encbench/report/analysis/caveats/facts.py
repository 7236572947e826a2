"""The facts that the checks for caveats use."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from encbench.api.campaign import CampaignSpec, LostSet, Resolved
from encbench.core.records import CampaignEnd, IndexOrphan, IndexTestbed, IndexTrial
from encbench.engines.facts import FACTS
from encbench.report.analysis.bucket import ProvenanceSource
from encbench.report.document import Caveat, Provenance
from encbench.report.document.group import Group
from encbench.report.document.trial import TrialView


@dataclass(frozen=True)
class Facts:
    """The facts of one campaign, and of those that its figures are pooled with."""

    spec: CampaignSpec
    resolved: Resolved
    groups: Sequence[Group]
    trials: Sequence[TrialView]
    unrecorded: Sequence[IndexTrial]
    provenance: Provenance
    sources: Sequence[ProvenanceSource]
    earlier: Sequence[TrialView] = ()
    """The trials of campaigns that it extends that its figures rest on as well. Of these campaigns
    only `orphans` are here as well: where they are pooled, the machine is the same."""
    orphans: Sequence[IndexOrphan] = ()
    """Records of trials whose Trials were deleted."""
    end: CampaignEnd | None = None
    """Why this campaign ended, where its index says so."""
    lost_sets: Sequence[LostSet] = ()
    """Of this campaign, where its index names them."""
    testbeds: Sequence[IndexTestbed] = ()
    """Of this campaign."""

    @property
    def external(self) -> list[str]:
        """Templates of external databases."""
        instances = self.resolved.instances
        return sorted(name for name in instances if instances[name].external is not None)

    @property
    def on_postgresql(self) -> set[str]:
        """Templates of PostgreSQL."""
        instances = self.resolved.instances
        return {name for name in instances if FACTS[instances[name].engine].package == "postgresql"}

    @property
    def levels(self) -> dict[str, set[int]]:
        """The concurrencies of each workload."""
        found: dict[str, set[int]] = {}
        for group in self.groups:
            found.setdefault(group.workload, set()).add(group.concurrency)
        return found

    @property
    def counted(self) -> list[TrialView]:
        """Trials whose figures count."""
        return [*self.counted_here, *self.earlier]

    @property
    def counted_here(self) -> list[TrialView]:
        """Those of this campaign."""
        return [trial for trial in self.trials if trial.counted]


def measured_seconds(trial: TrialView) -> float | None:
    """Length of the window, or of the trial's own slices; None where nothing was measured."""
    if trial.rounds:
        return sum(of.seconds for of in trial.rounds)
    return None if trial.window is None else trial.window.end - trial.window.start


Check = Callable[[Facts], Iterator[Caveat]]
"""Yields its caveat where the facts call for one."""
serious = partial(Caveat, weight="serious")
note = partial(Caveat, weight="note")
