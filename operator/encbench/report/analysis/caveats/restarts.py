"""The caveat about a server that restarted between two trials, and so lost its caches."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from encbench.report.analysis.caveats.facts import Facts, serious
from encbench.report.document import Caveat
from encbench.report.document.trial import TrialView
from encbench.text.words import plural

SAME = 1.0
"""Seconds by which two readings of one process' start may differ."""


def emptied_caches(facts: Facts) -> Iterator[Caveat]:
    """Trials on a server just started, beside arms whose servers had served a trial before.

    A restart in a trial makes that one Invalid, and the next one counts. Where servers are started
    anew by plan, those of all arms of a block are.
    """
    restarted, blocks = _restarted(facts.trials), defaultdict[object, list[TrialView]](list)
    for trial in facts.counted_here:
        if trial.uid in restarted:
            place = trial.cell, trial.workload, trial.concurrency, trial.block
            blocks[place].append(trial)
    alone = [
        trial
        for block in blocks.values()
        if not all(restarted[one.uid] for one in block)
        for trial in block
        if restarted[trial.uid]
    ]
    if alone:
        count = plural(len(facts.counted_here), "counted trial")
        yield serious(
            title="Servers restarted between trials",
            text=f"In {len(alone)} of {count}, such as {alone[0].name}, the server had started "
            "anew since its trial before, and that of another arm of the block had not. It began "
            "with empty caches beside full ones, which a warm-up need not make good. With "
            "maxReadKib in the Workload, trials that read from their disk are Invalid.",
        )


def _restarted(trials: Sequence[TrialView]) -> dict[str, bool]:
    """By UID, whether the server had started since the trial before on its testbed.

    The first trial of a testbed is left out, and so is one where that is not known.
    """
    by_testbed = defaultdict[str, list[TrialView]](list)
    for trial in sorted(trials, key=lambda one: one.start_time or ""):
        if trial.server_started is not None or trial.window is not None:
            by_testbed[trial.testbed].append(trial)
    return {
        trial.uid: abs(trial.server_started - before.server_started) > SAME
        for ran in by_testbed.values()
        for before, trial in pairwise(ran)
        if trial.server_started is not None and before.server_started is not None
    }
