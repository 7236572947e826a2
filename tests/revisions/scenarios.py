"""The simulated campaigns: every engine, mode and tool, and the ways in which a campaign can go.

Each holds the very objects that a user applies, so both revisions get the same.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tests.revisions.parts import (
    BENCHMARKSQL,
    CLAIM,
    CLASS,
    DRIVERS,
    ENGINES,
    FULL,
    JAR,
    KEYS,
    LOAD,
    LOGIN,
    MINUTES,
    OF_ALL,
    OF_COLUMNS,
    OF_ONE,
    OF_TDE,
    OLTP,
    OWN_SCRIPT,
    PEM,
    SCRIPTS,
    SEVERAL,
    TPCC,
    TPCC_FULL,
    WRITES,
    Body,
    Specs,
    columns,
    external,
    instance,
    ours,
    plain_and,
    secret,
    tde,
)


@dataclass(frozen=True)
class Scenario:
    """One simulated world: what is applied to it, and how it goes."""

    name: str
    engine: str
    instances: Specs
    modes: Specs
    workloads: Specs
    campaign: Body = field(default_factory=dict)
    """Fields of the Campaign's spec beside the matrix."""
    others: tuple[Body, ...] = ()
    """Secrets, StorageClasses and whatever else the campaign names."""
    faults: Mapping[tuple[int, str], Body] = field(default_factory=dict)
    """(block, arm) → fields of the plan by which its clients run."""
    ends: str = "Succeeded"
    """The phase to expect at its end, because a scenario that fails early tests nothing."""

    @property
    def tpcc(self) -> bool:
        """Whether its tables are TPC-C's."""
        return any("tpcc" in spec for spec in self.workloads.values())

    def objects(self) -> list[Body]:
        """Everything to apply, the campaign last."""
        return [
            *self.others,
            *(ours("InstanceTemplate", name, spec) for name, spec in self.instances.items()),
            *(ours("EncryptionMode", name, spec) for name, spec in self.modes.items()),
            *(ours("Workload", name, spec) for name, spec in self.workloads.items()),
            ours("Campaign", "study", self._campaign()),
        ]

    def _campaign(self) -> Body:
        matrix = {
            "instanceRefs": list(self.instances),
            "modeRefs": [name for name in self.modes if name != "plain"] or ["plain"],
            "workloadRefs": list(self.workloads),
        }
        blocks = {"min": 1, "maxReplacements": 1}
        return {
            "matrix": [matrix],
            "baselineModeRef": "plain",
            "blocks": blocks,
            "seed": 11,
            **self.campaign,
        }


def scenarios() -> Iterator[Scenario]:
    """All of them."""
    for engine in ENGINES:
        small = {"small": instance(engine)}
        # A campaign has sixteen modes at most.
        for part, modes in (("modes", OF_ALL), ("own-modes", {"plain": {}, **OF_ONE[engine]})):
            yield Scenario(
                f"{engine}-{part}", engine, small, modes, {"oltp": OLTP}, others=(CLASS, *KEYS)
            )
        yield Scenario(
            f"{engine}-workloads",
            engine,
            {"full": instance(engine, **FULL, settings=ENGINES[engine]["settings"])},
            plain_and(OF_ALL, "tls"),
            {"oltp": OLTP, "several": SEVERAL, "own-script": OWN_SCRIPT, "tpcc": TPCC_FULL},
            others=(SCRIPTS,),
        )
        yield Scenario(f"{engine}-benchmarksql", engine, small, {"plain": {}}, BENCHMARKSQL)
        yield Scenario(
            f"{engine}-resets",
            engine,
            small,
            plain_and(OF_ALL, "tls", "gocryptfs", "class"),
            {"oltp": OLTP},
            {"reset": "trial", "residency": "OnDemand"},
            others=(CLASS,),
        )
        yield Scenario(
            f"{engine}-external",
            engine,
            {"rds": external(engine)},
            plain_and(OF_ALL, "tls"),
            {"oltp": OLTP, "tpcc": TPCC},
            others=(secret("rds", "credentials", **LOGIN, **{"ca.crt": PEM}),),
        )
    yield from _mariadb()
    yield Scenario(
        "mysql-tpcc-columns",
        "mysql",
        {"small": instance("mysql")},
        DRIVERS,
        {"tpcc": TPCC},
        others=(CLAIM, *KEYS),
    )


