"""The page, parsed: its figures are the report's, and it needs nothing but itself."""

import math
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from encbench.api.instancetemplate import External
from encbench.api.trial import Outcome
from encbench.core.artefact import decode, digest_of, encode
from encbench.core.evidence import ON_TRUST
from encbench.core.records import IndexTrial
from encbench.report.analysis.build import build
from encbench.report.document import Report
from encbench.report.figures import judged
from encbench.report.formats import page as page_module
from encbench.report.formats.markdown import intervals, markdown
from encbench.report.formats.page import page
from encbench.report.formats.page.conditions import results
from encbench.report.formats.plots import SERIES, legend, timeline
from encbench.report.formats.svg import TREATMENTS
from encbench.report.words import text
from tests.data.report.golden import FOLDER, known, report_of
from tests.data.report.synthetic import Study, write
from tests.unit.report.formats.html_tree import Node, parse, tables

STUDY = Study(
    concurrency=(4, 16), blocks=3, seconds=20, fail={(16, 2, "tde"): ("Invalid", "ProofFailed")}
)

PLACE = "oltp-read-write on small"
AT_16 = "oltp-read-write at 16 threads on small"
EXTERNAL = External.model_validate(
    {"host": "db.example.com", "database": "sbtest", "credentialsSecretRef": {"name": "db"}}
)


@cache
def the_report() -> Report:
    return report_of(STUDY)


@cache
def the_source() -> str:
    return page(the_report())


@cache
def the_page() -> Node:
    return parse(the_source())


@cache
def the_tables() -> dict[str, list[list[str]]]:
    return tables(the_page())


def test_throughput_is_the_report_s() -> None:
    rows = the_tables()[f"Throughput: tde against plain, {PLACE}"]
    stored = decode(Report, encode(the_report()), "report.json")
    expected = [
        [
            str(group.concurrency),
            text.number(group.row("plain").tps, 1),
            text.number(group.row("tde").tps, 1),
            text.percent(comparison.loss.estimate if comparison.loss else None),
            text.bounds(comparison.loss),
            f"{(group.row('plain').tps or 0) / (group.row('tde').tps or 1):.3f}",
            *(
                text.number(group.row(arm).disk_read_kib_per_transaction, 1)
                for arm in ("plain", "tde")
            ),
            text.percent(group.noise_floor),
            str(comparison.blocks),
            "neither CPU",
            comparison.verdict,
        ]
        for group in stored.groups
        for comparison in group.comparisons
    ]
    assert rows == expected


def test_latency_and_cpu_are_the_report_s() -> None:
    tde, plain = the_report().groups[1].row("tde"), the_report().groups[1].row("plain")
    latency = the_tables()[f"Latency: tde against plain, {PLACE}"][1]
    assert latency[1:3] == [
        text.number(plain.latency_average_ms, 2),
        text.number(tde.latency_average_ms, 2),
    ]
    assert latency[9] == text.bounds(tde.latency_p95_overhead)
    assert [latency[5], latency[10]] == [tde.latency_average_verdict, tde.latency_p95_verdict]
    cpu = the_tables()[f"CPU: tde against plain, {PLACE}"][1]
    assert cpu[2] == text.number(tde.database_cpu_ms_per_transaction, 3)
    assert cpu[5] == tde.cpu_per_transaction_verdict
    assert cpu[-7] == text.signed(tde.database_cpu_points)
    assert cpu[-1] == text.signed(tde.node_cpu_points)


def test_all_conditions_are_there_at_a_glance() -> None:
    (rows,) = [
        table for caption, table in the_tables().items() if caption.startswith("All conditions")
    ]
    for row, group in zip(rows, the_report().groups, strict=True):
        (comparison,) = group.comparisons
        assert row == [
            *("small", "oltp-read-write", str(group.concurrency), "loss of TPS"),
            text.percent(text.point(comparison.loss)),
            f"{text.bounds(comparison.loss)} {comparison.verdict}",
            text.percent(group.noise_floor),
        ]


