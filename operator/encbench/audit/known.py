"""The shapes that the audit recognises by their header: published studies and our own files."""

from itertools import chain

from encbench.audit.shapes import Claim, Measure, PrintedInterval, Shape
from encbench.audit.tables import PublishedTable

_SHARE = "encrypted_columns_percent"
ALL = "100 % encrypted"
_CPU = "client_cpu_percent"
_CPU_BEFORE, _CPU_ENCRYPTED = "client_cpu_before_percent", "client_cpu_100pct_encrypted_percent"

_STUDIES = (
    Shape(
        title="TPC-C throughput with and without encrypted columns",
        keys=("instance", "concurrency"),
        claims=(
            Claim("published_overhead_percent", "encrypted_100pct_tps", "plaintext_tps", "loss"),
        ),
        measures=(Measure("plaintext_tps", "TPS"), Measure("encrypted_100pct_tps", "TPS", ALL)),
    ),
    Shape(
        title="TPC-C by share of encrypted columns",
        keys=("instance", "concurrency"),
        labels=(_SHARE,),
        claims=(Claim("published_overhead_percent", "tps", "plaintext_tps", "loss"),),
        measures=(Measure("tps", "TPS", share=_SHARE), Measure(_CPU, "client CPU", share=_SHARE)),
    ),
    Shape(
        title="CPU of the client before and after encryption",
        keys=("instance", "concurrency"),
        claims=(Claim("published_cpu_increase_percent", _CPU_ENCRYPTED, _CPU_BEFORE, "increase"),),
        measures=(Measure(_CPU_BEFORE, "client CPU"), Measure(_CPU_ENCRYPTED, "client CPU", ALL)),
    ),
    Shape(
        title="CPU and memory of the client by driver",
        keys=("instance", "concurrency"),
        claims=(
            Claim("published_cpu_increase_percent", f"encjdbc_{_CPU}", f"jdbc_{_CPU}", "increase"),
            Claim(
                "published_memory_change_percent", "encjdbc_memory_mb", "jdbc_memory_mb", "increase"
            ),
        ),
        measures=(
            # A client before encryption runs one driver or the other; the study does not say which.
            Measure(f"jdbc_{_CPU}", "client CPU"),
            Measure(f"encjdbc_{_CPU}", "client CPU"),
            Measure("jdbc_memory_mb", "memory of the plain driver"),
            Measure("encjdbc_memory_mb", "memory of the encrypting driver"),
        ),
    ),
    Shape(
        title="sysbench throughput with the feature disabled and enabled",
        keys=("table", "threads"),
        claims=(Claim("published_overhead_percent", "enabled_ktps", "disabled_ktps", "loss"),),
        measures=(
            Measure("disabled_ktps", "thousand TPS"),
            Measure("enabled_ktps", "thousand TPS", "enabled"),
        ),
    ),
    Shape(
        title="sysbench throughput disabled, enabled, and with an index extension",
        keys=("table", "threads"),
        claims=(),
        measures=(
            Measure("disabled_ktps", "thousand TPS"),
            Measure("enabled_ktps", "thousand TPS", "enabled"),
            Measure("index_extension_ktps", "thousand TPS", "enabled with an index extension"),
        ),
    ),
    Shape(
        title="sysbench rate and response time in plaintext and encrypted",
        keys=("instance", "workload", "threads"),
        claims=(
            Claim("qps_overhead_percent", "encrypted_qps", "plain_qps", "loss"),
            Claim(
                "response_increase_percent",
                "encrypted_response_ms",
                "plain_response_ms",
                "increase",
            ),
        ),
        measures=(
            Measure("plain_qps", "QPS"),
            Measure("encrypted_qps", "QPS", "encrypted"),
            Measure("plain_response_ms", "average response time"),
            Measure("encrypted_response_ms", "average response time", "encrypted"),
        ),
        queues=(("plain_qps", "plain_response_ms"), ("encrypted_qps", "encrypted_response_ms")),
    ),
)

