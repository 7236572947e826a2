"""Starts of a database as its trials ask for them, seen from both sides."""

from encbench.core.starts import Start, start_for
from encbench.reconcile.objects import Testbed, Trial


def wanted_start(testbed: Testbed, trial: Trial) -> Start:
    """The start that the trial is measured on."""
    bed = testbed.spec
    return start_for(bed.reset, bed.residency, bed.cache, trial=trial.name, block=trial.spec.block)


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
