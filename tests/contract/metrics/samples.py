"""The samples that the contract tests read, for both sides."""

import math
from collections.abc import Mapping

T0 = 1_700_000_000.0

Samples = tuple[tuple[float, float], ...]
SERIES: tuple[tuple[str, Mapping[str, str], Samples], ...] = (
    (
        "encbench_test_cpu_seconds_total",
        {"pod": "db-0", "component": "database"},
        tuple((T0 + n + 0.25, 10.0 + n / 8) for n in range(30)),
    ),
    (
        "encbench_test_cpu_seconds_total",
        {"pod": "db-1", "component": "database"},
        tuple((T0 + n + 0.5, 20.0) for n in range(10)),
    ),
    (
        "encbench_test_resident_bytes",
        {"pod": "db-0", "component": "database"},
        ((T0 + 1, 4.0), (T0 + 2, math.nan), (T0 + 3, math.inf), (T0 + 4, 1e12)),
    ),
    ("encbench_test_nothing_but_nan", {"pod": "db-0"}, ((T0 + 1, math.nan),)),
    ("encbench_test_far_away", {"pod": 'a "quoted" \\ name'}, ((T0 + 5000.125, 1.0),)),
)


def openmetrics() -> str:
    """The samples as Prometheus imports them; `_total` belongs to a counter's samples only."""
    lines = []
    for name in dict.fromkeys(name for name, _, _ in SERIES):
        lines.append(f"# TYPE {name.removesuffix('_total')} {_type(name)}")
        for other, labels, samples in SERIES:
            if other == name:
                inside = ",".join(f'{key}="{_escaped(value)}"' for key, value in labels.items())
                lines += [f"{name}{{{inside}}} {_number(v)} {t}" for t, v in samples]
    return "\n".join([*lines, "# EOF", ""])


def _type(name: str) -> str:
    return "counter" if name.endswith("_total") else "gauge"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"")


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "+Inf" if math.isinf(value) else repr(value)
