"""The files of a run, as text. docs/design/0001-spine.md describes their content."""

import hashlib
import json
from collections.abc import Mapping
from math import isnan
from pathlib import Path

from encbench.sidecars.recorder.observation import SecondRow
from encbench.wire.files import SERIES_COLUMNS
from encbench.wire.recorder import Termination

TERMINATION_LIMIT = 4096


def series_csv(rows: list[SecondRow]) -> str:
    """One line per second under the columns of `wire.files`."""
    return "".join(f"{line}\n" for line in [",".join(SERIES_COLUMNS), *map(_line, rows)])


def _line(row: SecondRow) -> str:
    sample, usage = row.sample, row.usage
    fields = [
        f"{row.time:.3f}",
        _rounded(sample.tps),
        _rounded(sample.qps),
        "" if row.is_partial else _rounded(sample.latency_p95_ms),
        _rounded(sample.errors),
        f"{usage.cpu_seconds:.2f}" if usage else "",
        str(usage.resident_bytes) if usage and usage.resident_bytes is not None else "",
    ]
    return ",".join(fields)


def _rounded(value: float) -> str:
    return "" if isnan(value) else f"{value:.2f}"


def to_json(value: Mapping[str, object]) -> str:
    """A JSON file for people and programs."""
    return json.dumps(value, indent=1) + "\n"


def digest(path: Path) -> str:
    """`sha256:<hex>` of a file's content."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def termination_message(prefix: str, digests: dict[str, str], error: str | None) -> str:
    """The message in the pod's status. `error` says why not everything is stored."""
    message = Termination(prefix=prefix, digests=digests)
    if error:
        message["error"] = error[:1024]
    return json.dumps(message)[:TERMINATION_LIMIT]
