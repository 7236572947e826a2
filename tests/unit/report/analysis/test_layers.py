"""Column encryption layer by layer: arms known by their modes, ratios paired within blocks."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.testbed import Arm
from encbench.audit.audit import audit
from encbench.audit.tables import read
from encbench.core.statistics import intervals
from encbench.report.analysis.encrypted import encrypted_columns
from encbench.report.analysis.steps import arm_steps, stack
from encbench.report.document import Report
from encbench.report.document.group import LayerStep
from encbench.report.formats import layertables
from encbench.report.formats.cards import card
from encbench.report.formats.csvrows import csv_rows
from encbench.report.words.text import signed_percent
from tests.data.report import golden
from tests.data.report.golden import COLUMNS, DRIVER, HOP, report_of
from tests.data.report.synthetic import Study
from tests.support.workloads import CUSTOM, workload_spec

PROXY = {"columns": {**HOP, "ratio": 0}}
SWAP = {**PROXY, "driver": DRIVER}
ALL = {"columns": {**HOP, "ratio": 100}, "driver": DRIVER}


def modes(**specs: Any) -> dict[str, EncryptionModeSpec]:
    return {name: EncryptionModeSpec.model_validate(spec) for name, spec in specs.items()}


def found(**specs: Any) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Steps of a campaign of these modes, the first the baseline: arm → arm below, layers."""
    arms = [
        Arm(name=name, role="treatment" if place else "baseline", mode_ref=name)
        for place, name in enumerate(specs)
    ]
    control = Arm(name="again", role="control", mode_ref=arms[0].mode_ref)
    every = arm_steps((arms[0], control, *arms[1:]), modes(**specs))
    return {step.arm.name: (step.before.name, step.layers) for step in every}


def known() -> Report:
    """The report of the study of all layers."""
    return golden.known(golden.FOLDER / "columns")


def rendered(name: str) -> str:
    """One of its renderings."""
    return golden.renderings(golden.FOLDER / "columns")[name].content.decode()


def test_names_say_nothing() -> None:
    assert found(x=ALL, a={}, z=SWAP, b=PROXY) == {
        "x": ("z", ("encryption",)),
        "z": ("b", ("driver",)),
        "b": ("a", ("hop",)),
    }


def test_the_next_lower_arm_stands_in() -> None:
    assert found(direct={}, all=ALL) == {"all": ("direct", ("hop", "driver", "encryption"))}
    assert found(proxy=PROXY, all=ALL) == {"all": ("proxy", ("driver", "encryption"))}
    assert found(direct={}, swap=SWAP, all=ALL)["swap"] == ("direct", ("hop", "driver"))


def test_sysbench_has_no_driver() -> None:
    sealed = {"columns": {**HOP, "ratio": 100}}
    assert found(proxy=PROXY, all=sealed, direct={}) == {
        "proxy": ("direct", ("hop",)),
        "all": ("proxy", ("encryption",)),
    }


def test_a_driver_before_somebody_else_s_database() -> None:
    assert found(jdbc={}, encjdbc={"driver": DRIVER}) == {"encjdbc": ("jdbc", ("driver",))}


def test_another_proxy_is_another_hop() -> None:
    larger = {"columns": {**HOP, "ratio": 100, "resources": {"cpu": "2"}}, "driver": DRIVER}
    assert found(proxy=PROXY, all=larger) == {}
    assert found(proxy=PROXY, all=larger, direct={})["all"][0] == "direct"


def test_by_the_socket_is_another_hop() -> None:
    near = {"columns": {**HOP, "ratio": 0, "upstream": "Socket"}}
    all_near = {"columns": {**HOP, "ratio": 100, "upstream": "Socket"}, "driver": DRIVER}
    assert found(direct={}, proxy=PROXY, near=near, all=all_near) == {
        "proxy": ("direct", ("hop",)),
        "near": ("direct", ("hop",)),
        "all": ("near", ("driver", "encryption")),
    }
    by_tcp = {"columns": {**HOP, "ratio": 0, "upstream": "Tcp"}}
    same = modes(proxy=PROXY, tcp=by_tcp)
    assert stack(same["proxy"]) == stack(same["tcp"])


