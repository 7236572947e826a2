"""Workload: the tool that drives the database, its load, and its client."""

from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import Model, Placement, Resources, optional
from encbench.api.instancetemplate import ImageName, PullPolicy, PullSecrets
from encbench.api.rules import Rule, Unique, either, keys_match, literal, matches, no_key_matches
from encbench.api.scalars import (
    DURATION_PATTERN,
    NO_MILLISECONDS,
    Duration,
    Fraction,
    Int,
    Name,
    Number,
    PositiveDuration,
    parse_duration,
)
from encbench.api.tpcc import TERMINALS_PER_WAREHOUSE, Tpcc

BuiltinScript = Literal[
    "oltp_delete",
    "oltp_insert",
    "oltp_point_select",
    "oltp_read_only",
    "oltp_read_write",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_write_only",
    "select_random_points",
    "select_random_ranges",
]
EnclaveScript = Literal["enclave_point", "enclave_range", "enclave_write"]
"""encbench's own scripts for PostgreSQL, which encrypt at the client in modes with encrypted
types."""
READ_ONLY_SCRIPTS = (
    "enclave_point",
    "enclave_range",
    "oltp_point_select",
    "oltp_read_only",
    "select_random_points",
    "select_random_ranges",
)
"""Scripts that write nothing, so there is nothing to recover after them."""

FLAG_ON, FLAG_OFF = ("on", "true", "1"), ("off", "false", "0")
"""What sysbench takes for an option that is on or off."""

OWNED_OPTIONS = (
    *("config_file", "db_driver", "events", "forced_shutdown", "histogram", "mysql_.*"),
    *("percentile", "pgsql_.*", "rand_seed", "rate", "report_checkpoints", "report_interval"),
    *("table_size", "tables", "threads", "time", "warmup_time"),
)
"""Options of sysbench that other fields set, as patterns; `tools.sysbench` lists the rarer ones."""

_OWNED = f"^({'|'.join(OWNED_OPTIONS)})$".replace("_", "[-_]")


class ConfigMapKeyRef(Model):
    """One entry of a ConfigMap in the same namespace."""

    name: Name = Field(description="Name of the ConfigMap.")
    key: Annotated[
        str,
        Field(max_length=253),
        matches(r"^[-._a-zA-Z0-9]+\.lua$", "name an entry that ends in .lua, such as transfer.lua"),
    ]
    """Entry that holds the script, such as transfer.lua."""


class Sysbench(Model):
    """A sysbench test."""

    rules = (
        either(
            "script",
            "script_config_map_ref",
            "write exactly one of script, a built-in script such as oltp_read_write, and "
            "scriptConfigMapRef: {name, key}, your own Lua script",
        ),
        Rule(
            cel="self.tables == 1 || !has(self.script) || "
            "!self.script.startsWith('select_random_')",
            message="select_random_points and select_random_ranges read only one table: write "
            "tables: 1",
            holds=lambda it: it.tables == 1 or not (it.script or "").startswith("select_random_"),
        ),
    )

    script: Literal[BuiltinScript, EnclaveScript] | None = None
    """A built-in script of sysbench, or one of encbench's own for PostgreSQL with encrypted column
    types: enclave_point, enclave_range and enclave_write."""
    script_config_map_ref: ConfigMapKeyRef | None = None
    """Your own Lua script, read once when the campaign starts. It must define the command prepare,
    a function event(), and the options tables and table_size."""
    tables: Annotated[Int, Field(ge=1, le=10_000)] = Field(1, description="Number of tables.")
    table_size: Annotated[Int, Field(ge=1, le=1_000_000_000)] = 10_000
    """Rows in each table."""
    options: Annotated[
        dict[Annotated[str, Field(max_length=64)], Annotated[str, Field(max_length=256)]],
        Field(max_length=32),
        keys_match(
            "^[a-z][a-z0-9_-]{0,63}$",
            "write options as sysbench does without the leading dashes, such as range-size",
        ),
        no_key_matches(
            _OWNED,
            "omit options that encbench sets itself: write tables, tableSize, load.concurrency, "
            "load.warmup, load.duration and load.rate instead; the connection, the seed and the "
            "output format follow from the campaign",
        ),
    ] = Field(default_factory=dict)
    """Further options of the script without the leading dashes, such as range-size: '100'. An
    option that the script does not declare is refused."""

    @property
    def enclave_workload(self) -> str | None:
        """What encbench's own script does (point, range or write); None for any other script."""
        script, own = self.script or "", "enclave_"
        return script.removeprefix(own) if script.startswith(own) else None

    def option(self, name: str, default: str) -> str:
        """An option by its name with dashes, which may be written with underscores as well."""
        return self.options.get(name, self.options.get(name.replace("-", "_"), default))

    def flag(self, name: str, *, default: bool) -> bool:
        """Whether such an option is on."""
        return self.option(name, FLAG_ON[0] if default else FLAG_OFF[0]) not in FLAG_OFF


