"""TPC-C over JDBC: the part of a Workload for BenchmarkSQL and compatible clients.

The rules that need more than this part (terminals, durations) are in `workload`.
"""

import re
from typing import Annotated, Literal

from pydantic import Field

from encbench.api.base import Model, optional
from encbench.api.instancetemplate import ImageName
from encbench.api.rules import Rule, keys_match, matches, no_key_matches
from encbench.api.scalars import Bool, Int, Number, Word

TERMINALS_PER_WAREHOUSE = 10
"""A warehouse has ten districts, and a terminal is bound to one (TPC-C clause 2.4.1.1)."""

DRIVERS = ("com.mysql.cj.jdbc.Driver", "org.mariadb.jdbc.Driver", "org.postgresql.Driver")
"""JDBC drivers by their class; `tools.tpcc.jdbc` builds the URL of each."""

PAUSES = ("keyingTimeMultiplier", "thinkTimeMultiplier")
"""Options of BenchmarkSQL 6 by which a terminal waits between its transactions, unless 0."""

_OWNED = (
    "^(conn|db|driver|loadWorkers|limitTxnsPerMin|password.*|rampup(SUT|Terminal)?Mins|"
    "resultDirectory|runSeconds|seed|statements|sutThreads|terminal(s|sTotal|Offset|WarehouseFixed)|user.*|"
    "warehouses|warmupSeconds|.*Weight)$"
)
"""Properties of the props file that other fields set."""
_LENGTHS = "^(runMins|runTxnsPerTerminal)$"
_URL_OWNED = (
    "^(?i:user|password.*|ssl.*|useSSL|requireSSL|verifyServerCertificate|trust.*|tls.*|"
    "enabled(TLS|Ssl).*|serverSslCert|clientCert.*|allowPublicKeyRetrieval|serverRSAPublicKeyFile)$"
)
"""Parameters of login and TLS; Connector/J takes any case."""
_URL_CODE = (
    "^(?i:allow(LoadLocal|LocalInfile|UrlIn).*|autoDeserialize|.*(class|classname|factory.*|"
    "interceptors|plugins?|provider|file|logger|url))$"
)
"""Parameters by which a driver runs a class, or reads or writes a file, of the author's choice."""
_WHOLE = (
    "[self.mix.newOrder, self.mix.payment, self.mix.orderStatus, self.mix.delivery, "
    "self.mix.stockLevel].all(weight, weight == double(int(weight)))"
)

DriverName = Annotated[
    str,
    Field(max_length=128),
    matches(
        f"^({'|'.join(name.replace('.', '[.]') for name in DRIVERS)})$",
        f"write a JDBC driver that encbench knows: {', '.join(DRIVERS)}; or leave it out for the "
        "engine's own",
    ),
]
LineOfText = Annotated[
    str, Field(max_length=256), matches("^[ -~]*$", "write a value on one line, in ASCII")
]
UrlValue = Annotated[
    str,
    Field(max_length=256),
    matches(
        "^[-._,:/+@a-zA-Z0-9]*$",
        "write a value of letters, digits and - . _ , : / + @, which need no escaping in a URL",
    ),
]
Weight = Annotated[Number, Field(ge=0, le=100)]
Statements = Literal["benchmarksql", "lean"]
"""The statements that TPC-C's transactions consist of (docs/tpcc.md)."""


class Mix(Model):
    """The share of each of the five transactions, in percent."""

    rules = (
        Rule(
            cel="self.newOrder + self.payment + self.orderStatus + self.delivery + "
            "self.stockLevel > 99.999 && self.newOrder + self.payment + self.orderStatus + "
            "self.delivery + self.stockLevel < 100.001",
            message="make the five weights add up to 100; the defaults are newOrder: 45, payment: "
            "43, orderStatus: 4, delivery: 4, stockLevel: 4",
            holds=lambda it: 99.999 < sum(it.weights.values()) < 100.001,
        ),
    )

    new_order: Weight = Field(45.0, description="New-Order, percent.")
    payment: Weight = Field(43.0, description="Payment, percent.")
    order_status: Weight = Field(4.0, description="Order-Status, percent.")
    delivery: Weight = Field(4.0, description="Delivery, percent.")
    stock_level: Weight = Field(4.0, description="Stock-Level, percent.")

    @property
    def weights(self) -> dict[str, float]:
        """Percent by transaction, in BenchmarkSQL's spelling."""
        return self.to_dict()


class BenchmarkSql(Model):
    """The place of BenchmarkSQL in an image."""

    home: Annotated[
        str,
        Field(max_length=256),
        matches(
            r"^/[-._/a-zA-Z0-9]*$", "write the folder as an absolute path, such as /benchmarksql"
        ),
    ] = "/benchmarksql"
    """Folder in the image that contains lib and run, which has runBenchmark.sh."""
    load_image: ImageName | None = None
    """Image of encbench's own client, which then loads the data in BenchmarkSQL's place. If
    omitted, it is the installation's for an external database, whose data have to be checked after
    loading; any other database is loaded by BenchmarkSQL. A campaign with both needs it."""