def test_what_makes_no_difference_where_nothing_is_encrypted() -> None:
    sm4 = {"columns": {**HOP, "ratio": 0, "algorithm": "SM4_128_GCM", "strict": False}}
    keyed = {"columns": {**HOP, "ratio": 0, "mekSecretRef": {"name": "mine"}}}
    plain, *others = modes(a=PROXY, b=sm4, c=keyed).values()
    assert all(stack(mode) == stack(plain) for mode in others)


def test_what_lies_below_is_alike() -> None:
    tde = {"atRest": {"method": "engine"}}
    assert found(direct={}, both={**tde, **PROXY}) == {}
    assert found(direct={}, tde=tde, both={**tde, **PROXY}) == {"both": ("tde", ("hop",))}


def test_no_column_mode_no_step() -> None:
    plain = report_of(Study(concurrency=(4,), blocks=2))
    assert [group.steps for group in plain.groups] == [()]
    assert plain.studies == ()
    assert plain.encrypted_columns == ()


def test_estimates_are_paired_by_block() -> None:
    for group in known().groups:
        names = {name for block in group.blocks if block.counted for name in block.trials}
        tps = {(t.block, t.arm): t.tps for t in known().trials if t.name in names}
        blocks = sorted({block for block, _ in tps})
        for step in group.steps:
            one = intervals.estimate(
                [of_mode(tps, block, step.before) for block in blocks],
                [of_mode(tps, block, step.arm) for block in blocks],
            )
            assert one is not None
            bounds = one.change_bounds("loss")
            assert step.loss is not None
            assert bounds is not None
            assert step.loss.estimate == pytest.approx(one.change("loss"), rel=1e-4)
            assert step.loss.low == pytest.approx(bounds.low, rel=1e-4)
            assert step.blocks == one.n


def of_mode(figures: Mapping[tuple[int, str], float | None], block: int, arm: str) -> float:
    """Of one block; of both arms where the mode is the baseline."""
    arms = ("plain", "plain-control") if arm == "plain" else (arm,)
    return intervals.geometric_mean([figures[block, one] or 0.0 for one in arms])


def chain(steps: Sequence[LayerStep], arm: str) -> list[LayerStep]:
    """The steps that lead to an arm, the lowest first; empty where there are none."""
    by_arm = {step.arm: step for step in steps}
    found: list[LayerStep] = []
    while (step := by_arm.get(arm)) is not None:
        found.insert(0, step)
        arm = step.before
    return found


def test_the_steps_of_a_chain_multiply_to_the_whole() -> None:
    for group in known().groups:
        way = chain(group.steps, "enc100")
        assert [step.layers for step in way] == [("hop",), ("driver",), ("encryption",)]
        left = math.prod(1 - step.loss.estimate for step in way if step.loss)
        whole = (group.row("enc100").tps or 0.0) / (group.row("direct").tps or 1.0)
        assert left == pytest.approx(whole, rel=1e-4)


def test_a_figure_that_was_withheld_is_left_out_for_all_arms() -> None:
    group = known().groups[0]
    assert group.concurrency == 64
    assert set(COLUMNS.without_cpu) == {(64, 1, "enc50")}
    counted = [b.block for b in group.blocks if b.counted and b.block != 1]
    here = group.cell, group.concurrency
    own = {
        (t.block, t.arm): t.database_cpu_ms_per_transaction
        for t in known().trials
        if (t.cell, t.concurrency) == here
    }
    for step in group.steps:
        one = intervals.estimate(
            [of_mode(own, b, step.before) for b in counted],
            [of_mode(own, b, step.arm) for b in counted],
        )
        assert one is not None
        assert step.database_cpu is not None
        assert step.database_cpu.estimate == pytest.approx(one.change("increase"), rel=1e-3)


def test_the_proxy_s_cpu_stands_beside_the_server_s() -> None:
    for group in known().groups:
        assert group.row("direct").proxy_cpu_ms_per_transaction is None
        assert group.row("enc100").proxy_cpu_ms_per_transaction == pytest.approx(0.6, rel=0.05)
        for step in group.steps:
            if step.layers == ("hop",):
                assert step.database_side_cpu is not None
                assert step.database_cpu is not None
                assert step.database_side_cpu.estimate > step.database_cpu.estimate