Stop = Literal["Clean", "Crash"]


class Recovery(Model):
    """A stop of the server under load, to measure the time until it answers again."""

    stop: Stop
    """Clean: the server's own quick shutdown. Crash: SIGKILL to all its processes."""


class Load(Model):
    """The load and its duration."""

    concurrency: Annotated[
        list[Annotated[Int, Field(ge=1, le=4096)]], Field(min_length=1, max_length=32), Unique()
    ]
    """Client threads (TPC-C: terminals, with dialect 6 connections), in total over all replicas.
    Each value is measured separately."""
    warmup: Annotated[Duration, NO_MILLISECONDS] = "30s"
    """Load before the measured window, excluded from every figure; 0s for none."""
    duration: Annotated[PositiveDuration, NO_MILLISECONDS] = "60s"
    """Length of the measured window; that of an interleaved block follows from blocks.interleave
    instead."""
    rate: Annotated[Int, Field(ge=1, le=10_000_000)] | None = None
    """Transactions to offer per second, in total over all replicas; as many as possible if omitted.
    A trial fails once 131,071 of them wait in a client, which is all that sysbench's queue
    holds."""

    @property
    def warmup_seconds(self) -> float:
        """Warm-up in seconds."""
        return parse_duration(self.warmup)

    @property
    def duration_seconds(self) -> float:
        """Measured window in seconds."""
        return parse_duration(self.duration)


class Client(Model):
    """The pods that run the tool."""

    image: ImageName | None = None
    """Image of the tool, used unchanged; if omitted, the installation's image of sysbench or of
    encbench's own TPC-C client."""
    image_pull_policy: PullPolicy = "IfNotPresent"
    """When the kubelet pulls the image."""
    image_pull_secrets: PullSecrets = Field(default_factory=list)
    """Names of Secrets for pulling the image, besides the installation's own."""
    replicas: Annotated[Int, Field(ge=1, le=64)] = 1
    """Client pods; they start together, and their TPS is added up."""
    resources: Resources = Field(description="CPU and memory of each client pod's tool.")
    placement: Placement = Field(default_factory=Placement)
    """Nodes on which the clients may run."""


def _whole_minutes(field: str) -> str:
    """CEL: that duration is in whole minutes. A malformed one passes: its own rule refuses it."""
    text = f"self.load.{field}"
    return (
        f"!{text}.matches({literal(DURATION_PATTERN)}) || duration({text}).getSeconds() % 60 == 0"
    )


def _is_benchmarksql(workload: "WorkloadSpec", dialect: int) -> bool:
    tpcc = workload.tpcc
    return tpcc is not None and tpcc.benchmarksql is not None and tpcc.dialect == dialect


_READ_ONLY = f"[{', '.join(map(literal, READ_ONLY_SCRIPTS))}]"
_NOT_BENCHMARKSQL = "!has(self.tpcc) || !has(self.tpcc.benchmarksql)"