@pytest.mark.parametrize(("noise", "bold"), [(0.001, True), (0.04, False)])
def test_at_a_glance_only_a_figure_with_a_verdict_is_bold(noise: float, bold: bool) -> None:
    report = report_of(Study(noise=noise, blocks=3, loss={"tde": 0.08, "tls": 0.0}))
    table = parse(page(report)).all("table", "glance")[0]
    known = [one.verdict for group in report.groups for one in group.comparisons]
    assert [badge.text for badge in table.all("span", "badge")] == known
    assert ("Inconclusive" in known) is not bold
    assert len(table.all("strong")) == bold * len(known)


def test_disturbances_are_told_with_their_limits() -> None:
    loads = iter([1.25, None, *[0.5] * 100])
    trials = tuple(
        t.model_copy(update={"foreign_cpu_percent": next(loads) if t.counted else 99.0})
        for t in the_report().trials
    )
    said = parse(page(the_report().model_copy(update={"trials": trials}))).text
    outside = "load from outside, of a node's cores: at most 1.2 %, not measured in every trial"
    assert f"{outside} Invalid above 50 %" in said
    assert "idle databases, of one instance's CPU: not measured Invalid above 10 %" in said


def test_what_dm_crypt_takes_has_no_limit() -> None:
    load = {"tde": {"foreign_with_dm_crypt_percent": 61.0}, "plain": {"foreign_cpu_percent": 3.0}}
    trials = tuple(t.model_copy(update=load.get(t.arm, {})) for t in the_report().trials)
    said = parse(page(the_report().model_copy(update={"trials": trials}))).text
    outside = "load from outside, of a node's cores: at most 4.0 % Invalid above 50 %"
    assert f"{outside} the same with any cipher in the kernel: at most 61.0 % taken by" in said


def test_a_trial_without_a_node_under_the_limit_does_not_lack_a_measurement() -> None:
    load = {"foreign_cpu_percent": None, "foreign_with_dm_crypt_percent": 61.0}
    trials = tuple(t.model_copy(update=load if t.arm == "tde" else {}) for t in the_report().trials)
    said = parse(page(the_report().model_copy(update={"trials": trials}))).text
    assert "of a node's cores: at most 4.0 % Invalid above 50 %" in said


def test_one_condition_needs_no_glance() -> None:
    found = tables(parse(page(report_of(Study(blocks=2, concurrency=(4,))))))
    assert not [caption for caption in found if caption.startswith("All conditions")]


def test_every_figure_s_judgement_is_there() -> None:
    rows = the_tables()[f"Judgement: tde against plain, {PLACE}"]
    found = [finding for group in the_report().groups for finding in group.comparisons[0].findings]
    assert len(rows) == len(found) == 10
    for row, finding in zip(rows, found, strict=True):
        assert row[2] == text.signed_percent(finding.change.estimate if finding.change else None)
        assert row[4:6] == [text.bounds(finding.placement), text.percent(finding.noise_floor)]
        assert row[6:8] == [
            text.probability(finding.overhead_p),
            text.probability(finding.equivalent_p),
        ]
        assert row[8:] == [finding.verdict, finding.why]


def test_noise_floors_of_every_figure() -> None:
    (rows,) = [
        table for caption, table in the_tables().items() if caption.startswith("Noise floor")
    ]
    for row, group in zip(rows, the_report().groups, strict=True):
        floors = group.noise_floors
        assert row[1] == f"{text.percent(text.point(group.repeat))} loss of TPS"
        assert row[4:9] == [text.percent(floor) for floor in floors.values()]
        assert f"{group.counted_blocks} valid blocks: {group.blocks_why}." in (
            the_page().text.replace("\u00a0", " ")
        )


