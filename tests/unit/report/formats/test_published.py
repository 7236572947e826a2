"""The one table that studies of encryption at rest publish: formulas named, figures right."""

import re

import pytest

from encbench.report.formats import tables
from encbench.report.formats.markdown import markdown
from encbench.report.formats.sections import sections
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study

STUDY = Study(concurrency=(4, 16), blocks=2)
HEADINGS = [
    "threads",
    "TPS: tde",
    "TPS: plain",
    "TPS: ratio = plain/tde",
    "TPS: loss = 1 − tde/plain",
    "average latency, ms: tde",
    "average latency, ms: plain",
    "average latency, ms: ratio = tde/plain",
    "server CPU, % of limit: tde",
    "server CPU, % of limit: plain",
    "server CPU, % of limit: points = tde − plain",
]


@pytest.fixture(scope="module")
def columns() -> list[tables.TableColumn]:
    (section,) = sections(report_of(STUDY))
    (versus,) = section.compared
    return tables.published(versus)


def test_threads_go_down_and_encrypted_plain_and_formula_across(
    columns: list[tables.TableColumn],
) -> None:
    assert [column.title for column in columns] == HEADINGS
    assert columns[0].cells == ("4", "16")
    assert all(column.numeric for column in columns)


def number(cell: str) -> float:
    return float(re.sub("[ %,]", "", cell).replace("−", "-"))


def test_each_formula_follows_from_the_figures_beside_it(columns: list[tables.TableColumn]) -> None:
    for line in zip(*(map(number, column.cells) for column in columns), strict=True):
        _, tde, plain, ratio, loss, slow, quick, times, busy, idle, points = line
        assert ratio == pytest.approx(plain / tde, abs=0.002)
        assert loss == pytest.approx(100 * (1 - tde / plain), abs=0.2)
        assert times == pytest.approx(slow / quick, abs=0.002)
        assert points == pytest.approx(busy - idle, abs=0.11)


def test_the_markdown_has_it() -> None:
    text = markdown(report_of(STUDY))
    (head,) = [line for line in text.splitlines() if "average latency, ms: tde" in line]
    assert head == (
        "| threads | TPS: tde | … plain | … ratio = plain/tde | … loss = 1 − tde/plain "
        "| average latency, ms: tde | … plain | … ratio = tde/plain "
        "| server CPU, % of limit: tde | … plain | … points = tde − plain |"
    )
