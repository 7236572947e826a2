"""What the replicas of a workload's client offer together."""

from encbench.api.workload import WorkloadSpec


def shares(whole: int, parts: int) -> list[int]:
    """A number divided into parts that differ by at most one, the larger ones first."""
    each, rest = divmod(whole, parts)
    return [each + (index < rest) for index in range(parts)]


def offered_tps(workload: WorkloadSpec, concurrency: int) -> float | None:
    """The fixed rate at so many threads, in transactions a second; None without one.

    Each terminal of BenchmarkSQL has a whole number of transactions a minute of its client's limit,
    without the rest of the division.
    """
    tpcc, rate = workload.tpcc, workload.load.rate
    if tpcc is None or tpcc.limit_txns_per_min is None:
        return None if rate is None else float(rate)
    limit, replicas = tpcc.limit_txns_per_min, workload.client.replicas
    if tpcc.benchmarksql is not None:
        parts = zip(shares(limit, replicas), shares(concurrency, replicas), strict=True)
        limit = sum(own // terminals * terminals for own, terminals in parts)
    return limit / 60
