"""What could be wrong with recovery times."""

import pytest

from encbench.report.analysis.caveats.facts import Facts
from encbench.report.analysis.caveats.recovery import short_recoveries, unequal_log
from encbench.report.document import Provenance, Report
from encbench.report.document.group import Group
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study


@pytest.fixture(scope="module")
def usual() -> Report:
    return report_of(Study(concurrency=(4,)))


def facts(report: Report, *groups: Group) -> Facts:
    return Facts(report.spec, report.resolved, groups, report.trials, (), Provenance(), ())


def recovered(report: Report, redo: dict[str, float | None], seconds: float = 5.0) -> Group:
    group = report.groups[0]
    rows = tuple(
        row.model_copy(update={"redo_mib": redo.get(row.arm), "recovery_seconds": seconds})
        for row in group.rows
    )
    return group.model_copy(update={"primary": "recovery", "rows": rows})


def test_arms_with_different_work_are_named(usual: Report) -> None:
    arms = [arm.name for arm in usual.groups[0].arms]
    redo: dict[str, float | None] = dict.fromkeys(arms, 100.0)
    assert not [*unequal_log(facts(usual, recovered(usual, redo)))]
    (found,) = unequal_log(facts(usual, recovered(usual, {**redo, arms[-1]: 70.0})))
    assert found.weight == "serious"
    assert "from 70.0 to 100.0 MiB" in found.text
    assert "Offer a load.rate" in found.text


def test_a_server_that_cannot_say_is_no_difference(usual: Report) -> None:
    arms = [arm.name for arm in usual.groups[0].arms]
    assert not [*unequal_log(facts(usual, recovered(usual, {arms[0]: 100.0})))]


def test_recoveries_within_a_second_are_mostly_starts(usual: Report) -> None:
    assert not [*short_recoveries(facts(usual, recovered(usual, {}, 1.5)))]
    (found,) = short_recoveries(facts(usual, recovered(usual, {}, 0.32)))
    assert "0.32 s" in found.text


def test_other_workloads_have_neither(usual: Report) -> None:
    assert not [*unequal_log(facts(usual, *usual.groups))]
    assert not [*short_recoveries(facts(usual, *usual.groups))]
