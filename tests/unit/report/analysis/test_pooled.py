"""A follow-up and the campaign that it extends: what is pooled, and what verdicts rest on."""

import math
from dataclasses import replace

import pytest

from encbench.api.trial import Outcome
from encbench.core.artefact import decode, digest_of, encode
from encbench.core.evidence import ProvenanceRecord
from encbench.core.records import IndexRecord
from encbench.core.statistics.intervals import both, t_quantile
from encbench.report.analysis.build import build
from encbench.report.compare.likeness import alike
from encbench.report.document import Report
from encbench.report.document.pooled import PooledChange
from encbench.report.formats import pooled
from encbench.report.formats.cards import card
from encbench.report.formats.markdown import markdown
from encbench.report.formats.page import page
from encbench.report.formats.page.conditions import results
from tests.data.report.synthetic import Study
from tests.unit.report.analysis.extended import FIRST, MORE, reports, two_incarnations, written


def of_tps(report: Report) -> PooledChange:
    return next(it for it in report.groups[0].pooled if it.figure == "tps")


def ratios(report: Report) -> list[float]:
    """ln(tde / baseline) of TPS by block."""
    by_arm = {
        name: [t.tps or 0.0 for t in sorted(report.trials, key=lambda t: t.block) if t.arm == name]
        for name in ("plain", "plain-control", "tde")
    }
    plain = both(by_arm["plain"], by_arm["plain-control"])
    return [math.log(t / p) for t, p in zip(by_arm["tde"], plain, strict=True)]


def test_the_pooled_interval_is_around_the_mean_of_all_blocks() -> None:
    first, more = reports()
    found, parts = of_tps(more), [ratios(first), ratios(more)]
    everything = [*parts[0], *parts[1]]
    mean = math.fsum(everything) / 12
    squares = math.fsum((d - math.fsum(own) / len(own)) ** 2 for own in parts for d in own)
    half = t_quantile(0.975, 10) * math.sqrt(squares / 10 / 12)
    assert found.change is not None
    assert found.blocks == 12
    assert (found.change.low, found.change.estimate, found.change.high) == pytest.approx(
        (-math.expm1(mean + half), -math.expm1(mean), -math.expm1(mean - half)), rel=1e-4
    )


def test_a_shift_between_two_days_is_no_noise() -> None:
    """Of the level of the difference, that is: it moves the estimate and not the width."""
    _, calm = reports()
    _, shifted = reports(more=replace(MORE, loss={"tde": 0.30}))
    one, other = of_tps(calm).change, of_tps(shifted).change
    assert one is not None and other is not None
    width = [math.log1p(-it.low) - math.log1p(-it.high) for it in (one, other)]  # type: ignore[operator]
    assert width[0] == pytest.approx(width[1], rel=1e-3)
    difference = of_tps(shifted).difference
    assert difference is not None and difference.low is not None
    assert difference.low > 0.1


def test_without_an_announcement_verdicts_are_of_its_own_blocks() -> None:
    _, more = reports()
    _, two, bucket = written()
    alone = build(two.model_copy(update={"extends": ()}), bucket.__getitem__)
    assert more.groups[0].comparisons == alone.groups[0].comparisons
    assert more.groups[0].rows == alone.groups[0].rows
    assert more.headlines == alone.headlines
    assert "the pooled figures have none" in markdown(more)


def test_announced_looks_are_judged_by_all_blocks_at_their_share_of_the_error() -> None:
    first, more = reports(extensions=1)
    usual, _ = reports()
    finding = more.groups[0].comparisons[0].finding("tps")
    assert finding is not None
    assert finding.blocks == 12
    assert finding.change == of_tps(more).change
    looks, once = (report.groups[0].comparisons[0].finding("tps") for report in (first, usual))
    assert looks is not None and once is not None
    assert looks.overhead_p == pytest.approx(2 * (once.overhead_p or 0), rel=1e-4)
    assert looks.change == once.change
    assert "2 looks" in finding.why


def test_blocks_behind_the_figures_are_counted_with_those_that_were_planned() -> None:
    for extensions, count in ((0, 8), (1, 12)):
        _, more = two_incarnations(extensions)
        (group,) = more.groups
        assert {(row.blocks, row.planned_blocks) for row in group.rows} == {(count, count)}
        assert (group.counted_blocks, group.planned_blocks) == (count, count)
        assert len(group.blocks) == 8, "those of this campaign"
        shown = {name: value for name, value, _ in card(more, more.headlines[0]).stats}
        assert shown["valid blocks"] == f"{count} of {count}"
        pools = extensions > 0
        assert ("4 of what it extends are pooled with them" in group.blocks_why) is pools
        titles = [title for title, _ in results(more)[0].charts]
        assert ("CPU per transaction: trials and their mean" in titles) is not pools
        said = "trials of this campaign, mean of all blocks"
        assert (f"CPU per transaction: {said}" in titles) is pools