class WorkloadSpec(Model):
    """A tool, its dataset, the load and the client."""

    rules = (
        either(
            "sysbench",
            "tpcc",
            "write exactly one tool: sysbench: {script: oltp_read_write}, or tpcc: {warehouses: "
            "10}",
        ),
        Rule(
            cel="self.load.concurrency.all(threads, threads >= self.client.replicas)",
            message="every replica needs a thread: make each load.concurrency at least "
            "client.replicas, or lower client.replicas",
            holds=lambda it: min(it.load.concurrency) >= it.client.replicas,
        ),
        Rule(
            cel="!has(self.load.rate) || self.load.rate >= self.client.replicas",
            message="every replica offers at least one transaction a second: make load.rate at "
            "least client.replicas, or lower client.replicas",
            holds=lambda it: it.load.rate is None or it.load.rate >= it.client.replicas,
        ),
        Rule(
            cel="!has(self.tpcc) || !has(self.load.rate)",
            message="TPC-C counts in minutes: write tpcc.limitTxnsPerMin instead of load.rate, or "
            "with dialect 6 the options keyingTimeMultiplier and thinkTimeMultiplier",
            holds=lambda it: it.tpcc is None or it.load.rate is None,
        ),
        Rule(
            cel="!has(self.tpcc) || "
            "(!self.tpcc.terminalWarehouseFixed && !has(self.tpcc.benchmarksql)) || "
            "self.load.concurrency.all(terminals, "
            f"terminals <= {TERMINALS_PER_WAREHOUSE} * self.tpcc.warehouses)",
            message=f"a warehouse has {TERMINALS_PER_WAREHOUSE} terminals: raise tpcc.warehouses, "
            "lower load.concurrency or, with encbench's own client, write "
            "terminalWarehouseFixed: false",
            holds=lambda it: (
                it.tpcc is None
                or (not it.tpcc.terminal_warehouse_fixed and it.tpcc.benchmarksql is None)
                or max(it.load.concurrency) <= TERMINALS_PER_WAREHOUSE * it.tpcc.warehouses
            ),
        ),
        Rule(
            cel="!has(self.tpcc) || !has(self.tpcc.limitTxnsPerMin) || "
            "self.load.concurrency.all(terminals, terminals <= self.tpcc.limitTxnsPerMin)",
            message="every terminal offers at least one transaction a minute: make "
            "tpcc.limitTxnsPerMin at least the highest load.concurrency",
            holds=lambda it: (
                it.tpcc is None
                or it.tpcc.limit_txns_per_min is None
                or max(it.load.concurrency) <= it.tpcc.limit_txns_per_min
            ),
        ),
        Rule(
            cel=f"{_NOT_BENCHMARKSQL} || has(self.client.image)",
            message="encbench has no image with BenchmarkSQL: write yours in client.image, or omit "
            "tpcc.benchmarksql to use encbench's own client",
            holds=lambda it: (
                it.tpcc is None or it.tpcc.benchmarksql is None or it.client.image is not None
            ),
        ),
        Rule(
            cel=f"{_NOT_BENCHMARKSQL} || {_whole_minutes('duration')}",
            message="BenchmarkSQL counts in whole minutes: make load.duration a multiple of 1m, "
            "or omit tpcc.benchmarksql and client.image (with dialect: 5) to use encbench's own "
            "client",
            holds=lambda it: (
                it.tpcc is None
                or it.tpcc.benchmarksql is None
                or it.load.duration_seconds % 60 == 0
            ),
        ),
        Rule(
            cel=f"{_NOT_BENCHMARKSQL} || self.tpcc.dialect == 6 || "
            "!self.load.warmup.matches('[1-9]')",
            message="BenchmarkSQL 5 has no warm-up: write load.warmup: 0s and a longer "
            "load.duration, or omit tpcc.benchmarksql and client.image to use encbench's own "
            "client",
            holds=lambda it: not _is_benchmarksql(it, 5) or it.load.warmup_seconds == 0,
        ),
        Rule(
            cel=f"{_NOT_BENCHMARKSQL} || self.tpcc.dialect == 5 || {_whole_minutes('warmup')}",
            message="BenchmarkSQL counts in whole minutes: make load.warmup a multiple of 1m, or "
            "0s",
            holds=lambda it: not _is_benchmarksql(it, 6) or it.load.warmup_seconds % 60 == 0,
        ),
        Rule(
            cel="!has(self.recovery) || !has(self.tpcc)",
            message="recovery is measured under sysbench's load: write sysbench: {script: "
            "oltp_write_only} instead of tpcc, or omit recovery",
            holds=lambda it: it.recovery is None or it.tpcc is None,
        ),
        Rule(
            cel="!has(self.recovery) || self.recovery.stop != 'Crash' || !has(self.sysbench) || "
            f"!has(self.sysbench.script) || !(self.sysbench.script in {_READ_ONLY})",
            message="after a read-only load there is nothing to recover from a crash: write "
            "script: oltp_write_only or another one that writes, or recovery: {stop: Clean}",
            holds=lambda it: (
                it.recovery is None
                or it.recovery.stop != "Crash"
                or it.sysbench is None
                or it.sysbench.script not in READ_ONLY_SCRIPTS
            ),
        ),
    )

    sysbench: Sysbench | None = None
    """The sysbench test to run; exactly one of sysbench and tpcc."""
    tpcc: Tpcc | None = optional("TPC-C over JDBC; exactly one of sysbench and tpcc.")
    recovery: Recovery | None = None
    """Stop the server after warm-up and duration, with the load still running, and measure the time
    from its restart to the first answered query. Needs reset: trial in the campaign."""
    load: Load = Field(description="Concurrency levels, warm-up and duration.")
    client: Client = Field(description="Pods that drive the load.")
    max_error_rate: Fraction = 0.01
    """Errors per transaction above which a trial is Invalid: errors that sysbench ignored, or
    transactions that a TPC-C client gave up."""
    max_read_kib: Annotated[Number, Field(ge=0, le=1_000_000)] | None = None
    """KiB that the database may read from its disk per transaction; a trial with more is Invalid.
    Near 0, such as 1, it proves that the data were in memory. Any amount if omitted."""

    @property
    def load_image(self) -> str | None:
        """The image that loads the dataset in place of the client's; None where the client does."""
        benchmarksql = self.tpcc.benchmarksql if self.tpcc else None
        return benchmarksql.load_image if benchmarksql else None

    @property
    def paced(self) -> bool:
        """Whether pauses of the client pace the load, at a rate that is not known beforehand."""
        return self.tpcc is not None and self.tpcc.paced

    @property
    def reports_sessions(self) -> bool:
        """Whether its clients report what their sessions negotiated; BenchmarkSQL does not.

        In a mode without inTransit a server of ours has no TLS, which its settings prove; of an
        external one that is not proven (`proofs.clients.silent`). `tools.tpcc.problems` refuses the
        other modes.
        """
        return self.tpcc is None or self.tpcc.benchmarksql is None

    @property
    def own_script(self) -> bool:
        """Whether sysbench runs a script of the user's own, whose tables encbench does not know."""
        return self.sysbench is not None and self.sysbench.script_config_map_ref is not None

    @property
    def sysbench_test(self) -> Sysbench:
        """The sysbench test, of a workload that has one."""
        assert self.sysbench is not None  # noqa: S101 - who asks knows the tool
        return self.sysbench

    @property
    def tpcc_test(self) -> Tpcc:
        """TPC-C, of a workload that has it."""
        assert self.tpcc is not None  # noqa: S101 - who asks knows the tool
        return self.tpcc
