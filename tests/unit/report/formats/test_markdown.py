"""The report as Markdown fits where it is meant to stand."""

import re
from pathlib import Path

import pytest

from encbench.report.document import Report
from encbench.report.figures import TOPICS
from encbench.report.formats import markdown as module
from encbench.report.formats.markdown import FIRST_OUT, INVALID, LAST_OUT, PUBLISHED, markdown
from tests.data.report import golden
from tests.data.report.synthetic import Study

GITHUB = 65_536
"""Characters that GitHub takes as the description of a pull request."""
MODES = {f"mode-{n}": 0.02 * n for n in range(1, 7)}


@pytest.fixture(scope="module")
def large() -> Report:
    levels = (1, 2, 4, 8, 16, 32, 64, 128, 256, 1024)
    return golden.report_of(Study(concurrency=levels, blocks=2, seconds=4, loss=MODES))


def left_out(text: str) -> str:
    lines = [line for line in text.splitlines() if line.startswith("Left out")]
    return lines[0] if lines else ""


@pytest.mark.parametrize("folder", golden.STUDIES, ids=lambda folder: folder.name)
def test_a_golden_report_fits_a_pull_request(folder: Path) -> None:
    assert len(markdown(golden.known(folder))) < GITHUB


def test_a_small_report_is_whole() -> None:
    assert not left_out(markdown(golden.known()))


def test_a_long_one_leaves_out_the_least_and_says_so() -> None:
    text = markdown(golden.known(golden.FOLDER / "columns"))
    assert left_out(text) == (
        'Left out, because GitHub takes no longer text with a pull request: "Client, one replica" '
        'and "Disk". `report.html` beside this file has their figures.'
    )
    assert "### Client, one replica" not in text
    assert "### Disk" not in text
    assert text.count("### CPU\n") == text.count("### Latency\n") == 12


def test_each_table_of_figures_has_its_place_among_what_is_left_out() -> None:
    assert set(TOPICS) <= set(FIRST_OUT)


def test_a_larger_one_fits_and_keeps_every_verdict(large: Report) -> None:
    text = markdown(large)
    assert len(text) < GITHUB
    for mode in MODES:
        (table,) = re.findall(rf"## {mode} against plain, .*\n\n((?:\|.*\n)+)", text)
        assert len(table.splitlines()) == 2 + len({group.concurrency for group in large.groups})
    assert "## How it was measured" in text


def test_at_last_verdicts_of_the_last_conditions_are_left_out(
    large: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = {name for name in FIRST_OUT if f'"{name}"' in left_out(markdown(large))}
    monkeypatch.setattr(module, "LIMIT", 12_000)
    text = markdown(large)
    assert len(text) < 13_500
    assert LAST_OUT in left_out(text)
    assert all(f'"{name}"' in left_out(text) for name in whole)
    tables = re.findall(r"## (mode-\d) against plain, .*\n\n\|", text)
    assert tables == list(MODES)[: len(tables)]
    assert 0 < len(tables) < len(MODES)


def test_what_a_larger_part_makes_room_for_is_kept() -> None:
    """Trials that do not count may be most of the text, and go after smaller parts."""
    known = golden.known()
    bad = [
        known.trials[0].model_copy(
            update={"name": f"bad-{n}", "outcome": "Invalid", "message": "marker in clear. " * 12}
        )
        for n in range(300)
    ]
    counted = [{"reason": "ProofFailed", "count": len(bad)}]
    text = markdown(known.model_copy(update={"trials": [*known.trials, *bad], "invalid": counted}))
    assert f'with a pull request: "{INVALID}". ' in left_out(text)
    assert f"### {PUBLISHED}" in text
    assert len(text) < GITHUB


def test_a_heading_names_its_figure_once() -> None:
    (head, *_) = [line for line in markdown(golden.known()).splitlines() if "TPS: plain" in line]
    assert head.startswith("| threads | TPS: plain | … tde | … loss = 1 − tde/plain |")
    assert head.endswith("| noise floor ± | blocks | limited by | verdict |")
