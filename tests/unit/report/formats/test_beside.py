"""Figures beside the margin: no rendering rounds a bound onto it or past it.

Every printed interval has to be one of the report's that lies on the same side of ±margin, and
every rendering names that margin.
"""

import csv
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from encbench.report.analysis.build import to_status
from encbench.report.compare.difference import compare
from encbench.report.compare.renderings import text as compared_text
from encbench.report.document import Report
from encbench.report.formats import cards, summary, tables
from encbench.report.formats.render import Rendering, render
from encbench.report.formats.sections import sections
from tests.data.report import golden
from tests.data.report.synthetic import Study

SMALL = Study(
    name="small-margin",
    concurrency=(16,),
    blocks=8,
    seconds=12,
    loss={"tde": 0.0052},
    margin=0.004,
    noise=0.0012,
    per_testbed=1,
    seed=13,
)
"""Its loss is 0.50 % [0.42, 0.59] %, which one decimal would put onto the margin of 0.4 %."""
FOLDERS = {study.name: folder for folder, study in golden.STUDIES.items()}
NAMES = (*FOLDERS, SMALL.name)
PRINTED = re.compile(r"\[(−?[\d.]+), (−?[\d.]+)\] %")


@cache
def report(name: str) -> Report:
    return golden.known(FOLDERS[name]) if name in FOLDERS else golden.report_of(SMALL)


@cache
def renderings(name: str) -> dict[str, Rendering]:
    return golden.renderings(FOLDERS[name]) if name in FOLDERS else render(report(name))


def bounds(found: Any) -> Iterator[tuple[float, float]]:
    """Of every interval in the report, in hundredths; a mirrored one may stand in a caveat."""
    if isinstance(found, dict):
        low, high = found.get("low"), found.get("high")
        if isinstance(low, float) and isinstance(high, float):
            yield 100 * low, 100 * high
            yield -100 * high, -100 * low
    parts = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    for part in parts:
        yield from bounds(part)


def fits(shown: str, value: float, margin: float) -> bool:
    """Whether a bound may be shown like that: rounded, and on its own side of ±margin."""
    read, digits = float(shown.replace("−", "-")), len(shown.partition(".")[2])
    if abs(read - value) > 0.5 * 10**-digits + 1e-9:
        return False
    return all((read > one) == (value > one) for one in (100 * margin, -100 * margin))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["markdown", "html"])
def test_every_printed_bound_is_on_its_own_side_of_the_margin(name: str, form: str) -> None:
    margin = report(name).spec.margin
    known = set(bounds(json.loads(renderings(name)["json"].content)))
    found = set(PRINTED.findall(renderings(name)[form].content.decode()))
    assert len(found) > 3
    wrong = [
        (low, high)
        for low, high in found
        if not any(fits(low, own[0], margin) and fits(high, own[1], margin) for own in known)
    ]
    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_a_card_has_the_figures_of_its_sentence(name: str) -> None:
    for headline in report(name).headlines:
        card = cards.card(report(name), headline)
        assert card.interval
        assert card.interval in headline.text
        assert "%" not in card.figure or card.figure in headline.text


@pytest.mark.parametrize("name", NAMES)
def test_a_noise_floor_is_on_its_own_side_of_the_margin(name: str) -> None:
    margin = report(name).spec.margin
    for section in sections(report(name)):
        for versus in section.compared:
            findings = [one for line in versus.lines for one in line.comparison.findings]
            columns = {one.heading: one.cells for one in tables.judgements(versus)}
            for shown, finding in zip(columns["noise floor ±"], findings, strict=True):
                if finding.noise_floor is not None:
                    assert fits(shown.removesuffix(" %"), 100 * finding.noise_floor, margin)


def test_a_terminal_has_the_bounds_of_the_sentences() -> None:
    shown = summary.text(to_status(report(SMALL.name)))
    assert shown.count("0.50 % [0.42, 0.59] %") == 2
    assert to_status(report(SMALL.name)).overhead == "0.50 % [0.42, 0.59] %"


def test_a_comparison_has_the_bounds_of_its_reports() -> None:
    own = report(SMALL.name)
    assert "0.50 % [0.42, 0.59] %" in compared_text(compare(own, own))


def test_every_rendering_of_an_overhead_names_its_margin() -> None:
    """Also where nothing is wrong, so that no caveat names it either."""
    own = report(SMALL.name)
    assert own.headlines[0].verdict == "Overhead"
    assert "margin" not in own.headlines[0].text
    sentence = (
        "The margin is 0.4 %: Overhead needs the whole paired 95 % interval above it, "
        "Equivalent needs it inside ±0.4 %. Either also has to hold in spite of the testbeds' "
        "luck, of what one arm leaves for the next, of the number of modes and looks, and of a "
        "cipher in the node's kernel. Any other figure that has data is Inconclusive."
    )
    terminal = " ".join(summary.text(to_status(own)).split())
    assert sentence in terminal
    made = {name: one.content.decode() for name, one in renderings(SMALL.name).items()}
    assert sentence in made["markdown"]
    assert "margin 0.4 %" in made["html"]
    assert [line["margin_fraction"] for line in csv.DictReader(made["csv"].splitlines())] == [
        "0.004",
        "0.004",
        "0.004",
    ]
    assert "margin 0.4 %" in compared_text(compare(own, own))


def test_a_table_of_an_earlier_release_has_no_margin() -> None:
    earlier = to_status(report(SMALL.name)).model_copy(update={"margin": None})
    assert "margin" not in summary.text(earlier)