def test_each_part_is_what_that_campaign_said() -> None:
    first, more = reports()
    found = of_tps(more)
    assert [part.campaign for part in found.parts] == ["demo", "demo-more-1"]
    assert [part.blocks for part in found.parts] == [4, 8]
    assert [part.change for part in found.parts] == [
        report.groups[0].comparisons[0].loss for report in (first, more)
    ]


def test_both_or_nothing() -> None:
    invalid: tuple[Outcome, str] = ("Invalid", "ProofFailed")
    fail = {(4, block, "tde"): invalid for block in range(1, 5)}
    _, more = reports(more=replace(MORE, fail=fail), extensions=1)
    assert not more.groups[0].pooled
    finding = more.groups[0].comparisons[0].finding("tps")
    assert finding is not None
    assert finding.blocks < 8
    assert "not all planned blocks are valid" in markdown(more)


AA = replace(FIRST, loss={})
AA_MORE = replace(MORE, loss={})


@pytest.mark.parametrize(
    ("extensions", "short", "words", "added"),
    [
        (1, False, "verdicts of this report are therefore of all blocks", 4),
        (1, True, "A follow-up that ends early stands by itself.", 0),
        (0, False, "so its figures are of its own blocks.", 0),
        (0, True, "A follow-up that ends early stands by itself.", 0),
    ],
)
def test_a_campaign_without_a_treatment_says_what_was_pooled(
    extensions: int, short: bool, words: str, added: int
) -> None:
    invalid: dict[str, tuple[Outcome, str]] = {"plain": ("Invalid", "ProofFailed")}
    more = replace(AA_MORE, always=invalid) if short else AA_MORE
    _, report = reports(first=AA, more=more, extensions=extensions)
    (group,), pooling = report.groups, report.pooling
    assert pooling is not None
    assert group.added_blocks == added
    said = pooled.words(report, pooling)
    assert words in said
    assert ("of all blocks" in said) is bool(added)
    assert "Pooled after a look" not in said
    assert bool(report.contained) is bool(added)


def test_a_shared_node_of_an_earlier_campaign_is_told_with_what_is_pooled() -> None:
    title = "Client and database shared a node"
    for extensions, told in ((1, True), (0, False)):
        _, more = reports(first=replace(FIRST, colocated=True), extensions=extensions)
        said = [one.text for one in more.caveats if one.title == title]
        assert (more.colocated, bool(more.shared_node), bool(said)) == (told, told, told)
    _, more = reports(first=replace(FIRST, colocated=True), extensions=1)
    (text,) = (one.text for one in more.caveats if one.title == title)
    assert text.startswith("In 12 trials they competed")
    assert len(more.trials) == 24, "those of this campaign"
    calm = reports(first=replace(FIRST, foreign=0.2), extensions=1)[1]
    foreign = next(one for one in calm.caveats if one.title == "Something else used the nodes")
    assert foreign.text.startswith("In 12 of 36 counted trials")


def test_trials_that_do_not_count_are_those_of_this_campaign() -> None:
    """Else blocks of earlier campaigns would hide how many of them there are."""
    invalid: tuple[Outcome, str] = ("Invalid", "ProofFailed")
    fail = {(4, 1, "tde"): invalid, (4, 2, "tde"): invalid}
    first = replace(FIRST, blocks=12)
    _, more = reports(first=first, more=replace(MORE, blocks=1, fail=fail), extensions=1)
    assert more.groups[0].added_blocks == 12
    texts = {caveat.title: caveat.text for caveat in more.caveats}
    assert texts["Many trials did not succeed"] == "2 of 7 (ProofFailed 2)."


def test_what_is_of_one_campaign_alone_is_said() -> None:
    _, more = reports(extensions=1)
    assert more.pooling is not None
    said = pooled.words(more, more.pooling)
    assert "what is said of turns are of this campaign alone, except who ran before." in said
    assert "those about trials that count are of all campaigns." in said


def test_another_kernel_is_not_pooled() -> None:
    _, two, bucket = written(extensions=1)
    for key in [k for k in bucket if "demo-more-1" in k and k.endswith("provenance.json")]:
        record = decode(ProvenanceRecord, bucket[key], key)
        machine = record.machine.model_copy(update={"kernel": "6.99"})
        changed = encode(record.model_copy(update={"machine": machine}))
        trial = f"{key.removesuffix('provenance.json')}trial.json"
        old, new = digest_of(bucket[key]), digest_of(changed)
        before = bucket[trial]
        bucket[key], bucket[trial] = changed, before.replace(old.encode(), new.encode())
        text = encode(two).decode().replace(digest_of(before), digest_of(bucket[trial]))
        two = decode(IndexRecord, text.encode(), "index")
    report = build(two, bucket.__getitem__)
    assert report.pooling is not None
    assert any("Kernel" in why for why in report.pooling.why_not)
    assert not report.groups[0].pooled
    assert "the machine is not the same" in markdown(report)
    assert "the machine is not the same" in page(report)


def test_proofs_of_what_is_extended_may_be_cleaned_away() -> None:
    one, two, bucket = written(extensions=1)
    mine = {key for key in bucket if key.startswith(f"{one.storage.prefix}/testbeds/")}
    assert mine
    left = {key: content for key, content in bucket.items() if key not in mine}
    report = build(two, left.__getitem__)
    assert report.pooling is not None and not report.pooling.why_not