def _mariadb() -> Iterator[Scenario]:
    """Ways in which a campaign can go, whatever the engine."""
    small = {"small": instance("mariadb")}
    two = plain_and({**OF_ALL, **OF_TDE}, "tde")
    yield Scenario(
        "blocks",
        "mariadb",
        {**small, "full": instance("mariadb", **FULL)},
        two,
        {"oltp": OLTP},
        {"blocks": {"min": 3}, "margin": 0.02, "allowColocation": True},
    )
    yield Scenario(
        "two-externals",
        "mariadb",
        {"rds": external("mariadb"), "other": external("mariadb", host="10.1.2.3", port=7000)},
        {"plain": {}},
        {"oltp": OLTP},
        others=(secret("rds", "credentials", **LOGIN),),
    )
    yield Scenario(
        "precision",
        "mariadb",
        small,
        two,
        {"oltp": OLTP},
        {"blocks": {"min": 8, "max": 12, "perTestbed": 2}, "precision": {"targetHalfWidth": 0.002}},
    )
    yield Scenario(
        "block-resets",
        "mariadb",
        small,
        two,
        {"oltp": {**OLTP, "load": {**LOAD, "concurrency": [2, 4]}}},
        {"reset": "block"},
    )
    yield Scenario("cold", "mariadb", small, two, {"oltp": OLTP}, {"cache": "Cold"})
    yield Scenario(
        "invalid-trials",
        "mariadb",
        small,
        two,
        {"oltp": SEVERAL},
        {"blocks": {"min": 3, "maxReplacements": 4}},
        faults={
            (1, "tde"): {"throttled": 3.0},
            (2, "plain"): {"exit_code": 1},
            (3, "plain-control"): {"errors": 100_000},
        },
    )
    yield Scenario(
        "too-many-invalid-trials",
        "mariadb",
        small,
        two,
        {"oltp": OLTP},
        {"blocks": {"min": 2, "maxReplacements": 0}},
        faults={(1, "tde"): {"session": None}},
        ends="Failed",
    )
    of6 = BENCHMARKSQL["benchmarksql6"]
    yield Scenario(
        "lost-series",
        "mariadb",
        small,
        {"plain": {}},
        {"tpcc": {**of6, "load": {**MINUTES, "warmup": "1m"}}},
        {"blocks": {"min": 2, "maxReplacements": 0}},
        # The world's Prometheus has no samples of so long a run.
        ends="Failed",
    )
    for stop in ("Crash", "Clean"):
        yield Scenario(
            f"recovery-{stop.lower()}",
            "mariadb",
            small,
            two,
            {"writes": {**WRITES, "recovery": {"stop": stop}}},
            {"blocks": {"min": 2}, "reset": "trial"},
        )
    yield Scenario(
        "failed-testbed",
        "mariadb",
        {"small": instance("mariadb", version="11.4")},
        two,
        {"oltp": OLTP},
        ends="Failed",
    )
    yield from _refused(small)


def _refused(small: Specs) -> Iterator[Scenario]:
    """Campaigns that are not accepted, for as many reasons as fit into one."""
    yield Scenario(
        "refused",
        "mariadb",
        {
            **small,
            "pg": instance("postgresql", settings={"shared_bufers": "1GB", "port": "1"}),
            "my": instance("mysql", settings={"innodb_bufer_pool_size": "64M"}),
            "rds": external("mysql"),
            "tiny": instance("mariadb", resources={"cpu": "1", "memory": "160Mi"}),
        },
        {
            **plain_and(
                {**OF_ALL, **OF_TDE, **OF_COLUMNS}, "tde", "class", "columns-listed", "tls12"
            ),
            "tde-own-key": tde(keySecretRef={"name": "gone"}),
            "mistyped": columns(list=["sbtest.pat"]),
            "jar": {"driver": {"jar": {**JAR, "claimName": "gone", "path": "d.jar"}}},
        },
        {
            "oltp": OLTP,
            "script": OWN_SCRIPT,
            "unknown": {**OLTP, "sysbench": {**OLTP["sysbench"], "options": {"no-such": "1"}}},
            "many": {**OLTP, "load": {**LOAD, "concurrency": [2000]}},
            "tpcc": TPCC,
            "crash": {**WRITES, "recovery": {"stop": "Crash"}},
        },
        {"reset": "none", "cache": "Cold", "residency": "OnDemand"},
        ends="Refused",
    )
    yield Scenario(
        "refused-references",
        "mariadb",
        small,
        {"plain": {}},
        {"oltp": OLTP},
        {
            "matrix": [{"instanceRefs": ["a"], "modeRefs": ["b"], "workloadRefs": ["c", "oltp"]}],
            "baselineModeRef": "d",
        },
        ends="Refused",
    )
