"""MySQL's words for a start after a crash, at `log_error_verbosity` 3 as `settings` has it."""

from encbench.engines.recovery import RecoveryLog

LOG = RecoveryLog(
    started=r"\bstarting as process PID\b",
    recovered=(r"Starting crash recovery",),
    further=(
        r"Database was not shutdown normally",
        r"Doing recovery: scanned up to log sequence number",
        r"Applying a batch of \d+ redo log records",
        r"Apply batch completed",
        r"Starting XA crash recovery",
        r"XA crash recovery finished",
        r"rolled back or cleaned up",
    ),
)
