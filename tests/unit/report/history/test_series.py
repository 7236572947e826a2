"""Which campaigns make a series, and what is said of it."""

import json

import pytest

from encbench.api.overheadreport import FigureKey
from encbench.cli.flags import FIGURES
from encbench.core.statistics.changes import LEVEL
from encbench.report.document import Report
from encbench.report.figures import JUDGED
from encbench.report.history.renderings import json_document
from encbench.report.history.series import history
from tests.data.report.golden import report_of
from tests.data.report.nights import NIGHTS, OLDER, ROSE, nights, the_history
from tests.data.report.synthetic import Study


def test_a_condition_has_a_series_for_each_configuration() -> None:
    found = [(it.condition.concurrency, it.number, len(it.points)) for it in the_history().series]
    later = NIGHTS - OLDER
    assert found == [(4, 1, OLDER), (4, 2, later), (16, 1, OLDER), (16, 2, later)]
    second = the_history().series[1]
    assert [(it.topic, it.name, it.a) for it in second.differs] == [
        ("what it ran on", "Kernel", "6.1.0")
    ]


def test_the_rise_is_found_and_only_that() -> None:
    short, rose, _, flat = the_history().series
    assert short.course.p is None
    (change,) = rose.course.changes
    assert rose.measured[change.place][0].campaign == f"night-{ROSE + 1}"
    assert rose.rose and not flat.rose and not flat.course.changes
    assert rose.levels == [change.before] * (ROSE - OLDER) + [change.after] * (NIGHTS - ROSE)
    assert [change.before, change.after] == pytest.approx([0.08, 0.12], abs=0.008)


def test_series_share_one_error() -> None:
    """Two of the four are long enough, so each has half of it and needs two more campaigns."""
    assert the_history().level == LEVEL / 2
    assert the_history().needed == 10


def test_a_series_that_is_measured_no_more_takes_no_share() -> None:
    """The kernel changed back: what rose under the other one decides nothing."""
    older = [
        report.model_copy(update={"start_time": f"2027-01-{number:02}T00:00:00Z"})
        for number, report in enumerate(nights()[:OLDER], 1)
    ]
    found = history([*nights()[OLDER:], *older])
    assert [it.current for it in the_history().series] == [False, True] * 2
    assert [it.current for it in found.series] == [False, True] * 2
    assert found.series[0].rose and found.level == LEVEL


def test_a_series_without_a_figure_yet_replaces_an_earlier_one() -> None:
    """Under a new kernel no trial was valid: what rose under the earlier one decides nothing."""
    newest = nights()[0].model_copy(update={"start_time": "2027"})
    groups = tuple(
        it.model_copy(
            update={"rows": tuple(row.model_copy(update={"overhead": None}) for row in it.rows)}
        )
        for it in newest.groups
    )
    found = history([*nights()[OLDER:], newest.model_copy(update={"groups": groups})])
    assert [(it.number, it.current) for it in found.series] == [(1, False)] * 2
    assert found.series[0].rose


def test_unlike_campaigns_are_joined_when_asked() -> None:
    joined = history(nights(), allow_unlike=True)
    assert [len(it.points) for it in joined.series] == [NIGHTS, NIGHTS]
    assert joined.series[0].rose


def test_a_fact_that_older_campaigns_did_not_record_begins_no_series() -> None:
    """Facts that a series learns later still keep other machines apart."""
    without = [_without_kernel(report) for report in nights()[OLDER:6]]
    found = history([*without, *nights()[6:]])
    assert [len(it.points) for it in found.series] == [NIGHTS - OLDER] * 2
    other = [report.model_copy(update={"start_time": "2027"}) for report in nights()[:OLDER]]
    found = history([*without, *nights()[6:], *other])
    assert [len(it.points) for it in found.series] == [NIGHTS - OLDER, OLDER] * 2
    assert [it.name for it in found.series[1].differs] == ["Kernel"]


def _without_kernel(report: Report) -> Report:
    origin = report.provenance
    facts = tuple(it for it in origin.facts if it.name != "Kernel")
    return report.model_copy(update={"provenance": origin.model_copy(update={"facts": facts})})


def test_order_and_repetition_of_the_reports_do_not_matter() -> None:
    assert history([*reversed(nights()), *nights()]) == the_history()


def test_another_figure_can_be_followed() -> None:
    found = history(nights(), "cpuPerTransaction").series
    assert {it.figure.key for it in found} == {"cpuPerTransaction"}
    assert history(nights(), "recovery").series == ()


def test_every_judged_figure_can_be_asked_for() -> None:
    assert set(FIGURES) == set(JUDGED)


def test_a_campaign_without_data_has_no_place_in_the_test() -> None:
    last = nights()[-1]
    groups = tuple(
        one.model_copy(
            update={"rows": tuple(r.model_copy(update={"overhead": None}) for r in one.rows)}
        )
        for one in last.groups
    )
    series = history([*nights()[:-1], last.model_copy(update={"groups": groups})]).series[1]
    assert (len(series.points), len(series.measured)) == (14, 13)
    assert series.rose


def test_blocks_are_those_of_the_figure() -> None:
    """CPU was withheld in one of three."""
    report = report_of(Study(blocks=3, concurrency=(4,), without_cpu=frozenset({(4, 2, "tde")})))
    known: dict[FigureKey, int] = {"tps": 3, "cpuPerTransaction": 2}
    for figure, blocks in known.items():
        (series,) = history([report], figure).series
        (point,) = json.loads(json_document(history([report], figure)))["series"][0]["points"]
        assert series.points[0].blocks == point["blocks"] == blocks
