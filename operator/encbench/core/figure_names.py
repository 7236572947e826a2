"""Figures that only some workloads have, by their name in records, results and rows.

A tool's figures are rates or counts over all replicas, because those add up; others are the
server's.
"""

NEW_ORDERS = "newOrdersPerSecond"
"""TPC-C: tpmC / 60, the New-Order transactions alone; TPS counts all five transactions."""
RETRIES = "retriesPerSecond"
"""TPC-C: retries after a deadlock, a lock timeout or a serialisation failure."""
ROUND_TRIPS = "roundTripsPerSecond"
"""TPC-C: requests after which the client waits for the server; a batch is one, as is a commit."""
CELLS = "cellsPerSecond"
"""TPC-C: values of the rows that the server returned."""
DELIVERED = "deliveredOrdersPerSecond"
"""TPC-C: districts in which a Delivery found an order; ten are one Delivery."""
SKIPPED = "skippedDistrictsPerSecond"
"""TPC-C: districts in which it found none (clause 2.7.4.2)."""
RECOVERY_SECONDS = "recoverySeconds"
"""Recovery workloads: from the start of the new server process to its first answer to a query."""
STOP_SECONDS = "stopSeconds"
"""Recovery workloads: from the signal until no process of the server was left."""
PROXY_CPU = "proxyCpuCores"
"""Modes with a proxy: the cores that it used."""