def test_the_verdict_on_cpu_is_on_server_and_proxy_together() -> None:
    for group in known().groups:
        plain, row = group.row("plain"), group.row("enc100")
        assert row.database_cpu_ms_per_transaction is not None
        assert row.proxy_cpu_ms_per_transaction is not None
        both = row.database_cpu_ms_per_transaction + row.proxy_cpu_ms_per_transaction
        assert row.database_side_cpu_ms_per_transaction == pytest.approx(both, rel=1e-3)
        assert plain.database_side_cpu_ms_per_transaction is not None
        change = group.comparison("enc100")
        assert change is not None
        finding = change.finding("cpuPerTransaction")
        assert finding is not None and finding.change is not None
        ratio = both / plain.database_side_cpu_ms_per_transaction
        assert finding.change.estimate == pytest.approx(ratio - 1, rel=0.01)
        assert row.cpu_per_transaction_overhead == finding.change


def test_a_proxy_s_cpu_that_was_withheld_leaves_its_block_out_and_says_so() -> None:
    withheld = frozenset({(64, 2, "enc20")})
    of = replace(COLUMNS, instances=("one",), concurrency=(64,), without_proxy_cpu=withheld)
    made = report_of(of)
    text = next(c.text for c in made.caveats if c.title == "Proxy CPU withheld")
    assert "there is no CPU of the proxy, for instance because: the alignment error" in text
    (group,) = made.groups
    comparison = group.comparison("enc100")
    assert comparison is not None
    finding = comparison.finding("cpuPerTransaction")
    assert finding is not None
    assert finding.blocks == group.counted_blocks - 2, "the one of enc50, and this one"


def test_an_arm_whose_proxy_s_cpu_was_always_withheld_takes_it_from_no_other() -> None:
    withheld = frozenset((64, block, "enc20") for block in range(1, COLUMNS.blocks + 1))
    of = replace(COLUMNS, instances=("one",), concurrency=(64,), without_proxy_cpu=withheld)
    (group,) = report_of(of).groups
    assert group.row("enc20").proxy_cpu_ms_per_transaction is None
    assert group.row("enc100").proxy_cpu_ms_per_transaction == pytest.approx(0.6, rel=0.05)


def test_the_direct_arm_s_answer_is_the_cost_of_the_hop() -> None:
    (headline,) = [one for one in known().headlines if one.arm == "direct"]
    assert headline.text.startswith(
        "Cannot tell whether the hop through the proxy costs more than the margin of 3 %: the "
        "paired 95 % interval [2.99, 8.91] % lies neither above the margin of 3 % nor inside ±3 %; "
        "the measured loss is 6.00 % [2.99, 8.91] % of TPS, plain against direct, tpcc at 512 "
        "threads"
    )
    group = known().groups[1]
    assert headline.concurrency == group.concurrency == 512
    (hop,) = [step for step in group.steps if step.before == "direct"]
    assert (headline.loss, headline.verdict) == (hop.loss, hop.verdict)
    top = card(known(), headline)
    assert (top.title, top.mode) == ("hop through the proxy", "plain against direct")
    shown = {name: value for name, value, _ in top.stats}
    assert hop.database_side_cpu is not None
    assert hop.database_side_cpu.estimate > 0
    assert shown["CPU per transaction"] == signed_percent(hop.database_side_cpu.estimate)
    assert shown["valid blocks"] == f"{group.counted_blocks} of {group.planned_blocks}"


AT_EQUAL_WORK = Study(
    concurrency=(4,),
    blocks=4,
    rate=50,
    baseline=PROXY,
    loss={"direct": -0.05},
    modes={"direct": {}},
    proxy={"plain": 0.4, "plain-control": 0.4},
)
"""Every arm keeps up with the rate, so that TPS is as offered."""