def test_a_control_s_change_is_named_by_what_is_judged() -> None:
    """At a fixed rate that is CPU per transaction, which rises where TPS is lost."""
    report = report_of(Study(concurrency=(4,), rate=50))
    (found,) = [t for caption, t in tables(parse(page(report))).items() if "Noise floor" in caption]
    assert found[0][1].endswith("CPU per transaction, increase")


@pytest.mark.parametrize(
    ("study", "said"),
    [
        (Study(rate=50), "; every arm kept up: CPU per transaction is the cost at equal work"),
        (Study(rate=500), "; not every arm kept up"),
        (
            Study(concurrency=(1, 4, 16), rate=206),
            "; every arm kept up at 16 threads: CPU per transaction is the cost at equal work; "
            "not every arm kept up at 1 and 4 threads",
        ),
        (Study(rate=50, always={"tde": ("Invalid", "ProofFailed")}), ""),
    ],
)
def test_who_kept_up_with_an_offered_rate_is_told_of_every_condition(
    study: Study, said: str
) -> None:
    (result,) = results(report_of(replace(study, blocks=2)))
    assert result.setup.partition(" TPS offered")[2] == said


def test_slices_are_measured_though_no_block_is_valid() -> None:
    study = Study(concurrency=(4,), blocks=1, rounds=10, always={"tde": ("Invalid", "Slow")})
    report = report_of(study)
    assert report.groups[0].rounds is None
    (result,) = results(report)
    assert result.setup.endswith("measured 10 slices of 2.5 s in each block")
    assert "over interleaved blocks, or batches of their rounds" in intervals(report)
    assert "each block one trial of every arm" not in intervals(report)


def test_slices_are_what_was_measured() -> None:
    (result,) = results(report_of(Study(concurrency=(4,), blocks=1, rounds=10)))
    assert result.setup.endswith("measured 10 slices of 2.5 s in each block")
    (result,) = results(report_of(Study(concurrency=(4,), blocks=1)))
    assert result.setup.endswith("measured 60s")


def test_a_loss_that_an_offered_rate_decides_is_drawn_as_offered() -> None:
    """At 4 threads an arm falls behind, so that TPS has a plot; at 16 every arm keeps up."""
    (result,) = results(report_of(Study(concurrency=(4, 16), rate=206, blocks=2)))
    drawing = dict(result.charts)["Loss of TPS"]
    assert "tde at 16 threads as offered" in drawing
    assert ">as offered<" in drawing
    assert "no data" not in drawing
    latency = dict(result.charts)["Average latency, increase"]
    assert "tde at 4 threads fell behind" in latency
    assert "no data" not in latency


def test_a_block_s_loss_is_against_both_arms_of_the_baseline() -> None:
    report = report_of(Study(concurrency=(4,), blocks=3))
    group, trials = report.groups[0], {trial.name: trial for trial in report.trials}
    (rows,) = [
        t for caption, t in tables(parse(page(report))).items() if caption.startswith("Blocks")
    ]
    for block, row in zip(group.blocks, rows, strict=True):
        tps = {trials[name].arm: trials[name].tps or 0.0 for name in block.trials}
        plain = math.sqrt(tps["plain"] * tps["plain-control"])
        assert text.percent(1 - tps["tde"] / plain) in row


def test_the_answer_is_the_headline() -> None:
    (answer,) = the_page().all("article", "answer")
    headline = the_report().headlines[0]
    assert headline.loss is not None
    assert answer.all("strong")[0].text == text.percent(headline.loss.estimate)
    assert answer.all("span", "badge")[0].text == headline.verdict
    assert answer.all("span", "interval")[0].text == text.bounds(headline.loss)
    assert answer.all("p", "brief")[0].text.replace("\u00a0", " ") == headline.brief
    assert answer.all("p", "so")[0].text.replace("\u00a0", " ") == headline.so
    (whole,) = the_page().all("article", "in-full")
    assert whole.all("p", "sentence")[0].text.replace("\u00a0", " ") == headline.text


