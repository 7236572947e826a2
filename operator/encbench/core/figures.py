"""Figures that only some tools give, by the name under which records, results and rows keep them.

A tool's figures are rates or counts over all replicas, because those add up; a recovery's are the
server's.
"""

NEW_ORDERS = "newOrdersPerSecond"
"""TPC-C: tpmC / 60, of the New-Orders alone; TPS is of all five transactions."""
RETRIES = "retriesPerSecond"
"""TPC-C: tries that a deadlock, a lock timeout or a serialisation failure ended and that were made
again."""
RECOVERY_SECONDS = "recoverySeconds"
"""Recovery workloads: from the start of the new server process to its first answer to a query."""
STOP_SECONDS = "stopSeconds"
"""Recovery workloads: from the signal until no process of the server was left."""