def test_at_equal_work_the_cost_of_the_hop_is_one_of_cpu() -> None:
    report = report_of(AT_EQUAL_WORK)
    (headline,), (group,) = report.headlines, report.groups
    (hop,) = group.steps
    assert hop.loss is None
    assert (headline.figure, headline.verdict) == ("cpuPerTransaction", "Overhead")
    assert headline.loss == hop.database_side_cpu
    assert headline.text == (
        "the hop through the proxy costs 14.3 % [13.9, 14.8] % more CPU per transaction at equal "
        "work (50 TPS offered), plain against direct, oltp-read-write at 4 threads on small; "
        "4 blocks."
    )
    assert headline.so.startswith("So expect CPU per transaction to be 13.9 to 14.8 % higher")
    top = card(report, headline)
    assert (top.title, top.figure) == ("hop through the proxy", "+14.3 %")
    several = report_of(replace(AT_EQUAL_WORK, concurrency=(4, 16)))
    assert "Over 2 conditions the point estimates of the increase of CPU per transaction" in (
        several.headlines[0].text
    )


def test_a_layer_s_tps_that_a_rate_decides_is_as_offered() -> None:
    columns = {
        one.title: one.cells for one in layertables.layers(report_of(AT_EQUAL_WORK).groups, 0.03)
    }
    assert columns["TPS: verdict"] == ("as offered",)


def test_a_step_s_verdict_in_the_csv_is_that_of_the_figure_beside_it() -> None:
    report = report_of(AT_EQUAL_WORK)
    (step,) = report.groups[0].steps
    assert step.instead and step.instead.verdict == "Overhead"
    rows = csv.DictReader(io.StringIO(csv_rows(report)))
    found = {row["arm"]: (row["step_verdict"], row["step_verdict_figure"]) for row in rows}
    assert found[step.arm] == ("Overhead", "cpuPerTransaction")
    assert (rows.fieldnames or ())[-1] == "step_verdict_figure"


@pytest.mark.parametrize(("algorithm", "other"), [("aes", "sm4"), ("sm4", "aes")])
def test_the_studies_tables_are_audited_as_the_published_ones(algorithm: str, other: str) -> None:
    """The tool that found two wrong rows in the published tables finds none in ours."""
    found = [
        read(rendering.name, rendering.content)
        for name, rendering in golden.renderings(golden.FOLDER / "columns").items()
        if name.startswith("study-") and not name.endswith(other)
    ]
    assert len(found) == 4, algorithm
    result = audit(found, None)
    assert result.findings == ()
    assert len(result.checks) > 12


def test_plain_is_through_the_proxy_whatever_the_baseline() -> None:
    swapped = replace(
        COLUMNS, instances=("one",), blocks=2, baseline={}, modes={**COLUMNS.modes, "direct": PROXY}
    )
    (tps,) = [t for t in report_of(swapped).studies if t.name == "tpcc-tps-aes"]
    assert "plaintext is direct" in tps.title, "the arm of that name is the one through the proxy"


def test_every_line_of_the_csv_has_its_step() -> None:
    text = rendered("csv")
    rows = [r for r in csv.DictReader(io.StringIO(text)) if r["concurrency_threads"] == "64"]
    layers = {row["arm"]: (row["step_layers"], row["step_before_arm"]) for row in rows}
    assert layers["plain"] == ("hop", "direct")
    assert layers["enc100-sm4"] == ("encryption", "swap")
    assert layers["direct"] == layers["plain-control"] == ("", "")


def test_caveats() -> None:
    titles = [caveat.title for caveat in known().caveats]
    assert titles[0] == "A simulation of a vendor's proxy layer"
    assert "The hop is encbench's own" in titles
    assert "Only results are encrypted" in titles
    assert "The client does not decrypt" not in titles
    assert "The hop is not told apart" not in titles


def test_a_hop_that_is_not_apart_is_said() -> None:
    sysbench = Study(
        concurrency=(4,),
        blocks=2,
        loss={"all": 0.2},
        modes={"all": {"columns": {**HOP, "ratio": 100, "strict": False}}},
    )
    titles = [caveat.title for caveat in report_of(sysbench).caveats]
    assert "The hop is not told apart" in titles
    assert "The client does not decrypt" in titles
    assert "Columns of unknown origin are in plaintext" in titles


