"""What bench-precision makes of pairs of campaigns, from reports of made-up machines."""

import math
from dataclasses import asdict, replace
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from tests.bench import precision, results
from tests.bench.precision import blocks, main
from tests.bench.precision_summary import (
    Design,
    Log,
    Measured,
    difference,
    kept,
    loss,
    measured,
    pairs,
    ratio,
    summary,
)
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study

ONE = Measured(
    engine="mariadb",
    workload="write-only",
    design="sequential",
    repeat=1,
    seconds=400.0,
    counted=200.0,
    plain=1000.0,
    logs={"mode TPS": Log(-0.10, 0.06), "A'/A TPS": Log(0.01, 0.06), "mode CPU": Log(0.1, 0.02)},
)
TURNS = replace(
    ONE,
    design="interleaved",
    seconds=100.0,
    counted=72.0,
    plain=1020.0,
    logs={"mode TPS": Log(-0.11, 0.02), "A'/A TPS": Log(0.0, 0.03), "mode CPU": Log(0.1, 0.01)},
    in_blocks=90.0,
)


def test_half_widths_are_compared_at_equal_machine_time() -> None:
    """A quarter of the time doubles an interval: ±2 % in 100 s are ±1 % in 400 s."""
    assert ratio([(ONE, TURNS)], "mode TPS") == pytest.approx(1 / 6)
    assert ratio([(ONE, TURNS)], "A'/A TPS") == pytest.approx(1 / 4)


def test_campaigns_of_earlier_runs_are_judged_with_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "precision.jsonl"
    for one in (ONE, TURNS):
        results.add(file, asdict(one))
    assert kept(file) == [ONE, TURNS]
    wanted = ["--repeats=0", f"--kept={file}", "--workloads=write-only"]
    assert main(wanted) == 1
    said = capsys.readouterr().out
    assert "write-only on mariadb with 450m of CPU\n      1 pairs\n" in said
    assert "interleaved / sequential" in said


def test_larger_servers_are_judged_by_interleaved_campaigns_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "precision.jsonl"
    large = replace(TURNS, cpu="900m", counted=81.0, logs=dict.fromkeys(TURNS.logs, Log(0, 0.01)))
    for one in (ONE, TURNS, large):
        results.add(file, asdict(one))
    wanted = ["--repeats=0", f"--kept={file}", "--workloads=write-only", "--cpu=900m"]
    assert main(wanted) == 0
    said = capsys.readouterr().out
    assert "CPU a transaction: 0.4, 0.4, 1.7" in said
    assert "interleaved: 10% of a block and 19% of all time" in said
    assert "sequential" not in said


def test_the_median_of_all_pairs_counts() -> None:
    wide = replace(TURNS, logs={**TURNS.logs, "mode TPS": Log(-0.1, 0.5)})
    both = [(ONE, TURNS), (ONE, wide), (ONE, TURNS)]
    assert ratio(both, "mode TPS") == pytest.approx(1 / 6)


def test_minutes_for_a_half_width_grow_with_its_square() -> None:
    assert ONE.minutes("mode TPS", 0.06) == pytest.approx(400 / 60)
    assert ONE.minutes("mode TPS", 0.03) == pytest.approx(4 * 400 / 60)
    assert ONE.minutes("p95", 0.03) is None


def test_a_pair_is_one_campaign_of_each_design() -> None:
    second = replace(ONE, repeat=2)
    assert pairs([TURNS, ONE, second]) == [(ONE, TURNS)]


def test_interleaved_minus_solo_has_an_interval_from_two_pairs_on() -> None:
    again = replace(TURNS, logs={**TURNS.logs, "mode TPS": Log(-0.13, 0.02)})
    found = difference([(ONE, TURNS), (ONE, again)], loss)
    assert found.mean == pytest.approx(-0.02)
    assert found.bounds is not None
    assert found.bounds.high - found.bounds.low == pytest.approx(2 * 12.706 * 0.01, rel=1e-3)
    assert not found.is_small
    assert "no interval" in difference([(ONE, TURNS)], loss).text


