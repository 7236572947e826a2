"""What could be wrong with recovery times."""

from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.report.analysis.caveats import CHECKS
from encbench.report.analysis.caveats.facts import Facts
from encbench.report.analysis.caveats.recovery import (
    decrypted_already,
    short_recoveries,
    unequal_log,
)
from encbench.report.document import Provenance, Report
from encbench.report.document.group import Group
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study
from tests.support.testbeds import ENCRYPTED_CLASS, GOCRYPTFS, PASS_THROUGH, TDE


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


@pytest.mark.parametrize(
    ("mode", "said"),
    [(ENCRYPTED_CLASS, True), (GOCRYPTFS, False), (PASS_THROUGH, False), (TDE, False)],
)
def test_recoveries_on_an_encrypted_device_read_what_the_kernel_has_decrypted(
    usual: Report, mode: dict[str, Any], said: bool
) -> None:
    modes = usual.resolved.modes | {"tde": EncryptionModeSpec.model_validate(mode)}
    resolved = usual.resolved.model_copy(update={"modes": modes})
    report = usual.model_copy(update={"resolved": resolved})
    found = [*decrypted_already(facts(report, recovered(report, {})))]
    assert [caveat.weight for caveat in found] == ["serious"] * said
    assert all("decrypted for tde." in caveat.text for caveat in found)
    assert not [*decrypted_already(facts(report, *report.groups))]
    assert decrypted_already in CHECKS


def test_other_workloads_have_neither(usual: Report) -> None:
    assert not [*unequal_log(facts(usual, *usual.groups))]
    assert not [*short_recoveries(facts(usual, *usual.groups))]