_BY_FORMULA = {"loss": "loss_fraction", "increase": "increase_fraction"}
_OWN_FORMULA = {"loss": "1_minus_arm_over_{}", "increase": "arm_over_{}_minus_1"}


def _change(stem: str, figure: str, formula: str, before: str = "baseline") -> Claim:
    name = f"{stem}_{_BY_FORMULA[formula]}_{_OWN_FORMULA[formula].format(before)}"
    other = "step_before_arm" if before == "before" else ""
    return Claim(name, figure, figure, formula, percent=False, before=other)


def _interval(estimate: str, formula: str) -> PrintedInterval:
    part = _BY_FORMULA[formula]
    stem = f"{estimate[: estimate.index(part)]}{part}"
    return PrintedInterval(estimate, f"{stem}_ci95_low", f"{stem}_ci95_high", formula)


_JUDGED = (
    ("tps", "tps", "loss"),
    ("latency_average", "latency_average_ms", "increase"),
    ("latency_p95", "latency_p95_ms", "increase"),
    ("cpu_per_transaction", "database_side_cpu_ms_per_transaction", "increase"),
    ("client_cpu_per_transaction", "client_cpu_ms_per_transaction", "increase"),
    ("recovery_seconds", "recovery_seconds", "increase"),
)
_CHANGES = tuple(
    _change(stem, f"{figure}_geometric_mean", formula) for stem, figure, formula in _JUDGED
)


def _floor(stem: str) -> str:
    if stem == "tps":
        return "noise_floor_fraction_largest_bound_of_control"
    return f"{stem}_noise_floor_fraction"


def _control(stem: str, formula: str) -> tuple[str, str]:
    name = f"{stem}_{_BY_FORMULA[formula]}_control_ci95"
    return f"{name}_low", f"{name}_high"


FLOORS = {_floor(stem): _control(stem, formula) for stem, _, formula in _JUDGED}
"""The columns with noise floors, each with those of the control's bounds, which it contains."""
_STEPS = tuple(
    _change(f"step_{stem}", f"{figure}_geometric_mean", formula, "before")
    for stem, figure, formula in (
        ("tps", "tps", "loss"),
        ("latency_average", "latency_average_ms", "increase"),
        ("server_cpu_per_transaction", "database_cpu_ms_per_transaction", "increase"),
        (
            "server_and_proxy_cpu_per_transaction",
            "database_side_cpu_ms_per_transaction",
            "increase",
        ),
        ("client_cpu_per_transaction", "client_cpu_ms_per_transaction", "increase"),
    )
)

OWN = Shape(
    title="encbench's own report.csv",
    keys=("instance", "workload", "concurrency_threads"),
    labels=("arm",),
    baseline=("role", "baseline"),
    claims=(
        *_CHANGES,
        *(
            Claim(f"{stem}_points_arm_minus_baseline", figure, figure, "points", percent=False)
            for stem, figure in (
                ("database_cpu", "database_cpu_percent_of_limit_mean"),
                ("client_cpu", "client_cpu_percent_of_limit_mean"),
                ("node_cpu", "node_cpu_percent_of_all_cores_mean"),
            )
        ),
        *_STEPS,
    ),
    measures=(),
    intervals=(
        *(_interval(claim.published, claim.formula) for claim in _CHANGES),
        *(_interval(claim.published, claim.formula) for claim in _STEPS),
    ),
    alike=("blocks", "blocks_planned", *FLOORS, *chain.from_iterable(FLOORS.values())),
)

KNOWN = (*_STUDIES, OWN)
"""Shapes that the audit recognises by their header."""


def recognise(table: PublishedTable) -> Shape | None:
    """The known shape whose columns a table has; None where there is none."""
    found = [shape for shape in KNOWN if shape.columns <= set(table.columns)]
    return max(found, key=lambda shape: len(shape.columns), default=None)