def test_the_cluster_s_upkeep_and_a_little_memory_keep_no_campaigns_apart() -> None:
    for name, one, other, is_alike in (
        ("Kubelet", "v1.33.1", "v1.33.2", True),
        ("Operating system", "Some OS 12.1", "Some OS 12.2", True),
        ("Allocatable memory", "15.4 GiB", "15.5 GiB", True),
        ("Allocatable memory", "7.7 GiB, 15.4 GiB", "7.7 GiB", False),
        ("Container runtime", "containerd of 1", "containerd of 2", False),
    ):
        assert alike(name, one, other) == is_alike, name


def test_the_page_shows_both_and_the_whole() -> None:
    _, more = reports()
    shown = page(more)
    assert 'id="pooled"' in shown
    assert "Together with demo" in shown
    assert 'id="pooled"' not in page(reports()[0])


def test_sets_of_testbeds_stay_the_units() -> None:
    luck = {"tde": 0.02}
    first = replace(FIRST, blocks=8, per_testbed=2, placement=luck)
    _, more = reports(first=first, more=replace(MORE, per_testbed=2, placement=luck), extensions=1)
    assert more.groups[0].units == 8
    finding = more.groups[0].comparisons[0].finding("tps")
    assert finding is not None
    assert finding.blocks == 16
    assert finding.luck is None


@pytest.mark.parametrize(
    ("studies", "shares"),
    [
        ({}, (4 / 12, 8 / 12)),
        # The single block by itself is observed in batches of rounds, in the pooled figures once.
        (
            {
                "first": replace(FIRST, blocks=6, rounds=12),
                "more": replace(MORE, blocks=1, rounds=12),
            },
            (6 / 7, 1 / 7),
        ),
    ],
    ids=["sequential", "interleaved"],
)
def test_luck_of_two_campaigns_is_shared_and_better_known(
    studies: dict[str, Study], shares: tuple[float, float]
) -> None:
    first, more = reports(extensions=1, **studies)
    _, alone, bucket = written(extensions=1, **studies)
    own = build(alone.model_copy(update={"extends": ()}), bucket.__getitem__)
    luck = [
        finding.luck or 0.0
        for report in (first, own, more)
        if (finding := report.groups[0].comparisons[0].finding("tps")) is not None
    ]
    pooled = math.hypot(*luck[:2]) / math.sqrt(2) * math.hypot(*shares)
    assert luck[2] == pytest.approx(pooled, rel=1e-3)


def test_luck_that_cancels_out_between_two_campaigns_is_shown() -> None:
    first = replace(FIRST, blocks=6, noise=0.003, placement={"plain-control": 0.04})
    second = replace(first, name="demo-more-1", seed=8, placement={"plain": 0.03})
    _, more = reports(first=first, more=second, extensions=1)
    (group,), title = more.groups, "Each mode ran on few testbeds"
    assert group.placement is not None
    assert group.placement.estimate == pytest.approx(0.04, abs=0.004)
    assert group.noise_floor is not None
    assert group.noise_floor > 0.035, "the floor contains the same luck"
    finding = group.comparisons[0].finding("tps")
    assert finding is not None and (finding.luck or 0.0) > 0.01
    said = next(one.text for one in more.caveats if one.title == title)
    assert "differed by up to 4." in said or "differed by up to 3.9" in said
    assert "interval follows from the differences of all pooled campaigns, and" in said


def test_what_more_would_take_is_counted_in_what_the_pooled_figures_are_of() -> None:
    """Three blocks alone are observed in batches of rounds, six together one by one."""
    own = replace(FIRST, blocks=3, rounds=12, noise=0.06)
    first, more = reports(first=own, more=replace(own, name="demo-more-1", seed=8), extensions=1)
    demands = [
        finding.demand
        for report in (first, more)
        for comparison in report.groups[0].comparisons
        if (finding := comparison.finding("tps")) is not None
    ]
    alone, pooled = demands
    assert alone is not None and alone.rounds and not alone.blocks
    assert pooled is not None and pooled.blocks and not pooled.rounds


def test_a_carry_over_in_the_first_campaign_counts_against_a_pooled_verdict() -> None:
    own = replace(FIRST, blocks=3, rounds=40, noise=0.01)
    written = {"first": replace(own, carry=0.1), "more": replace(own, name="demo-more-1", seed=8)}
    _, alone = reports(**written)
    _, pooled = reports(**written, extensions=1)
    known = [report.groups[0].comparisons[0].finding("tps") for report in (alone, pooled)]
    carried = [finding.carried for finding in known if finding is not None]
    assert carried[0] is None, "its own blocks have none"
    assert carried[1] is not None and 0.03 < carried[1] < 0.1
    turns = pooled.groups[0].interleaving
    assert turns is not None
    assert turns.carry_over[0].change.estimate == pytest.approx(-0.05, abs=0.015)
