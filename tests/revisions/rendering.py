"""Reports of synthetic studies in every format, and the output of the command line."""

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.revisions import surface

TREE = Path(__file__).resolve().parents[2]
"""Campaigns and published tables are inputs: they come from this tree for both revisions."""


def studies() -> Iterator[tuple[str, Any]]:
    """The ways in which a campaign can go, as the report sees them."""
    study, golden = surface.find("Study"), surface.find("golden")
    two = {"tde": 0.08, "tls": 0.001}
    yield "golden", golden.STUDY
    yield "columns", golden.COLUMNS
    yield "plain-only", study(loss={}, blocks=2)
    yield "two-modes", study(loss=two, blocks=6, seconds=20, rate=400, disk=(36.0, 12.5))
    yield (
        "instances",
        study(
            instances=("small", "large"),
            loss=two,
            blocks=4,
            seconds=20,
            colocated=True,
            throttled=0.4,
            foreign=0.3,
            idle=0.2,
        ),
    )
    yield (
        "precision",
        study(precision=0.005, wanted=12, blocks=6, seconds=12, concurrency=(4,), loss=two),
    )
    yield (
        "sets-of-testbeds",
        study(
            blocks=8, per_testbed=2, seconds=12, concurrency=(4,), placement={"tde": 0.05}, loss=two
        ),
    )
    yield (
        "failures",
        study(
            loss=two,
            blocks=3,
            seconds=12,
            concurrency=(4,),
            always={"tls": ("Failed", "ToolFailed")},
            fail={(4, 1, "tde"): ("Invalid", "ClientThrottled")},
            foreign=None,
        ),
    )
    yield "tpcc", study(tpcc=True, checked=False, blocks=4, seconds=12, concurrency=(8,), loss=two)


def render_studies(folder: Path) -> None:
    """Each study's renderings, and the table of its OverheadReport."""
    for name, study in studies():
        made = surface.find("report_of")(study)
        place = folder / "reports" / name
        place.mkdir(parents=True)
        for rendering in surface.find("render")(made).values():
            (place / rendering.name).write_bytes(rendering.content)
        status = surface.find("to_status")(made)
        (place / "report.txt").write_text(surface.find("summary")(status))


def call_commands(folder: Path) -> None:
    """`compare` of those reports, `audit` of the published tables, `plan` of all campaigns.

    They run in that folder, so that the file names which they print are the same each time.
    """
    with contextlib.chdir(folder):
        for name, *words in _commands():
            _call(Path("commands"), name, *words)


def _commands() -> Iterator[tuple[str, ...]]:
    golden, failures, two = (
        f"reports/{name}/report.json" for name in ("golden", "failures", "two-modes")
    )
    for form in ("text", "md", "json"):
        yield f"compare.{form}", "compare", golden, two, "-o", form
        yield f"compare-failures.{form}", "compare", failures, two, "-o", form
    published = sorted(str(file) for file in (TREE / "tests/data/reference").glob("*.csv"))
    for form in ("text", "md", "csv", "json"):
        yield f"audit.{form}", "audit", *published, "-o", form
        yield f"audit-of-our-own.{form}", "audit", "reports/golden/report.csv", "-o", form
    manifests = Path("manifests.yaml")
    for file in sorted((TREE / "campaigns").rglob("kustomization.yaml")):
        name = "-".join(file.parent.relative_to(TREE / "campaigns").parts)
        manifests.write_text(yaml.safe_dump_all(surface.find("built")(file.parent)))
        for form in ("text", "json"):
            yield f"plan-{name}.{form}", "plan", "-f", str(manifests), "-n", "x", "-o", form
    manifests.unlink()


def _call(folder: Path, name: str, *words: str) -> None:
    said, wrong = io.BytesIO(), io.StringIO()
    terminal = io.TextIOWrapper(said, encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(terminal), contextlib.redirect_stderr(wrong):
        code = surface.find("cli")(list(words))
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(said.getvalue())
    (folder / f"{name}.end").write_text(f"exit code {code}\n{wrong.getvalue()}")
