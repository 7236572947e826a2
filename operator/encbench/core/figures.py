"""Figures that only some tools give, by the name under which records, results and rows keep them.

Each is a rate or a count over all replicas, for that is how replicas add up.
"""

NEW_ORDERS = "newOrdersPerSecond"
"""TPC-C: tpmC / 60, of the New-Orders alone; TPS is of all five transactions."""
RETRIES = "retriesPerSecond"
"""TPC-C: tries that a deadlock, a lock timeout or a serialisation failure ended and that were made
again."""

LABELS = {
    NEW_ORDERS: "New Orders a second",
    RETRIES: "retries a second",
}
"""What a heading says."""
