"""What crossing an enclave's boundary costs, as the published tables of the fifth study imply.

Two parameters: a transition, and a value that is opened or sealed. The model counts both for each
workload, and adds their time to a transaction's latency at the lowest number of threads:

    overhead = 1 - latency / (latency + transitions * transition + values * value)

More threads slow everything down. The model takes it that they slow the crossings as much as the
rest, so that the overhead does not depend on their number.

``python -m tests.calibration.enclave`` prints the tables of campaigns/rds-postgresql-enclave.
"""

import csv
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scipy.optimize import least_squares

PUBLISHED = Path(__file__).parents[1] / "data/reference/rds_postgresql_sgx_sysbench.csv"
THREADS = (8, 16, 24, 32)


@dataclass(frozen=True)
class Work:
    """Crossings of the boundary, and the values that are opened or sealed in them."""

    transitions: float
    values: float

    def __add__(self, other: "Work") -> "Work":
        return Work(self.transitions + other.transitions, self.values + other.values)


@dataclass(frozen=True)
class Costs:
    """The two parameters, in microseconds."""

    transition: float
    value: float

    def of(self, work: Work) -> float:
        return self.transition * work.transitions + self.value * work.values


# Counted by enclave_crossings() on a table of 1,000,000 rows, PostgreSQL 15, means of 300 to 500
# statements with random keys. An update finds its page full and writes a new index entry. A range
# has 100 rows, and the server compares each with both ends.
POINT = Work(24.06, 48.12)
RANGE = Work(226.56, 552.11)
UPDATE_K = Work(50.53, 102.06)
UPDATE_C = Work(49.53, 99.07)
DELETE = Work(24.07, 48.13)
INSERT = Work(25.39, 50.79)
POINT_BY_K = Work(24.05, 48.09)
RANGE_BY_K = Work(226.42, 551.85)
PAGED_POINT_BY_K = Work(3.00, 31.24)
PAGED_RANGE_BY_K = Work(6.39, 161.09)

SUM_OF_RANGE = Work(1, 101)
ADDITION = Work(1, 3)


def client(*values: int) -> Work:
    """The client's part of statements with so many encrypted parameters and results each.

    Scenario 1's point query opens nothing on the server, and is 23 to 30 us slower: three
    transitions and a value. So three are booked for each statement, whatever the client does.
    """
    return Work(3 * len(values), sum(values))


WORKLOADS: Mapping[str, Work] = {
    "pk_plain_point": client(1),
    "pk_plain_range": client(1) + SUM_OF_RANGE,
    # No comparison of k: the published figures leave no room for one.
    "pk_plain_write": client(1, 1, 3) + ADDITION,
    "all_columns_point": client(2) + POINT,
    "all_columns_range": client(3) + RANGE,
    "all_columns_write": client(2, 2, 1, 4) + UPDATE_K + UPDATE_C + DELETE + INSERT,
}
SCENARIO_3: Mapping[str, tuple[str, Work, Work]] = {
    "point": ("pk_plain_point", client(2) + POINT_BY_K, client(2) + PAGED_POINT_BY_K),
    "range": ("pk_plain_range", client(3) + RANGE_BY_K, client(3) + PAGED_RANGE_BY_K),
}
"""The published table whose plain figures stand for those by k, one by one, and page by page."""


@dataclass(frozen=True)
class Figure:
    """A line of a published table."""

    table: str
    threads: int
    plain: float
    encrypted: float
    """Thousands of transactions a second."""

    @property
    def overhead(self) -> float:
        """Per cent of the plain throughput that are lost."""
        return 100 * (1 - self.encrypted / self.plain)


def published() -> list[Figure]:
    """Tables 1 to 6."""
    with PUBLISHED.open(newline="") as file:
        return [
            Figure(
                row["table"],
                int(row["threads"]),
                float(row["disabled_ktps"]),
                float(row["enabled_ktps"]),
            )
            for row in csv.DictReader(file)
        ]


def latency(table: str, figures: Iterable[Figure]) -> float:
    """Microseconds of a plain transaction at the lowest number of threads."""
    (found,) = (one for one in figures if one.table == table and one.threads == THREADS[0])
    return 1000 * found.threads / found.plain


def overhead(plain: float, work: Work, costs: Costs) -> float:
    """Per cent, predicted."""
    added = costs.of(work)
    return 100 * added / (plain + added)


def errors(costs: Costs, figures: list[Figure]) -> list[float]:
    """Predicted less published overhead, in percentage points, line by line."""
    return [
        overhead(latency(one.table, figures), WORKLOADS[one.table], costs) - one.overhead
        for one in figures
    ]


def fit(figures: list[Figure]) -> Costs:
    """The costs with the least squares of errors."""
    found = least_squares(lambda pair: errors(Costs(*pair), figures), x0=(5.0, 0.5))
    return Costs(*map(float, found.x))


def fitted_table(costs: Costs, figures: list[Figure]) -> str:
    """Published and predicted overheads, as Markdown."""
    head = [f"{threads}" for threads in THREADS]
    lines = [f"| table | {' | '.join(head)} | predicted |", f"|---|{'---|' * (len(head) + 1)}"]
    for table, work in WORKLOADS.items():
        given = [f"{one.overhead:.1f}" for one in figures if one.table == table]
        said = overhead(latency(table, figures), work, costs)
        lines.append(f"| {table} | {' | '.join(given)} | {said:.1f} |")
    return "\n".join(lines)


def prediction_table(costs: Costs, figures: list[Figure]) -> str:
    """Scenario 3 in thousands of transactions a second, and overheads, as Markdown."""
    lines = [
        "| workload | threads | disabled | enabled | enabled, page batching |",
        "|---|---|---|---|---|",
    ]
    for workload, (table, single, paged) in SCENARIO_3.items():
        lost = [overhead(latency(table, figures), work, costs) for work in (single, paged)]
        for one in figures:
            if one.table == table:
                left = [f"{one.plain * (1 - part / 100):.2f} (−{part:.1f} %)" for part in lost]
                lines.append(f"| {workload} | {one.threads} | {one.plain} | {' | '.join(left)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the fit and what it predicts."""
    figures = published()
    costs = fit(figures)
    away = [abs(error) for error in errors(costs, figures)]
    print(
        f"transition {costs.transition:.2f} us, value {costs.value:.2f} us; largest error "
        f"{max(away):.1f}, median {statistics.median(away):.1f} percentage points\n"
    )
    print(f"{fitted_table(costs, figures)}\n\n{prediction_table(costs, figures)}")


if __name__ == "__main__":
    main()
