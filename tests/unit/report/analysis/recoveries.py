"""A study whose servers crash and recover."""

from collections.abc import Container

from encbench.api.workload import Recovery
from encbench.core.artefact import decode, digest_of, encode
from encbench.core.records import RecoveryFacts, ServerProcess, TrialRecord
from encbench.report.analysis.build import build
from encbench.report.document import Report
from tests.data.report.synthetic import Study, write

SECONDS = {"plain": 2.0, "plain-control": 2.0}
LONGER = 1.4


def facts(arm: str, block: int) -> RecoveryFacts:
    """Every arm a little slower in odd blocks, all others than the baseline's by much.

    By half a thousandth more or less, because equal ratios would be no evidence.
    """
    longer = LONGER * (1.0005 if block <= 3 else 0.9995)
    seconds = SECONDS.get(arm, 2.0 * longer) * (1.01 if block % 2 else 1.0)
    return RecoveryFacts(
        stop="Crash",
        signal="SIGKILL",
        before=ServerProcess(process_id=7, started_at=1.0),
        after=ServerProcess(process_id=40, started_at=9.0),
        stopped_at=8.0,
        stop_seconds=0.02,
        restart_seconds=1.4,
        recovery_seconds=seconds,
        resolution_seconds=0.025,
        redo_bytes=64 << 20,
        lines=("InnoDB: Starting crash recovery",),
    )


def recovered(*, without: str = "", blocks: Container[int] = (1,)) -> Report:
    """A study of crashes; the arm `without` has no figure in these blocks."""
    index, bucket = write(Study(concurrency=(4,)))
    trials = []
    for entry in index.trials:
        assert entry.key is not None
        record = decode(TrialRecord, bucket[entry.key], entry.key)
        arm, block = record.spec.arm.name, record.spec.block
        found = None if arm == without and block in blocks else facts(arm, block)
        content = encode(record.model_copy(update={"recovery": found}))
        bucket[entry.key] = content
        trials.append(entry.model_copy(update={"digest": digest_of(content)}))
    workloads = {
        name: one.model_copy(update={"recovery": Recovery(stop="Crash")})
        for name, one in index.resolved.workloads.items()
    }
    resolved = index.resolved.model_copy(update={"workloads": workloads})
    index = index.model_copy(update={"trials": tuple(trials), "resolved": resolved})
    return build(index, bucket.__getitem__)