def test_a_card_is_short_enough_to_decide_by() -> None:
    (answer,) = the_page().all("article", "answer")
    assert [node.attributes["class"] for node in answer.all("p") if node.attributes] == [
        "mode",
        "figure",
        "brief",
        "so",
    ]
    brief = answer.all("p", "brief")[0].text.replace("16 threads", "")
    assert not re.search(r"\d", brief), "the card has one figure"


def test_excluded_trials_are_shown_with_their_reason() -> None:
    ((name, arm, threads, block, _, outcome, why),) = the_tables()["Trials that did not succeed"]
    assert (arm, threads, block, outcome) == ("tde", "16", "2", "Invalid")
    assert name in {trial.name for trial in the_report().trials}
    assert why.startswith("ProofFailed : After the run the marker was found")


def test_a_broken_block_says_why() -> None:
    (blocks,) = [t for caption, t in the_tables().items() if caption.startswith(f"Blocks, {AT_16}")]
    (broken,) = [row for row in blocks if row[-1] != "yes"]
    assert broken[0] == "2"
    assert broken[-1] == "no: tde was Invalid (ProofFailed)"


def test_proofs_caveats_provenance_and_raw_data_are_there() -> None:
    assert [row[:2] for row in the_tables()["Full proof of each database"]] == [
        ["plain", "✓ yes"],
        ["plain-control", "✓ yes"],
        ["tde", "✓ yes"],
    ]
    said = the_page().text
    assert all(f"{caveat.title}." in said for caveat in the_report().caveats)
    for fact in ("10.11.14-MariaDB", "node-a", "6.18.0", "aes pclmulqdq", the_report().index.key):
        assert fact.split()[0] in said
    assert len(the_tables()["Record of each trial, in the order they ran"]) == len(
        the_report().trials
    )


def test_colour_alone_tells_no_two_arms_apart() -> None:
    """With seven treatments and more, colours repeat."""
    loss = {f"m{n}": 0.05 for n in range(8)}
    report = report_of(Study(concurrency=(4,), blocks=1, seconds=12, loss=loss))
    (group,) = report.groups
    known = legend(group.arms)
    assert len({one.colour for one in known}) < len(known)
    assert len({(one.colour, one.shape) for one in known}) == len(known)
    (drawn,) = parse(timeline(group, report.trials, report.spec.blocks, "t")).all("svg")
    used = [node.attributes for node in drawn.all("use")]
    assert len({(one["href"], one["fill"]) for one in used}) == len(group.arms)


@pytest.mark.parametrize("field", [True, False])
def test_a_proof_that_rests_on_a_declaration_is_not_a_plain_yes(field: bool) -> None:
    """An index of an earlier release says it in the summary alone, and keeps its digest."""
    index, bucket = write(STUDY)
    plain, control, tde = index.testbeds
    assert tde.proof is not None
    said = {"on_trust": True} if field else {"summary": f"TDE is in force, {ON_TRUST}"}
    proof = tde.proof.model_copy(update=said)
    testbeds = (plain, control, tde.model_copy(update={"proof": proof}))
    index = index.model_copy(update={"testbeds": testbeds})
    report = build(index, bucket.__getitem__)
    assert report.index.digest == digest_of(encode(index))
    shown = [row[1] for row in tables(parse(page(report)))["Full proof of each database"]]
    assert shown == ["✓ yes", "✓ yes", "on disk: declared, not seen"]


def test_of_an_external_database_nothing_is_said_to_be_searched() -> None:
    index, bucket = write(STUDY)
    (small,) = index.resolved.instances.values()
    instances = {"small": small.model_copy(update={"external": EXTERNAL})}
    resolved = index.resolved.model_copy(update={"instances": instances})
    report = build(index.model_copy(update={"resolved": resolved}), bucket.__getitem__)
    assert all(group.placement is None for group in report.groups)
    made = parse(page(report))
    found = tables(made)
    shown = {row[1] for row in found["Full proof of each database"]}
    assert shown == {"not by this proof"}
    (floors,) = [table for caption, table in found.items() if caption.startswith("Noise floor")]
    assert {row[3] for row in floors} == {text.ABSENT}
    for group in report.groups:
        for key, floor in group.noise_floors.items():
            repeat = group.repeats[key]
            assert repeat is not None and repeat.low is not None and repeat.high is not None
            assert floor == max(-repeat.low, repeat.high)
    said = made.text.replace("\u00a0", " ")
    assert "data directory" not in said and "identical database" not in said
    assert "a second time on the same database" in said


