"""docs/notebook.ipynb runs, and what it draws and computes is what the report says."""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from encbench.core.artefact import encode
from encbench.core.statistics.intervals import geometric_mean
from encbench.report.document import Report
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study
from tests.support.chart import REPO
from tests.unit.report.analysis.recoveries import recovered

OTHERS = ["latencyAverageOverhead", "latencyP95Overhead", "cpuPerTransactionOverhead"]
NOTEBOOK = REPO / "docs" / "notebook.ipynb"


@pytest.fixture(scope="module")
def notebook() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def names(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    found = run(notebook)
    yield found
    found["plt"].close("all")


def run(notebook: dict[str, Any], source: str | None = None) -> dict[str, Any]:
    """What the cells have defined once all have run, in order, where the notebook lies."""
    mpl.use("Agg")
    found: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(NOTEBOOK.parent)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                text = "".join(cell["source"])
                if source is not None:
                    text = re.sub("(?m)^SOURCE = .*$", f"SOURCE = {source!r}", text)
                code = compile(text, f"{NOTEBOOK.name} {cell['id']}", "exec")
                exec(code, found)  # noqa: S102 - our own file
    return found


def run_with(report: Report, notebook: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The same of another report."""
    path = folder / "report.json"
    path.write_bytes(encode(report))
    return run(notebook, str(path))


def test_it_is_stored_without_output(notebook: dict[str, Any]) -> None:
    """Output would differ with every version of a library, and hide what changed."""
    codes = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(codes) >= 7
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in codes)


def test_the_drawn_losses_are_the_report_s(names: dict[str, Any]) -> None:
    report = names["results"].report
    known = [100 * group.row("tde").overhead.estimate for group in report.groups]
    drawn = names["losses"].lines[0].get_ydata()
    assert list(drawn) == pytest.approx(known)
    (segments,) = [bars.get_segments() for bars in names["losses"].lines[2]]
    bounds = [
        (group.row("tde").overhead.low, group.row("tde").overhead.high) for group in report.groups
    ]
    assert np.array([one[:, 1] for one in segments]) == pytest.approx(100 * np.array(bounds))


def test_the_bars_of_cpu_are_the_report_s(names: dict[str, Any]) -> None:
    """A block in which one arm's CPU was withheld is in the bar of no arm."""
    (axes,) = names["plt"].figure(names["plt"].get_fignums()[2]).axes
    drawn = [height for bar in axes.collections for ((_, height), _) in bar.get_segments()]
    shown = [row.database_cpu_ms_per_transaction for row in names["results"].report.rows]
    assert sorted(drawn) == pytest.approx(sorted(shown))


def test_those_bars_are_the_means_of_the_dots_around_them(names: dict[str, Any]) -> None:
    """Of the baseline's from A and A', and of no block that one arm's CPU was withheld in."""
    (axes,) = names["plt"].figure(names["plt"].get_fignums()[2]).axes
    for dots, bar in zip(axes.lines, axes.collections, strict=True):
        (((_, height), _),) = bar.get_segments()
        assert geometric_mean(dots.get_ydata()) == pytest.approx(height, rel=1e-5)


def test_every_figure_is_drawn(names: dict[str, Any]) -> None:
    figures = [names["plt"].figure(number) for number in names["plt"].get_fignums()]
    assert len(figures) == 5
    for figure in figures:
        assert all(axes.has_data() for axes in figure.axes)


def test_the_loss_follows_from_the_trials(names: dict[str, Any]) -> None:
    found, known = names["again"], names["published"]
    assert set(found) == set(known.index)
    for threads, values in found.items():
        assert values == pytest.approx(list(known.loc[threads]), abs=2e-5)


@pytest.mark.parametrize("rounds", [0, 8])
def test_a_report_of_several_modes_and_workloads_is_drawn_too(
    rounds: int, notebook: dict[str, Any], tmp_path: Path
) -> None:
    study = Study(
        workloads=("oltp-read-write", "oltp-read-only"),
        concurrency=(16, 4),
        loss={"columns": 0.2, "tde": 0.08},
        blocks=6,
        rounds=rounds,
    )
    found = run_with(report_of(study), notebook, tmp_path)
    found["plt"].close("all")
    assert list(found["published"].index) == list(found["rows"].concurrency.unique())
    for threads, values in found["again"].items():
        assert values == pytest.approx(list(found["published"].loc[threads]), abs=2e-5)


NOTHING_VALID = Study(blocks=2, always={"tde": ("Failed", "StartDeadline")})


@pytest.mark.parametrize(
    ("made", "drawn", "figures"),
    [
        (partial(report_of, Study(rate=50, blocks=2)), OTHERS, 5),
        (recovered, ["recoveryOverhead"], 5),
        (partial(report_of, NOTHING_VALID), [], 3),
        (partial(report_of, Study(tpcc=True, blocks=2)), ["cpuPerTransactionOverhead"], 4),
        (partial(report_of, Study(blocks=1)), OTHERS, 5),
        (partial(report_of, Study(loss={}, blocks=2)), [], 4),
    ],
    ids=["fixed rate", "recovery", "nothing valid", "no latency", "no interval", "A/A"],
)
def test_figures_that_a_report_lacks_are_left_out(
    made: Callable[[], Report],
    drawn: list[str],
    figures: int,
    notebook: dict[str, Any],
    tmp_path: Path,
) -> None:
    # Those of the fixture may be open still.
    before = set(plt.get_fignums())
    found = run_with(made(), notebook, tmp_path)
    assert found["measured"] == drawn
    opened = set(plt.get_fignums()) - before
    assert len(opened) == figures
    for number in opened:
        plt.close(number)


def test_solo_blocks_are_not_drawn(notebook: dict[str, Any], tmp_path: Path) -> None:
    report = report_of(Study(concurrency=(4,), blocks=2, rounds=8, solo=2))
    found = run_with(report, notebook, tmp_path)
    found["plt"].close("all")
    assert set(found["counted"].block) == {1, 2}
    assert {trial.block for trial in report.trials} > {1, 2}


def test_it_writes_parquet(names: dict[str, Any]) -> None:
    assert set(names["written"]) == {"rows.parquet", "trials.parquet"}
    assert set(names["means"].index) == {"plain", "plain-control", "tde"}


def test_the_site_has_it() -> None:
    assert "notebook.ipynb" in Path(REPO / "docs" / "reading-a-report.md").read_text("utf-8")