class Tpcc(Model):
    """TPC-C over JDBC. It is not a TPC result: there is no think time and no audit."""

    rules = (
        Rule(
            cel="self.dialect == 5 || has(self.benchmarksql)",
            message="dialect 6 needs BenchmarkSQL 6: write benchmarksql: {home: /benchmarksql} "
            "and its image in client.image, or dialect: 5 without client.image for encbench's "
            "own client",
            holds=lambda it: it.dialect == 5 or it.benchmarksql is not None,
        ),
        Rule(
            cel="self.dialect == 5 || self.terminalWarehouseFixed",
            message="terminals of BenchmarkSQL 6 always keep their warehouse: omit "
            "terminalWarehouseFixed, or use dialect 5",
            holds=lambda it: it.dialect == 5 or it.terminal_warehouse_fixed,
        ),
        Rule(
            cel="self.dialect == 5 || !has(self.limitTxnsPerMin)",
            message="BenchmarkSQL 6 has no limitTxnsPerMin: omit it, or slow the terminals down "
            "with the options keyingTimeMultiplier and thinkTimeMultiplier",
            holds=lambda it: it.dialect == 5 or it.limit_txns_per_min is None,
        ),
        Rule(
            cel="!has(self.benchmarksql) || !has(self.statements) || "
            "self.statements == 'benchmarksql'",
            message="BenchmarkSQL sends its own statements: omit statements, or omit benchmarksql "
            "and client.image to have lean ones by encbench's own client",
            holds=lambda it: it.benchmarksql is None or it.statements != "lean",
        ),
        Rule(
            cel=f"self.dialect == 6 || {_WHOLE}",
            message="dialect 5 needs weights in whole percent: write mix without fractions",
            holds=lambda it: it.dialect == 6 or all(w == int(w) for w in it.mix.weights.values()),
        ),
    )

    warehouses: Annotated[Int, Field(ge=1, le=100_000)]
    """Size of the database: each warehouse has about 100 MB, 100,000 stock items and 30,000
    customers."""
    dialect: Literal[5, 6] = 5
    """Version of BenchmarkSQL whose properties and log lines the client uses; encbench's own client
    uses those of 5."""
    benchmarksql: BenchmarkSql | None = None
    """Says that client.image contains BenchmarkSQL; if omitted, it is encbench's own client
    (tpcc)."""
    statements: Statements | None = None
    """Statements of encbench's own client: benchmarksql sends those that a server sees from
    BenchmarkSQL, with its round trips and result cells; lean sends as few as the database allows,
    and is what a client without this field sends."""
    full_check: Literal["AtEnd"] | None = None
    """AtEnd: after the last block of each set of testbeds, ask conditions 5 to 12 of clause 3.3.2
    as well, which read every order, line, customer and payment; stepDeadlines.proof of the Campaign
    limits them. Never if omitted."""
    mix: Mix = Field(default_factory=Mix, description="Weights of the transactions, percent.")
    terminal_warehouse_fixed: Bool = True
    """Each terminal keeps one warehouse and district, as in TPC-C; if false, it draws one for each
    transaction."""
    limit_txns_per_min: Annotated[Int, Field(ge=1, le=1_000_000_000)] | None = None
    """Transactions to offer per minute, in total over all replicas; as many as possible if
    omitted."""
    load_workers: Annotated[Int, Field(ge=1, le=1024)] | None = None
    """Parallel loaders; two for each core of the client if omitted. There are never more than
    warehouses, nor than the server has connections, whose number follows from load.concurrency."""
    driver: DriverName | None = optional("Class of the JDBC driver; the engine's own if omitted.")
    url_parameters: Annotated[
        dict[Word, UrlValue],
        Field(max_length=32),
        keys_match("^[a-zA-Z][a-zA-Z0-9_.]{0,63}$", "write parameters as the driver names them"),
        no_key_matches(
            _URL_OWNED,
            "omit parameters of login and TLS: the credentials and the EncryptionMode set them",
        ),
        no_key_matches(
            _URL_CODE,
            "omit parameters that name classes, files or URLs: a client uses the driver's own",
        ),
    ] = Field(default_factory=dict)
    """Further parameters of the JDBC URL, which override the operator's own, such as
    useServerPrepStmts: 'false'."""
    options: Annotated[
        dict[Word, LineOfText],
        Field(max_length=32),
        keys_match(
            "^[a-zA-Z][a-zA-Z0-9_.]{0,63}$",
            "write options as the props file names them, such as keyingTimeMultiplier",
        ),
        no_key_matches(
            _LENGTHS,
            "omit runMins and runTxnsPerTerminal: a run ends by time, and load.duration sets it",
        ),
        no_key_matches(
            _OWNED,
            "omit properties that encbench sets itself: write tpcc.warehouses, mix, driver, "
            "loadWorkers, limitTxnsPerMin, statements, terminalWarehouseFixed, load.concurrency, "
            "load.warmup and load.duration instead; the connection and the seed follow from the "
            "campaign",
        ),
    ] = Field(default_factory=dict)
    """Further properties of the client's props file, such as keyingTimeMultiplier: '0.1' of
    BenchmarkSQL 6."""

    @property
    def own_load(self) -> bool:
        """Whether encbench's own client loads the data, whichever client runs."""
        return self.benchmarksql is None or self.benchmarksql.load_image is not None

    @property
    def paced(self) -> bool:
        """Whether BenchmarkSQL 6 keys and thinks between transactions, and so paces its load."""
        multipliers = [self.options.get(name, "0") for name in PAUSES]
        return self.dialect == 6 and any(re.match(r"\s*[0.]*[1-9]", it) for it in multipliers)

    @property
    def sent(self) -> Statements:
        """The statements that the client sends, whichever client it is."""
        return "benchmarksql" if self.benchmarksql is not None else self.statements or "lean"
