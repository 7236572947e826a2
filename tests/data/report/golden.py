"""The studies behind the golden files, and how to renew them: `python -m tests.data.report.golden`.

Renew them only for a wanted change, and read the difference as a reader of the report would. The
expected report.json has one trial, row or comparison a line; `git diff --word-diff` shows what
changed within one.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from encbench.report.analysis.build import build
from encbench.report.document import Report
from encbench.report.formats.render import Rendering, render
from tests.data.report.synthetic import Study, write

FOLDER = Path(__file__).parent / "expected"
STUDY = Study(
    name="golden",
    concurrency=(4, 16),
    blocks=3,
    seconds=12,
    fail={(16, 2, "tde"): ("Invalid", "ProofFailed")},
    without_cpu=frozenset({(4, 1, "tde")}),
)

HOP = {"method": "confidential"}
DRIVER: dict[str, object] = {"encrypting": {}}
COLUMNS = Study(
    name="columns",
    workloads=("tpcc",),
    instances=("2x4c32g", "4x8c64g"),
    concurrency=(64, 512),
    blocks=4,
    seconds=12,
    tpcc=True,
    statements="benchmarksql",
    loss={
        "swap": 0.01,
        "enc20": 0.03,
        "enc50": 0.06,
        "enc100": 0.10,
        "enc100-sm4": 0.19,
        "direct": -0.07,
    },
    baseline={"columns": {**HOP, "ratio": 0}},
    modes={
        "direct": {},
        "swap": {"columns": {**HOP, "ratio": 0}, "driver": DRIVER},
        "enc20": {"columns": {**HOP, "ratio": 20}, "driver": DRIVER},
        "enc50": {"columns": {**HOP, "ratio": 50}, "driver": DRIVER},
        "enc100": {"columns": {**HOP, "ratio": 100}, "driver": DRIVER},
        "enc100-sm4": {
            "columns": {**HOP, "ratio": 100, "algorithm": "SM4_128_GCM"},
            "driver": DRIVER,
        },
    },
    client_work={"swap": 1.02, "enc20": 1.1, "enc50": 1.2, "enc100": 1.4, "enc100-sm4": 2.1},
    proxy={
        "plain": 0.4,
        "plain-control": 0.4,
        "swap": 0.4,
        "enc20": 0.45,
        "enc50": 0.5,
        "enc100": 0.6,
        "enc100-sm4": 0.9,
    },
    without_cpu=frozenset({(64, 1, "enc50")}),
)
"""The published study with its layers told apart: the baseline goes through the proxy.

tests/unit/report/analysis/test_layers.py needs all of it: both instances (the audit of the studies'
tables counts their lines), both concurrencies, every arm, and the four blocks behind the headline.
"""
STUDIES = {FOLDER: STUDY, FOLDER / "columns": COLUMNS}

LONGEST = 2500
"""Characters of a line of the expected report.json, where it can be broken: a trial has 1,700, and
a comparison of three figures 2,200."""


def report_of(study: Study) -> Report:
    index, bucket = write(study)
    return build(index, bucket.__getitem__)


@cache
def known(folder: Path = FOLDER) -> Report:
    """The report of one of STUDIES, made when it is first asked for."""
    return report_of(STUDIES[folder])


@cache
def renderings(folder: Path = FOLDER) -> dict[str, Rendering]:
    """What is made of that, which takes seconds; not to be changed."""
    return render(known(folder))


def laid_out(value: Any, margin: str = "") -> str:
    """JSON in which a part has its own line, broken only if it is too long and has parts itself."""
    flat = json.dumps(value, ensure_ascii=False)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if len(flat) <= LONGEST or not any(isinstance(part, dict | list) for part in parts):
        return flat
    deeper = f"{margin} "
    lines = [laid_out(part, deeper) for part in parts]
    if isinstance(value, dict):
        lines = [f"{json.dumps(key)}: {line}" for key, line in zip(value, lines, strict=True)]
    inside = f",\n{deeper}".join(lines)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{deeper}{inside}\n{margin}{closing}"


def expected_content(name: str, content: bytes) -> bytes:
    """What the folder holds of a rendering of that name."""
    if name != "json":
        return content
    return f"{laid_out(json.loads(content))}\n".encode()


def main() -> None:
    for folder, study in STUDIES.items():
        folder.mkdir(exist_ok=True)
        for name, rendering in render(report_of(study)).items():
            if name != "html":
                content = expected_content(name, rendering.content)
                (folder / rendering.name).write_bytes(content)


if __name__ == "__main__":
    main()