def test_the_summary_says_what_was_asked_for_and_whether_it_was_found() -> None:
    found = dict(summary("write-only", [(ONE, TURNS)]))
    said = {text: good for text, good in found.items() if good is not None}
    assert [good for text, good in said.items() if "mode TPS at equal time" in text] == [True]
    assert [good for text, good in said.items() if "20% of a block and 28%" in text] == [True]
    assert [good for text, good in said.items() if "minus solo" in text] == [False]
    before = dict(summary("write-only", [(ONE, replace(TURNS, in_blocks=None))]))
    assert [good for text, good in before.items() if "28% of a block" in text] == [False]
    slow = replace(TURNS, logs={**TURNS.logs, "mode TPS": Log(-0.1, 0.06)})
    missed = dict(summary("write-only", [(ONE, slow)]))
    assert [good for text, good in missed.items() if "mode TPS at equal" in text] == [False]


def test_a_report_gives_the_figures() -> None:
    report = report_of(Study(name="run", concurrency=(4,), blocks=4))
    one = measured(report, "mariadb", "read-write", "sequential", 1, warmup=30.0)
    windows = [trial.window for trial in report.trials if trial.window]
    assert one.counted == pytest.approx(sum(w.end - w.start for w in windows))
    begun = min(w.start for w in windows)
    assert one.seconds == pytest.approx(max(w.end for w in windows) - begun + 30)
    between = [
        min(t.window.start for t in report.trials if t.window and t.block == block + 1)
        - max(t.window.end for t in report.trials if t.window and t.block == block)
        for block in (1, 2, 3)
    ]
    assert one.in_blocks == pytest.approx(one.seconds - sum(gap - 30 for gap in between))
    (comparison,) = report.groups[0].comparisons
    assert comparison.loss is not None and comparison.loss.high is not None
    assert one.logs["mode TPS"].mean == pytest.approx(math.log1p(-comparison.loss.estimate))
    assert set(one.logs) == {"A'/A TPS", "mode TPS", "mode CPU"}


@pytest.mark.parametrize("minutes", [2.0, 5.0])
def test_both_designs_are_planned_for_the_same_time(minutes: float) -> None:
    sequential = 3 * blocks("sequential", minutes)["min"] * (2 + 12 + 2)
    turns = blocks("interleaved", minutes)
    interleaved = turns["min"] * (2 + 3 * 1.25 * turns["interleave"]["rounds"])
    assert sequential == pytest.approx(60 * minutes, rel=0.25)
    assert interleaved == pytest.approx(60 * minutes, rel=0.1)


def test_its_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    said = capsys.readouterr().out
    assert "--short" in said
    assert "write-only: interleaved at most 0.33 of sequential" in said
    assert "within 6 minutes" in said


def _run(monkeypatch: pytest.MonkeyPatch, file: Path, *options: str) -> list[tuple[str, int]]:
    """Run campaigns that say nothing but their number; those that were begun."""
    begun = list[tuple[str, int]]()

    def campaign(
        kube: object, kind: precision.Kind, design: Design, repeat: int, *_: object
    ) -> Measured:
        begun.append((design, repeat))
        return replace(ONE if design == "sequential" else TURNS, repeat=repeat)

    monkeypatch.setattr(precision, "RESULTS", file)
    monkeypatch.setattr(precision, "installation", MagicMock)
    monkeypatch.setattr(precision, "_campaign", campaign)
    main(["--workloads=write-only", *options])
    return begun


def test_numbers_go_on_over_all_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "build/precision.jsonl"
    _run(monkeypatch, file, "--repeats=2")
    assert _run(monkeypatch, file, "--repeats=1") == [("sequential", 3), ("interleaved", 3)]
    assert "      1 pairs\n" in capsys.readouterr().out.rpartition("450m of CPU")[2]
    again = _run(monkeypatch, file, "--repeats=1", f"--kept={file}")
    assert again == [("interleaved", 4), ("sequential", 4)]
    assert "      4 pairs\n" in capsys.readouterr().out
    assert len(kept(file)) == 8


def test_short_campaigns_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "build/precision.jsonl"
    assert len(_run(monkeypatch, file, "--short")) == 2
    assert not file.exists()


def test_two_campaigns_of_one_number_are_refused(tmp_path: Path) -> None:
    """One would stand in the other's place."""
    file = tmp_path / "precision.jsonl"
    for one in (ONE, TURNS, replace(ONE, plain=900.0)):
        results.add(file, asdict(one))
    said = "two results of mariadb, write-only, 450m of CPU, sequential, number 1: number them anew"
    with pytest.raises(SystemExit, match=said):
        main(["--repeats=0", f"--kept={file}"])


def test_a_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"there is no file .*none\.jsonl: name one that"):
        main([f"--kept={tmp_path / 'none.jsonl'}"])