def test_beside_an_external_database_ours_is_searched() -> None:
    report = report_of(replace(STUDY, instances=("large", "small"), concurrency=(4,)))
    instances = dict(report.resolved.instances)
    instances["small"] = instances["small"].model_copy(update={"external": EXTERNAL})
    resolved = report.resolved.model_copy(update={"instances": instances})
    made = parse(page(report.model_copy(update={"resolved": resolved})))
    shown = [row[1] for row in tables(made)["Full proof of each database"]]
    assert shown == ["✓ yes"] * 3 + ["not by this proof"] * 3
    said = made.text.replace("\u00a0", " ")
    assert "the whole data directory of each database that encbench runs is searched" in said
    assert "encbench does not run small and sees none of its files" in said


def test_nothing_is_fetched() -> None:
    assert not the_page().all("script") and not the_page().all("link") and not the_page().all("img")
    ids = [node.attributes["id"] for node in the_page().all() if "id" in node.attributes]
    assert len(ids) == len(set(ids))
    for node in the_page().all():
        assert "src" not in node.attributes and "style" not in node.attributes
        assert not any(name.startswith("on") for name in node.attributes)
        href = node.attributes.get("href")
        assert href is None or (href[0] == "#" and href[1:] in ids)
    assert set(re.findall(r"url\((.)", the_source())) <= {"#"}
    assert "@import" not in the_source()
    assert not re.search(r"https?:", the_source())


def test_plots_and_tables_say_what_they_are() -> None:
    plots = the_page().all("svg")
    percentiles, cpu = len(the_report().groups), 1
    effects = len(judged(recovery=False))
    assert len(plots) == effects + cpu + percentiles + len(the_report().groups)
    for plot in plots:
        assert plot.attributes["role"] == "img"
        assert len(plot.attributes["aria-label"]) > 40
    loss = text.estimate(the_report().groups[0].row("tde").overhead)
    assert f"tde at 4 threads {loss}" in plots[0].attributes["aria-label"]
    for table in the_page().all("table"):
        assert table.all("caption")
        assert all("scope" in head.attributes for head in table.all("th"))
        lines = table.all("thead")[0].all("tr")
        assert all(line.text for line in lines), "a row of headings has headings"
        # A heading of a group has a group below it, as wide as itself.
        over = [node for node in lines[0].children if isinstance(node, Node)]
        spans = [one.attributes.get("span", "1") for one in table.all("colgroup")]
        assert bool(spans) is (len(lines) == 2)
        assert not spans or spans == [one.attributes.get("colspan", "1") for one in over]
        for body in table.all("tbody"):
            rows = [one.attributes.get("rowspan") for one in body.all("th") if is_of_rows(one)]
            assert rows in ([], [str(len(body.all("tr")))])
    assert any(is_of_rows(head) for head in the_page().all("th"))
    assert all(name.text for name in the_page().all("dt"))


def is_of_rows(head: Node) -> bool:
    return head.attributes["scope"] == "rowgroup"


def test_digests_are_there_in_full() -> None:
    """A title is on no paper, and cannot be copied."""
    report, said = the_report(), the_page().text
    records = [(one.key, one.digest) for one in (report.index, *report.provenance.records)]
    for key, digest in (*records, *((trial.key, trial.digest) for trial in report.trials)):
        assert key in said and digest is not None and f"{key} {digest}" in said


