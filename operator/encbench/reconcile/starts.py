"""Starts of a database as its trials ask for them, seen from both sides."""

from encbench.core.starts import Start, start_for
from encbench.reconcile.objects import Testbed, Trial


def wanted_start(testbed: Testbed, trial: Trial) -> Start:
    """The start that the trial is measured on.

    A trial that was deleted is made again under its name, and is due a start of its own.
    """
    bed, run, name = testbed.spec, testbed.status.run, f"{trial.name}.{trial.uid}"
    if run is not None and run.start == trial.name and trial.created <= run.asked_time:
        # By an operator that named starts after the trial alone: what runs is left to run.
        name = trial.name
    return start_for(bed.reset, bed.residency, bed.cache, trial=name, block=trial.spec.block)


def current_start(testbed: Testbed) -> Start:
    """The start that was last asked for; the first one when none was."""
    run = testbed.status.run
    return Start(run.start, run.reset) if run else Start()


def serves(testbed: Testbed, trial: Trial) -> bool:
    """Whether the server runs for this trial: of the start that it needs, and answering since."""
    run = testbed.status.run
    if run is not None and run.ready_time is None:
        return False
    return wanted_start(testbed, trial) == current_start(testbed)