def test_a_study_s_table_stays_within_a_topology() -> None:
    near = {"columns": {**HOP, "ratio": 100, "upstream": "Socket"}}
    study = Study(
        workloads=("oltp-read-only",),
        concurrency=(64,),
        blocks=2,
        baseline=PROXY,
        loss={"all": 0.2, "near": 0.2},
        modes={"all": {"columns": {**HOP, "ratio": 100}}, "near": near},
    )
    assert [table.name for table in report_of(study).studies] == ["sysbench-all"]


def test_the_topology_is_said() -> None:
    near = {"columns": {**HOP, "ratio": 0, "upstream": "Socket"}}
    study = Study(
        concurrency=(4,), blocks=2, baseline=PROXY, loss={"near": 0.1}, modes={"near": near}
    )
    (found,) = [it for it in report_of(study).caveats if it.title.startswith("Topology")]
    assert found.text.startswith("Under near there is no TCP between proxy and server")
    assert found.text.endswith("By TCP on loopback: plain.")
    assert not [it for it in known().caveats if it.title.startswith("Topology")]


def test_sysbench_has_the_study_s_table() -> None:
    sysbench = Study(
        workloads=("oltp-read-only", "oltp-write-only"),
        concurrency=(64, 128),
        blocks=2,
        baseline=PROXY,
        loss={"all": 0.2},
        modes={"all": {"columns": {**HOP, "ratio": 100}}},
    )
    made = report_of(sysbench)
    (table,) = made.studies
    assert [row[1:3] for row in table.rows] == [
        ("oltp-read-only", 64),
        ("oltp-read-only", 128),
        ("oltp-write-only", 64),
        ("oltp-write-only", 128),
    ]
    for row, group in zip(table.rows, made.groups, strict=True):
        plain, own = group.row("plain"), group.row("all")
        assert row[3:5] == (plain.qps, own.qps)
        assert row[6:8] == (plain.latency_average_ms, own.latency_average_ms)
        assert row[5] == pytest.approx(100 * (1 - (own.qps or 0) / (plain.qps or 1)), rel=1e-4)


def test_arms_that_are_chosen_by_a_list_have_their_tables() -> None:
    """TPC-C by the share that the list is, sysbench like every other arm."""
    two = {**HOP, "list": ["bmsql_customer.c_last", "bmsql_customer.c_balance"]}
    tpcc = replace(
        COLUMNS,
        instances=("one",),
        blocks=2,
        loss={**COLUMNS.loss, "two": 0.02},
        modes={**COLUMNS.modes, "two": {"columns": two, "driver": DRIVER}},
    )
    (ratio,) = [t for t in report_of(tpcc).studies if t.name == "ratio-aes"]
    assert "2.1 % is two" in ratio.title
    assert [row[2] for row in ratio.rows if row[1] == 64] == [20, 50, 100, 2.1]
    (tps,) = [t for t in report_of(tpcc).studies if t.name == "tpcc-tps-aes"]
    assert "encrypted is enc100" in tps.title

    pad = {"columns": {**HOP, "list": ["sbtest.pad"]}}
    sysbench = Study(
        workloads=("oltp-read-only",),
        concurrency=(64,),
        blocks=2,
        baseline=PROXY,
        loss={"pad": 0.1},
        modes={"pad": pad},
    )
    (table,) = report_of(sysbench).studies
    assert table.name == "sysbench-pad"


def test_which_columns_are_listed_with_their_share() -> None:
    ratios = {one.mode: one for one in known().encrypted_columns}
    assert list(ratios) == ["enc20", "enc50", "enc100", "enc100-sm4"]
    sizes = [len(one.columns) for one in ratios.values()]
    assert sizes[0] < sizes[1] < sizes[2] == sizes[3] == ratios["enc100"].of
    assert set(ratios["enc20"].columns) < set(ratios["enc50"].columns)
    assert ratios["enc100"].share == 1.0
    page = rendered("html")
    assert "enc20: 22.1" in page
    assert "bmsql_order_line" in page


