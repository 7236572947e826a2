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
    study = surface.find("Study")
    two = {"tde": 0.08, "tls": 0.001}
    yield (
        "one-mode",
        study(
            blocks=3,
            seconds=12,
            fail={(16, 2, "tde"): ("Invalid", "ProofFailed")},
            without_cpu=frozenset({(4, 1, "tde")}),
        ),
    )
    yield "columns", _columns(study)
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


def _columns(study: Any) -> Any:
    """Encrypted columns as published: a baseline through the proxy, drivers, and two ciphers."""

    def mode(ratio: int, **fields: Any) -> dict[str, Any]:
        columns = {"method": "confidential", "ratio": ratio, **fields}
        return {"columns": columns, "driver": {"encrypting": {}}}

    loss = {"direct": -0.07, "swap": 0.01, "enc20": 0.03, "enc100": 0.1, "enc100-sm4": 0.19}
    return study(
        workloads=("tpcc",),
        instances=("2x4c32g", "4x8c64g"),
        concurrency=(64,),
        blocks=4,
        seconds=12,
        tpcc=True,
        loss=loss,
        baseline={"columns": {"method": "confidential", "ratio": 0}},
        modes={
            "direct": {},
            "swap": mode(0),
            "enc20": mode(20),
            "enc100": mode(100),
            "enc100-sm4": mode(100, algorithm="SM4_128_GCM"),
        },
        client_work={"swap": 1.02, "enc20": 1.1, "enc100": 1.4, "enc100-sm4": 2.1},
        proxy={arm: 0.4 + loss.get(arm, 0.0) for arm in ("plain", "plain-control", *loss)},
        without_cpu=frozenset({(64, 1, "enc20")}),
    )


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
    one, failures, two = (
        f"reports/{name}/report.json" for name in ("one-mode", "failures", "two-modes")
    )
    for form in ("text", "md", "json"):
        yield f"compare.{form}", "compare", one, two, "-o", form
        yield f"compare-failures.{form}", "compare", failures, two, "-o", form
    published = sorted(str(file) for file in (TREE / "tests/data/reference").glob("*.csv"))
    for form in ("text", "md", "csv", "json"):
        yield f"audit.{form}", "audit", *published, "-o", form
        yield f"audit-of-our-own.{form}", "audit", "reports/one-mode/report.csv", "-o", form
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
