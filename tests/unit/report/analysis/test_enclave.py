"""Encrypted column types in the report: layers, the study's tables, what is simulated."""

from functools import cache
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.testbed import Arm
from encbench.audit.audit import audit
from encbench.audit.tables import read
from encbench.report.analysis.steps import arm_steps
from encbench.report.document import Report, StudyTable
from encbench.report.formats.csvrows import csv_study
from encbench.report.formats.markdown import markdown
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study


def mode(ratio: int = 100, **enclave: str) -> dict[str, Any]:
    return {"columns": {"method": "enclave", "ratio": ratio, "enclave": enclave}}


FREE = mode(transition="0ns", value="0ns")
MODES = {"pk": mode(75), "free": FREE, "all": mode(), "batch": mode(index="PageBatch")}


def found(**specs: Any) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Steps of a campaign of these modes, the first the baseline: arm → arm below, layers."""
    modes = {name: EncryptionModeSpec.model_validate(spec) for name, spec in specs.items()}
    arms = [
        Arm(name=name, role="treatment" if place else "baseline", mode_ref=name)
        for place, name in enumerate(specs)
    ]
    return {s.arm.name: (s.before.name, s.layers) for s in arm_steps(arms, modes)}


def test_types_boundary_and_batching_are_apart() -> None:
    assert found(off={}, **MODES) == {
        "pk": ("off", ("types", "boundary")),
        "free": ("off", ("types",)),
        "all": ("free", ("boundary",)),
        "batch": ("all", ("batching",)),
    }


def test_another_cost_is_another_boundary() -> None:
    found_ = found(off={}, free=FREE, all=mode(), fast=mode(transition="2us"))
    assert found_["fast"] == ("free", ("boundary",))
    tls = {**mode(), "inTransit": {}}
    assert found(off={}, tls=tls) == {}, "nothing below it has TLS"


@cache
def report() -> Report:
    return report_of(
        Study(
            name="enclave",
            workloads=("enclave-point", "enclave-range"),
            concurrency=(8, 16),
            loss={"pk": 0.15, "free": 0.2, "all": 0.6, "batch": 0.3},
            modes=MODES,
            options={"enclave-range": {"lookup": "k"}},
        )
    )


def table(name: str) -> StudyTable:
    (own,) = [one for one in report().studies if one.name == name]
    return own


def test_scenarios_by_id_have_the_published_header() -> None:
    own = table("enclave-all")
    names = [column.name for column in own.columns]
    assert names == [
        *("table", "threads", "disabled_ktps", "enabled_ktps", "published_overhead_percent")
    ]
    assert [row[:2] for row in own.rows] == [("all_columns_point", 8), ("all_columns_point", 16)]
    assert [row[0] for row in table("enclave-pk").rows] == ["pk_plain_point"] * 2
    for _, threads, disabled, enabled, overhead in own.rows:
        (group,) = [
            g for g in report().groups if (g.workload, g.concurrency) == ("enclave-point", threads)
        ]
        plain, arm = group.row("plain").tps, group.row("all").tps
        assert plain is not None and arm is not None
        assert disabled == pytest.approx(plain / 1000, rel=1e-5)
        assert enabled == pytest.approx(arm / 1000, rel=1e-5)
        assert overhead == pytest.approx(100 * (1 - arm / plain), rel=1e-4)
        assert overhead == pytest.approx(60, abs=2)


def test_the_third_scenario_has_three_rates_and_no_overhead() -> None:
    own = table("enclave-by-k")
    assert [column.name for column in own.columns][2:] == [
        *("disabled_ktps", "enabled_ktps", "index_extension_ktps")
    ]
    assert [row[:2] for row in own.rows] == [
        ("all_columns_by_k_range", 8),
        ("all_columns_by_k_range", 16),
    ]
    (group,) = [g for g in report().groups if (g.workload, g.concurrency) == ("enclave-range", 16)]
    rates = [group.row(arm).tps for arm in ("plain", "all", "batch")]
    assert list(own.rows[1][2:]) == [pytest.approx((tps or 0) / 1000) for tps in rates]


def test_the_audit_reads_all_of_them() -> None:
    names = ("enclave-pk", "enclave-all", "enclave-by-k")
    files = [read(f"study-{name}.csv", csv_study(table(name)).encode()) for name in names]
    made = audit(files, None)
    assert [source.table.name for source in made.sources] == [one.name for one in files]
    assert len(made.checks) == 4
    assert made.findings == ()


def test_everything_says_that_the_boundary_is_simulated() -> None:
    simulated = "SIMULATION of the boundary"
    assert all(simulated in one.title for one in report().studies)
    assert simulated in [caveat.title for caveat in report().caveats if caveat.weight == "serious"]
    for headline in report().headlines:
        assert simulated in headline.text
        assert "encryption proven in tables, indexes and results" in headline.text
    assert simulated in markdown(report())
    titles = [caveat.title for caveat in report().caveats]
    assert "A simulation of a vendor's proxy layer" not in titles
    assert "Only results are encrypted" not in titles