@pytest.mark.parametrize("strict", [True, False])
def test_of_a_script_of_the_users_own_no_share_is_known(strict: bool) -> None:
    mode = {"columns": {**HOP, "list": ["a.b", "a.c", "d.e", "f.g", "h.i"], "strict": strict}}
    study = Study(
        workloads=("oltp-read-only",),
        blocks=2,
        baseline=PROXY,
        loss={"own": 0},
        modes={"own": mode},
    )
    report = report_of(study)
    workload = workload_spec(CUSTOM)
    resolved = report.resolved.model_copy(update={"workloads": {"oltp-read-only": workload}})
    (one,) = encrypted_columns(report.groups, resolved)
    assert (one.of, one.share, len(one.columns)) == (None, None, 5)
    said = layertables.share(one)
    assert said.startswith("own: a list of 5 columns (AES_128_GCM); of how many is not known")
    assert ("Under strict all columns are encrypted of tables" in said) is strict


def test_a_step_s_blocks_are_blocks_and_not_batches_of_rounds() -> None:
    group = report_of(replace(COLUMNS, blocks=1, rounds=30)).groups[0]
    assert group.steps and {step.blocks for step in group.steps} == {1}


def test_luck_that_stands_in_a_step_s_way_is_what_the_card_advises_about() -> None:
    """More of the same blocks would not help where testbeds are never built anew."""
    study = replace(COLUMNS, margin=0.06, placement={"plain-control": 0.02})
    report = report_of(replace(study, concurrency=(64,), instances=("2x4c32g",)))
    step = report.groups[0].step("plain")
    assert step is not None and step.placement is not None
    assert "the luck of one testbed each could explain that" in step.why
    headline = next(one for one in report.headlines if one.arm == "direct")
    assert "blocks.perTestbed" in headline.so


def test_luck_between_two_modes_is_larger_than_against_both_testbeds_of_the_baseline() -> None:
    """One testbed against one, and one against the mean of two: 2 and 1.5 of a testbed's own."""
    group = report_of(replace(COLUMNS, concurrency=(64,), instances=("2x4c32g",))).groups[0]
    widths: dict[bool, set[float]] = {True: set(), False: set()}
    for step in group.steps:
        assert step.placement is not None
        low, high = step.placement.low, step.placement.high
        assert low is not None and high is not None
        of_baseline = group.baseline.name in (step.arm, step.before)
        widths[of_baseline].add(round(math.log1p(-low) - math.log1p(-high), 4))
    (against_both,), (of_modes,) = widths[True], widths[False]
    assert against_both == pytest.approx(math.sqrt(3 / 4) * of_modes, rel=0.01)


def test_what_a_rate_decides_is_neither_a_table_s_nor_without_blocks() -> None:
    study = Study(
        workloads=("oltp-read-only",),
        concurrency=(64,),
        blocks=2,
        rate=50,
        loss={"all": 0.2},
        modes={"all": {"columns": {**HOP, "ratio": 100}}},
    )
    report = report_of(study)
    (group,) = report.groups
    assert group.equal_work
    assert [(step.blocks, step.verdict) for step in group.steps] == [(2, "NoData")]
    said = {caveat.title: caveat.text for caveat in report.caveats}
    assert "and the same resources and upstream." in said["The hop is not told apart"]
    (table,) = report.studies
    names = [column.name for column in table.columns]
    (row,) = table.rows
    cells = dict(zip(names, row, strict=True))
    assert cells["encrypted_qps"] == pytest.approx(1000, rel=0.01)
    assert cells["qps_overhead_percent"] is None


def test_latency_of_a_queue_is_no_figure_of_a_step() -> None:
    columns = {"columns": {**HOP, "ratio": 100}}
    study = Study(concurrency=(4,), blocks=2, rate=50, loss={"all": 0.1}, modes={"all": columns})
    queue = {(block, "all"): (300, 300) for block in (1, 2)}
    for one, is_known in ((study, True), (replace(study, queue=queue), False)):
        (step,) = report_of(one).groups[0].steps
        assert (step.latency_average is not None, step.latency_p95 is not None) == (is_known,) * 2
