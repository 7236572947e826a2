"""Tables and CSV about interleaved blocks show the report's own figures."""

import csv
import io
from dataclasses import replace
from functools import cache

from encbench.report.document import Report
from encbench.report.document.interleaving import Interleaving
from encbench.report.formats.csvturns import csv_slots
from encbench.report.formats.render import Rendering, render
from encbench.report.words import text
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study
from tests.unit.report.formats.html_tree import parse, tables

STUDY = Study(concurrency=(4,), blocks=1, rounds=12, solo=2, background={"tde": 0.05})


@cache
def the_report() -> Report:
    return report_of(STUDY)


@cache
def rendered() -> dict[str, Rendering]:
    return render(the_report())


def turns() -> Interleaving:
    found = the_report().groups[0].interleaving
    assert found is not None
    return found


def lines(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(rendered()[name].content.decode())))


def test_the_page_shows_every_table() -> None:
    shown = tables(parse(rendered()["html"].content.decode()))
    place = ", oltp-read-write on small"
    work = shown[f"Servers in their own slices and in others'{place}"]
    for row, arm in zip(work, turns().work, strict=True):
        assert row[1:4] == [
            arm.arm,
            text.number(arm.slices_cpu_ms, 3),
            text.number(arm.block_cpu_ms, 3),
        ]
        assert row[5] == text.bounds(arm.block_over_slices)
        assert row[7] == text.bounds(arm.against_baseline)
        assert row[8:10] == [text.number(arm.running_cores, 3), text.number(arm.stopped_cores, 3)]
    spanned = shown[f"Latency without interrupted transactions{place}"]
    assert [row[2:] for row in spanned] == [
        [
            f"{arm.transactions:,}",
            f"{arm.spanned:,}",
            text.percent(arm.spanned_share, 2),
            text.percent(arm.latency_too_low),
        ]
        for arm in turns().work
    ]
    neighbours = shown[f"Neighbours{place}"]
    assert [row[1] for row in neighbours] == ["plain-control", "tde"]
    assert neighbours[1][3] == text.number(turns().neighbours[1].rounds, 2)
    before = shown[f"Who ran before{place}"]
    assert [row[3] for row in before] == [text.bounds(one.change) for one in turns().carry_over]
    solo = shown[f"Interleaved blocks minus solo blocks{place}"]
    assert [row[-1] for row in solo] == [text.signed_points(one.difference) for one in turns().solo]


def test_markdown_has_the_same_tables() -> None:
    said = rendered()["markdown"].content.decode()
    assert "## Interleaved blocks, oltp-read-write on small" in said
    for title in ("Neighbours", "Who ran before", "Interleaved blocks minus solo blocks"):
        assert f"### {title}\n" in said
    assert text.signed_points(turns().solo[0].difference) in said


def test_csv_of_servers() -> None:
    found = lines("interleaved-servers")
    assert [row["arm"] for row in found] == ["plain", "plain-control", "tde"]
    for row, work in zip(found, turns().work, strict=True):
        assert float(row["server_stopped_cores"]) == work.stopped_cores
        assert work.block_over_slices is not None
        assert float(row["block_over_slices_minus_1_ci95_low"]) == work.block_over_slices.low
    assert found[0]["block_over_slices_against_baseline_minus_1"] == ""


def test_csv_of_checks() -> None:
    found = {(row["check"], row["arm"], row["figure"]): row for row in lines("interleaved-checks")}
    tde = turns().neighbours[1]
    row = found["autocorrelation_of_rounds", "tde", "tps"]
    assert (float(row["value"]), int(row["pairs"])) == (tde.rounds, tde.round_pairs)
    solo = turns().solo[0]
    row = found["interleaved_minus_solo", "tde", "tps"]
    assert row["formula"] == "interleaved_loss_minus_solo_loss"
    cpu = found["interleaved_minus_solo", "tde", "cpuPerTransaction"]
    assert cpu["formula"] == "interleaved_increase_minus_solo_increase"
    assert float(row["value"]) == solo.difference.estimate
    assert float(row["ci95_high"]) == solo.difference.high
    row = found["speed_spread", "", ""]
    found_spread = float(row["value"]), int(row["pairs"])
    assert found_spread == (turns().speed_spread, 36)
    carried = turns().carry_over[0]
    row = found["carry_over_fraction", "plain", carried.figure]
    assert float(row["ci95_low"]) == carried.change.low
    assert row["formula"] == "after_another_mode_over_after_itself_minus_1"


def test_csv_has_later_columns_last() -> None:
    """Those of 0.1.0 keep their names and positions."""
    checks, slots = (list(lines(f"interleaved-{name}")[0]) for name in ("checks", "slots"))
    assert checks[-3:] == ["ci95_high", "pairs", "formula"] and checks[4] == "arm"
    assert slots[-2:] == ["counted_client_cpu_seconds", "counted_proxy_cpu_seconds"]


def test_csv_of_slots_has_stopped_servers_too() -> None:
    found = lines("interleaved-slots")
    assert len(found) == 3 * 36, "three servers in each of 36 slots"
    stopped = [row for row in found if row["server_of_arm"] != row["running_arm"]]
    assert len(stopped) == 2 * 36
    assert {row["counted_transactions"] for row in stopped} == {""}
    (tde,) = [t for t in the_report().trials if t.arm == "tde" and t.rounds]
    used = [float(r["server_cpu_seconds"]) for r in found if r["server_of_arm"] == "tde"]
    assert used == [slot.cpu_seconds for slot in tde.slots]


def test_csv_of_slots_has_the_proxy_s_cpu() -> None:
    """Without it CPU per transaction of a mode with a proxy cannot be computed from the file."""
    report = the_report()
    (tde,) = [t for t in report.trials if t.arm == "tde" and t.rounds]
    beside = tuple(replace(one, proxy_cpu_seconds=0.25) for one in tde.rounds)
    trials = [t.model_copy(update={"rounds": beside}) if t is tde else t for t in report.trials]
    rows = csv.DictReader(
        io.StringIO(csv_slots(report.model_copy(update={"trials": tuple(trials)})))
    )
    found = {(r["running_arm"] == "tde", r["counted_proxy_cpu_seconds"]) for r in rows}
    assert (True, "0.25") in found and {cpu for own, cpu in found if not own} == {""}


def test_a_sequential_campaign_has_no_such_file() -> None:
    report = report_of(Study(concurrency=(4,), blocks=2))
    assert not [name for name in render(report) if name.startswith("interleaved")]
