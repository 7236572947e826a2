"""PostgreSQL's words for a start after a crash, under `log_line_prefix` with the process number."""

from encbench.engines.recovery import RecoveryLog

LOG = RecoveryLog(
    started=r"\[PID\] LOG: +starting PostgreSQL ",
    recovered=(r"database system was not properly shut down; automatic recovery in progress",),
    further=(
        r"database system was interrupted",
        r"LOG: +redo starts at ",
        r"LOG: +redo done at ",
        r"LOG: +redo is not required",
    ),
)