def test_tables_and_scroll_boxes_of_two_instances_have_names_of_their_own() -> None:
    """A box that scrolls can be reached by keyboard, and is no landmark among hundreds."""
    made = parse(page(known(FOLDER / "columns")))
    boxes = [node.attributes for node in made.all("div", "scroll")]
    assert all((box["tabindex"], box["role"]) == ("0", "group") for box in boxes)
    assert len({box["aria-label"] for box in boxes}) == len(boxes)
    throughput = [caption for caption in tables(made) if caption.startswith("Throughput: swap")]
    assert throughput == [
        f"Throughput: swap against plain, tpcc on {instance}" for instance in ("2x4c32g", "4x8c64g")
    ]


def test_the_page_is_a_function_of_report_json() -> None:
    assert page(decode(Report, encode(the_report()), "report.json")) == the_source()


def test_text_from_outside_is_text() -> None:
    evil = "<script>alert(1)</script>"
    trials = tuple(
        t.model_copy(update={"message": evil, "reason": evil}) for t in the_report().trials
    )
    found = parse(page(the_report().model_copy(update={"trials": trials})))
    assert not found.all("script")
    assert evil in found.text


def test_no_data_has_no_figures_and_says_why() -> None:
    report = report_of(Study(blocks=2, always={"tde": ("Invalid", "ProofFailed")}))
    found = parse(page(report))
    (answer,) = found.all("article", "answer")
    assert answer.all("strong")[0].text == "No data"
    assert answer.all("p", "so")[0].text == "So look at the excluded trials first."
    (whole,) = found.all("article", "in-full")
    assert "every trial was Invalid (ProofFailed" in whole.text.replace("\u00a0", " ")
    row = tables(found)[f"Throughput: tde against plain, {PLACE}"][0]
    assert row[1:] == ["–", "–", "–", "–", "–", "–", "0", "–", "NoData"]
    assert ["tde", "× no"] in [row[:2] for row in tables(found)["Full proof of each database"]]


def test_cannot_tell_is_said_large() -> None:
    report = report_of(Study(concurrency=(16,), noise=0.04, blocks=3, seed=2))
    answer = parse(page(report)).all("article", "answer")[0]
    assert answer.all("strong")[0].text == "Cannot tell"
    headline = report.headlines[0]
    assert answer.all("span", "interval")[0].text == text.bounds(headline.loss)
    assert answer.all("span", "unit")[0].text == "loss of TPS"
    assert answer.all("p", "so")[0].text.startswith("So an interval of ±1.5 % takes about ")


def test_without_intervals_no_dash_stands_for_one() -> None:
    """One block is left, of which every figure but the large one is a point alone."""
    whole = parse(page(report_of(Study(blocks=1, concurrency=(4,)))))
    (answer,), (full,) = whole.all("article", "answer"), whole.all("article", "in-full")
    assert not answer.all("span", "interval") and not answer.all("span", "unit")
    assert "–" not in answer.text + full.text
    assert "noise floor" not in full.text
    at_equal_work = parse(page(report_of(Study(blocks=1, concurrency=(4,), rate=100))))
    (full,) = at_equal_work.all("article", "in-full")
    assert "offered) changes by +10.4 %, oltp" in full.text.replace("\u00a0", " ")
    assert "–" not in full.text


@pytest.mark.parametrize("study", [Study(blocks=1), Study(loss={}, blocks=2)])
def test_sparse_reports_render(study: Study) -> None:
    parse(page(report_of(study)))


def test_a_campaign_without_a_trial_renders() -> None:
    index, bucket = write(Study(blocks=1))
    report = build(index.model_copy(update={"trials": ()}), bucket.__getitem__)
    found = parse(page(report))
    assert "no trial has finished" in found.all("article", "in-full")[0].text
    assert "No trial has run." in found.text
    assert "every trial succeeded" not in found.text
    (answer,) = found.all("article", "answer")
    assert answer.all("p", "so")[0].text.startswith(
        "So look at the conditions in the campaign's st"
    )


