"""MariaDB's words for a start after a crash. Seen with 10.11 and 11.8."""

from encbench.engines.recovery import RecoveryLog

LOG = RecoveryLog(
    started=r"[Ss]tarting .* as process PID\b",
    recovered=(r"InnoDB: Starting crash recovery",),
    further=(
        r"InnoDB: End of log at LSN",
        r"InnoDB: To recover: ",
        r"InnoDB: .*rolled back or cleaned up",
        r"Recovering after a crash using ",
        r"Crash table recovery finished",
    ),
)
