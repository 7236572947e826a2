"""The caveat about trials whose results someone discarded."""

from collections.abc import Iterator

from encbench.core.records import IndexTrial
from encbench.report.analysis.caveats.facts import Facts, serious
from encbench.report.document import Caveat
from encbench.report.document.trial import TrialView
from encbench.text.words import listed, plural

SHOWN = 3
"""Trials that the caveat names; the index names all."""


def deleted_trials(facts: Facts) -> Iterator[Caveat]:
    """Records of trials that were deleted once they had ended: someone may have chosen results."""
    gone = facts.orphans
    if not gone:
        return
    ended: list[TrialView | IndexTrial] = [*facts.trials, *facts.unrecorded, *facts.earlier]
    names = {trial.name for trial in ended}
    again = sum(one.name in names for one in gone)
    named = [f"{one.name or one.key} ({one.outcome or 'unreadable'})" for one in gone[:SHOWN]]
    more = [f"{len(gone) - SHOWN} more"] if len(gone) > SHOWN else []
    yield serious(
        title="Trials that ended were deleted",
        text=f"{plural(len(gone), 'trial')} ended, and this report leaves the record out, because "
        f"the Trial was deleted: {listed([*named, *more])}. Measured again, apart in time from "
        f"the rest of the block: {again}. Whoever deletes a trial that has ended can choose "
        "between results. The index names each record under `orphans`.",
    )