def test_a_solo_trial_that_is_excluded_has_its_block_s_name() -> None:
    fail: dict[tuple[int, int, str], tuple[Outcome, str]] = {(4, 1001, "tde"): ("Invalid", "Slow")}
    study = Study(concurrency=(4,), blocks=1, rounds=10, solo=1, fail=fail)
    shown = tables(parse(page(report_of(study))))
    ((_, _, _, block, *_),) = shown["Trials that did not succeed"]
    assert block == "solo 1"


WHY = "the log is not what was archived"


def test_a_condition_whose_trials_all_lack_a_record_does_not_seem_unmeasured() -> None:
    index, bucket = write(Study(blocks=1, concurrency=(4,)))
    (place,) = build(index, bucket.__getitem__).groups
    where = {"cell": place.cell, "workload": place.workload, "concurrency": 4, "block": 1}
    lost = [
        IndexTrial.model_validate(
            {"name": f"lost-{arm.name}", "outcome": "Failed", "message": WHY, "arm": arm.name}
            | where
        )
        for arm in place.arms
    ]
    report = build(index.model_copy(update={"trials": tuple(lost)}), bucket.__getitem__)
    (timeline,) = parse(page(report)).all("section", "timeline")
    assert "has a record in the bucket" in timeline.text
    excluded = tables(parse(page(report)))["Trials that did not succeed"]
    assert all(row[-1].endswith(f": {WHY}") for row in excluded)
    assert markdown(report).count(f"no record in the bucket: {WHY}") == len(lost)
    assert "has finished" not in timeline.text


def test_eighteen_trials_stay_far_below_their_budget() -> None:
    assert len(the_report().trials) >= 18
    assert len(the_source().encode()) < 300_000


# ------------------------------------------------------------------------------------- colours


def palettes() -> list[dict[str, str]]:
    css = (Path(page_module.__file__).parent / "templates" / "page.css").read_text()
    light, dark = (dict(re.findall(r"--([\w-]+): (#\w{6})", part)) for part in themes(css))
    return [light, light | dark]


def themes(css: str) -> tuple[str, str]:
    start = css.index("@media screen and (prefers-color-scheme: dark)")
    return css[:start], css[start : css.index("* {", start)]


def luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, contrast ratio."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def composite(ink: str, paper: str, opacity: float) -> str:
    """The colour that is seen where ink of that opacity lies on paper."""
    parts = [(int(ink[n : n + 2], 16), int(paper[n : n + 2], 16)) for n in (1, 3, 5)]
    return "#" + "".join(f"{round(opacity * a + (1 - opacity) * b):02x}" for a, b in parts)


@pytest.mark.parametrize("palette", palettes(), ids=["light", "dark"])
def test_contrast(palette: dict[str, str]) -> None:
    words = [
        *((ink, paper) for ink in ("ink", "muted") for paper in ("surface", "raised")),
        *(("accent", "surface"), ("good", "surface"), ("bad", "surface"), ("ink", "noise")),
        *(("cost", "cost-soft"), ("good", "good-soft"), ("bad", "bad-soft")),
        *(("quiet", "quiet-soft"), ("ink", "cost-soft"), ("cost", "surface")),
    ]
    for ink, paper in words:
        assert contrast(palette[ink], palette[paper]) >= 4.5, (ink, paper)
    shapes = [
        *(("muted", paper, 1.0) for paper in ("surface", "noise")),
        *((ink, "surface", SERIES) for ink in ("baseline", "control", *TREATMENTS)),
    ]
    for ink, paper, opacity in shapes:
        seen = composite(palette[ink], palette[paper], opacity)
        assert contrast(seen, palette[paper]) >= 3, (ink, paper)


def test_the_parser_finds_a_slip() -> None:
    assert isinstance(parse("<p><b>x</b></p>"), Node)
    with pytest.raises(AssertionError, match="closes"):
        parse("<p><b>x</p></b>")
