"""The sentences: what a person reads first, and must not misread."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import External
from encbench.api.overheadreport import Interval, Verdict
from encbench.api.tpcc import BenchmarkSql
from encbench.api.trial import Outcome
from encbench.core.artefact import decode, digest_of, encode
from encbench.core.records import CampaignEnd, TrialRecord
from encbench.report.analysis.build import build, to_status
from encbench.report.document.group import Finding, PairedComparison
from encbench.report.formats.cards import card
from encbench.report.words.headline import cpu_clause, headlines, proof_clause
from encbench.report.words.text import between
from tests.data.report.golden import HOP, report_of
from tests.data.report.synthetic import Study, write
from tests.support.testbeds import ENCRYPTED_CLASS, GOCRYPTFS, PASS_THROUGH, TDE, TLS

PROXY = {"columns": {**HOP, "ratio": 0}}


def tde_of(*parts: str) -> dict[str, Any]:
    return {"atRest": {"method": "engine", "scope": list(parts)}}


def sentences(study: Study) -> list[str]:
    return [headline.text for headline in report_of(study).headlines]


def test_overhead() -> None:
    (text,) = sentences(Study(concurrency=(4,), blocks=6))
    assert text == (
        "tde costs 8.1 % [7.3, 8.9] % of TPS and 11.6 % [10.6, 12.7] % more CPU per transaction, "
        "oltp-read-write at 4 threads on small; 6 blocks, paired 95 % intervals, noise floor "
        "±1.5 %, encryption proven on disk."
    )


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ({}, "mode proven"),
        (TDE, "encryption proven on disk"),
        (tde_of("tables"), "encryption proven on disk (tables only)"),
        (
            {**tde_of("redo", "tables"), **TLS},
            "encryption proven on disk (tables and redo log only) and in transit",
        ),
        (tde_of("system", "tables", "redo", "undo", "binlog"), "encryption proven on disk"),
        (TLS, "encryption proven in transit"),
        ({**TDE, **TLS}, "encryption proven on disk and in transit"),
        (GOCRYPTFS, "encryption proven on disk"),
        (PASS_THROUGH, "mode proven"),
        (ENCRYPTED_CLASS, "encryption proven on disk"),
    ],
)
def test_where_encryption_was_proven(mode: dict[str, Any], words: str) -> None:
    spec = EncryptionModeSpec.model_validate(mode)
    found = PairedComparison(arm="a", blocks=2, verdict="Inconclusive", why="", proven=True)
    assert proof_clause(spec, found) == words
    unproven = found.model_copy(update={"proven": False})
    assert proof_clause(spec, unproven) == "encryption not proven for every trial"


@pytest.mark.parametrize("lacks", ["before", "after"])
def test_a_trial_without_one_of_its_proofs_is_not_proven(lacks: str) -> None:
    index, bucket = write(Study(concurrency=(4,), blocks=2))
    entries = list(index.trials)
    at, entry = next((n, one) for n, one in enumerate(entries) if "-tde-" in one.name)
    assert entry.key is not None
    record = decode(TrialRecord, bucket[entry.key], entry.key)
    proofs = record.proofs.model_copy(update={lacks: None})
    content = bucket[entry.key] = encode(record.model_copy(update={"proofs": proofs}))
    entries[at] = entry.model_copy(update={"digest": digest_of(content)})
    found = build(index.model_copy(update={"trials": tuple(entries)}), bucket.__getitem__)
    assert "encryption not proven for every trial" in found.headlines[0].text


def test_what_was_declared_is_not_called_proven() -> None:
    trusted = PairedComparison(
        arm="a", blocks=2, verdict="Inconclusive", why="", proven=True, on_trust=True
    )
    word = "encryption on disk declared, not seen"
    alone = EncryptionModeSpec.model_validate(ENCRYPTED_CLASS)
    assert proof_clause(alone, trusted) == word
    both = EncryptionModeSpec.model_validate({**ENCRYPTED_CLASS, **TLS})
    assert proof_clause(both, trusted) == f"encryption proven in transit; {word}"


EQUAL = Study(concurrency=(4,), loss={"luks": 0.0}, blocks=12, noise=0.004, per_testbed=1)
"""A study whose mode takes no more of what is measured."""


def test_a_cipher_outside_the_pods_is_not_said_to_make_no_difference() -> None:
    """At an offered rate the subject is CPU per transaction, which dm-crypt's threads escape."""
    seen = report_of(replace(EQUAL, rate=50, modes={"luks": GOCRYPTFS}))
    assert seen.headlines[0].verdict == "Equivalent"
    report = report_of(replace(EQUAL, rate=50, modes={"luks": ENCRYPTED_CLASS}))
    (headline,) = report.headlines
    assert (headline.figure, headline.verdict) == ("cpuPerTransaction", "Inconclusive")
    assert headline.text.startswith(
        "Cannot tell whether luks costs more than the margin of 3 %: CPU per transaction leaves "
        "out any cipher in the node's kernel, such as dm-crypt, so that it can show a cost but "
        "not that there is none; CPU per transaction at equal work (50 TPS offered) changes by "
    )
    assert headline.brief.startswith("Whether luks changes CPU per transaction by an amount ")
    assert headline.so.startswith(
        "So compare the node's CPU in sequential blocks, because a cipher in its"
    )
    assert card(report, headline).figure == "Cannot tell"


def test_equal_tps_leaves_the_cpu_of_a_cipher_outside_the_pods_open() -> None:
    (headline,) = report_of(replace(EQUAL, modes={"luks": ENCRYPTED_CLASS})).headlines
    assert (headline.figure, headline.verdict) == ("tps", "Equivalent")
    assert "; whether CPU per transaction changes by more than the margin is open" in headline.text
    assert headline.so.startswith(
        "So compare the node's CPU in sequential blocks, because a cipher in its"
    )


@pytest.mark.parametrize("loss", [0.0, -0.1])
def test_luck_takes_no_claim_from_dm_crypt_that_it_may_not_make(loss: float) -> None:
    """On one testbed each: advice on testbeds could only end in what the kernel's threads hide."""
    modes = {"luks": ENCRYPTED_CLASS}
    luck = {"plain": 0.02, "plain-control": -0.02}
    study = replace(EQUAL, rate=50, per_testbed=0, loss={"luks": loss}, modes=modes, placement=luck)
    report = report_of(study)
    (comparison,) = report.groups[0].comparisons
    (cpu,) = [f for f in comparison.findings if f.figure == "cpuPerTransaction"]
    assert cpu.obstacle == "KernelCipher"
    (headline,) = report.headlines
    assert "compare the node's CPU" in headline.so


def test_a_cost_shows_without_the_cipher_s_own() -> None:
    mode = {"luks": ENCRYPTED_CLASS}
    study = replace(EQUAL, rate=50, loss={"luks": 0.2}, modes=mode)
    assert report_of(study).headlines[0].verdict == "Overhead"
    lower = report_of(replace(study, loss={"luks": -0.2})).headlines[0]
    assert lower.verdict == "Inconclusive"
    assert "does not cost" not in lower.text
    assert lower.text.startswith("Cannot tell whether luks costs ")


@pytest.mark.parametrize(
    ("mode", "baseline", "said"), [(TDE, {}, False), (PROXY, {}, True), (TDE, PROXY, True)]
)
def test_higher_tps_is_put_down_to_a_proxy_only_where_there_is_one(
    mode: dict[str, Any], baseline: dict[str, Any], said: bool
) -> None:
    report = report_of(Study(concurrency=(4,), loss={"tde": -0.1}))
    (group,) = report.groups
    (comparison,) = group.comparisons
    findings = tuple(
        one.model_copy(update={"verdict": "Overhead"}) if one.figure == "cpuPerTransaction" else one
        for one in comparison.findings
    )
    group = group.model_copy(
        update={"comparisons": (comparison.model_copy(update={"findings": findings}),)}
    )
    modes = {
        name: EncryptionModeSpec.model_validate(spec)
        for name, spec in (("plain", baseline), ("tde", mode))
    }
    resolved = report.resolved.model_copy(update={"modes": modes})
    (headline,) = headlines(report.model_copy(update={"groups": (group,), "resolved": resolved}))
    assert headline.so.startswith("So decide by CPU per transaction, ")
    assert ("because a proxy's CPU limit" in headline.so) is said


DRIVER: dict[str, Any] = {"driver": {"encrypting": {}}}
EXTERNAL = External.model_validate(
    {"host": "db.example.com", "database": "tpcc", "credentialsSecretRef": {"name": "db"}}
)
NOT_SEEN = "what the database encrypts was not seen"
NOT_PROVEN = "plaintext in transit not proven"


@pytest.mark.parametrize(
    ("mode", "silent", "words"),
    [
        (DRIVER, False, NOT_SEEN),
        (DRIVER, True, f"{NOT_PROVEN}; {NOT_SEEN}"),
        ({}, True, NOT_PROVEN),
        ({}, False, "mode proven"),
        ({**DRIVER, **TLS}, False, f"encryption proven in transit; {NOT_SEEN}"),
    ],
)
def test_what_of_an_external_database_was_not_seen_is_said(
    mode: dict[str, Any], silent: bool, words: str
) -> None:
    report = report_of(Study(concurrency=(4,), blocks=2, tpcc=True))
    resolved = report.resolved
    tpcc = resolved.workloads["oltp-read-write"].tpcc
    assert tpcc is not None
    tpcc = tpcc.model_copy(update={"benchmarksql": BenchmarkSql()} if silent else {})
    for kind, name, update in (
        ("instances", "small", {"external": EXTERNAL}),
        ("workloads", "oltp-read-write", {"tpcc": tpcc}),
    ):
        known = getattr(resolved, kind)
        changed = known | {name: known[name].model_copy(update=update)}
        resolved = resolved.model_copy(update={kind: changed})
    modes = resolved.modes | {"tde": EncryptionModeSpec.model_validate(mode)}
    resolved = resolved.model_copy(update={"modes": modes})
    (headline,) = headlines(report.model_copy(update={"resolved": resolved}))
    assert f", noise floor ±{report.noise_floor:.1%}, {words}.".replace("%", " %") in headline.text


JAR = {"class": "x.D", "urlTemplate": "jdbc:x://{host}", "claimName": "jars", "path": "d.jar"}
WORD = "encryption proven in transit; the server alone says so, and a proxy before it was not seen"


@pytest.mark.parametrize(
    ("engine", "tpcc", "mode", "said"),
    [
        ("mysql", False, TLS, True),
        ("mariadb", False, TLS, True),
        ("postgresql", False, TLS, False),
        ("mysql", False, {}, False),
        ("mysql", True, TLS, False),
        ("mysql", True, {**TLS, "driver": {"jar": JAR}}, True),
    ],
)
def test_tls_that_a_client_does_not_insist_on_is_the_server_s_word(
    engine: str, tpcc: bool, mode: dict[str, Any], said: bool
) -> None:
    report = report_of(Study(concurrency=(4,), blocks=2, tpcc=tpcc))
    modes = report.resolved.modes | {"tde": EncryptionModeSpec.model_validate(mode)}
    small = report.resolved.instances["small"]
    for external, words in ((EXTERNAL, said), (None, False)):
        instance = small.model_copy(update={"engine": engine, "external": external})
        changed = {"instances": {"small": instance}, "modes": modes}
        resolved = report.resolved.model_copy(update=changed)
        (headline,) = headlines(report.model_copy(update={"resolved": resolved}))
        assert (WORD in headline.text) is words


def test_equivalent() -> None:
    (text,) = sentences(Study(concurrency=(4,), loss={"tde": 0.003}))
    assert text.startswith("tde makes no difference beyond the margin of ±3 %: it costs ")


def test_cannot_tell_for_noise() -> None:
    (text,) = sentences(Study(concurrency=(16,), noise=0.04, blocks=3, seed=2))
    assert text.startswith("Cannot tell whether tde costs more than the margin of 3 %: the paired ")
    assert "paired 95 % interval [" in text
    assert "% lies neither above the margin of 3 % nor inside ±3 %; the measured loss is " in text
    assert text.count("noise floor") == 1


def test_cannot_tell_from_one_block() -> None:
    (text,) = sentences(Study(concurrency=(4,), blocks=1))
    assert text.startswith("Cannot tell whether tde costs more than the margin of 3 %: one block ")
    assert "gives no interval; " in text
    assert "1 block, encryption proven" in text


def test_what_is_better_than_the_baseline_is_told_plainly() -> None:
    report = report_of(Study(concurrency=(4,), loss={"tde": -0.1}))
    (headline,) = report.headlines
    assert headline.verdict == "Inconclusive"
    assert headline.text.startswith(
        "By its interval, tde does not cost more than the margin of 3 %, because TPS is higher "
        "than the baseline's by more than the margin of 3 %: neither an overhead nor an "
        "equivalence; the measured loss is −"
    )
    assert headline.brief.startswith("With tde, TPS is higher than the baseline's by an amount")
    assert card(report, headline).figure == "Better than the baseline"


def test_a_cost_that_luck_could_hide_is_not_ruled_out() -> None:
    """It costs 4 % on a testbed that is 10 % faster; those of the baseline differ by 6 %."""
    luck = {"plain": 0.03, "plain-control": -0.03, "tde": -0.10}
    study = Study(concurrency=(4,), blocks=8, loss={"tde": 0.04}, placement=luck)
    (text,) = sentences(study)
    assert text.startswith(
        "Cannot tell whether tde costs more than the margin of 3 %: its interval alone would say "
        "that it costs no more than the margin, but the luck of one testbed each could explain "
    )


HOP_GAINS = Study(
    concurrency=(4,),
    blocks=6,
    per_testbed=1,
    baseline=PROXY,
    loss={"direct": 0.1},
    modes={"direct": {}},
    proxy={"plain": 4.0, "plain-control": 4.0},
)
"""The proxied baseline has more TPS than the direct arm, and needs more CPU for each."""


def test_a_hop_that_makes_tps_higher_is_compared_with_the_direct_arm() -> None:
    report = report_of(HOP_GAINS)
    (headline,), (group,) = report.headlines, report.groups
    (step,) = group.steps
    assert step.cpu is not None and step.cpu.verdict == "Overhead"
    assert step.cpu.change == step.database_side_cpu
    assert (headline.verdict, headline.arm) == ("Inconclusive", "direct")
    assert "because TPS is higher than direct's by more than the margin of 3 %" in headline.text
    assert headline.brief == (
        "With the hop through the proxy, TPS is higher than direct's by an amount that matters "
        "(oltp-read-write at 4 threads on small)."
    )
    assert headline.so == (
        f"So decide by CPU per transaction, {between(step.cpu.change, 0.03)} higher, because a "
        "proxy's CPU limit adds to its server's and so can raise TPS."
    )
    assert card(report, headline).figure == "Better than direct"
    without = step.model_copy(update={"cpu": None})
    group = group.model_copy(update={"steps": (without,)})
    (headline,) = headlines(report.model_copy(update={"groups": (group,)}))
    assert headline.so == (
        "So look for another cause first, because a further layer makes nothing faster."
    )


def test_a_small_gain_is_no_cost_though_its_size_is_open() -> None:
    report = report_of(Study(concurrency=(4,), loss={"tde": -0.03}, per_testbed=1))
    (headline,) = report.headlines
    assert headline.text.startswith(
        "By its interval, tde does not cost more than the margin of 3 %, because TPS was higher "
        "than the baseline's, possibly by more than the margin of 3 %: "
    )
    assert headline.brief.endswith(" is open (oltp-read-write at 4 threads on small).")
    assert card(report, headline).figure == "Cannot tell"


def test_no_data_says_why() -> None:
    (text,) = sentences(Study(always={"tde": ("Invalid", "ProofFailed")}))
    assert text.startswith(
        "no data for tde: every trial was Invalid (ProofFailed 6); the proof of "
    )
    assert text.endswith("failed: the marker was found in ib_logfile0.")


def test_no_data_where_another_arm_failed() -> None:
    study = Study(concurrency=(4,), always={"plain-control": ("Failed", "StartDeadline")})
    (text,) = sentences(study)
    assert text.startswith("no data for tde: no block is complete: 3 of ")
    assert "(StartDeadline 3)" in text


def test_where_nothing_went_wrong_nothing_is_looked_at() -> None:
    """TPS is as offered, and no other figure is known of every arm."""
    report = report_of(Study(concurrency=(4,), rate=50, blocks=2))
    (group,) = report.groups
    (comparison,) = group.comparisons
    without = comparison.model_copy(update={"loss": None, "findings": ()})
    group = group.model_copy(update={"comparisons": (without,)})
    (headline,) = headlines(report.model_copy(update={"groups": (group,)}))
    assert headline.text.endswith("no other figure is known of every arm.")
    assert (headline.verdict, headline.so) == ("NoData", "")


def test_where_an_arm_completed_no_transaction_its_blocks_are_looked_at() -> None:
    index, bucket = write(Study(concurrency=(4,), blocks=2))
    report = build(index, bucket.__getitem__)
    (group,) = report.groups
    (comparison,) = group.comparisons
    idle = "tde completed no transaction"
    blocks = tuple(one.model_copy(update={"counted": False, "why": idle}) for one in group.blocks)
    without = comparison.model_copy(update={"loss": None, "findings": ()})
    group = group.model_copy(update={"comparisons": (without,), "blocks": blocks})
    (headline,) = headlines(report.model_copy(update={"groups": (group,)}))
    assert headline.so == "So look at the blocks that do not count first."


STATUS_FIRST = (
    "So look at the conditions in the campaign's status first (kubectl describe campaign)."
)


@pytest.mark.parametrize(
    ("key", "said"), [("proofs/tde.json", "So look at the proofs first."), (None, STATUS_FIRST)]
)
def test_without_a_trial_its_proof_or_the_conditions_say_why(key: str | None, said: str) -> None:
    """A testbed failed its proof, or the load before it."""
    index, bucket = write(Study(blocks=1))
    report = build(index.model_copy(update={"trials": ()}), bucket.__getitem__)
    proofs = tuple(one.model_copy(update={"ok": False, "key": key}) for one in report.proofs)
    assert headlines(report.model_copy(update={"proofs": proofs}))[0].so == said


def test_without_a_trial_the_end_of_the_campaign_says_why() -> None:
    index, bucket = write(Study(blocks=1))
    end = CampaignEnd(reason="TestbedFailed", message="testbed tde: LoadFailed: no room")
    report = build(index.model_copy(update={"trials": (), "end": end}), bucket.__getitem__)
    assert headlines(report)[0].so.startswith("So look first at why the campaign ended")
    assert any(end.message in caveat.text for caveat in report.caveats)


def test_a_proof_that_failed_elsewhere_is_not_looked_at() -> None:
    index, bucket = write(Study(blocks=1))
    report = build(index.model_copy(update={"trials": ()}), bucket.__getitem__)
    elsewhere = {"ok": False, "key": "proofs/tde.json", "instance": "another"}
    proofs = tuple(one.model_copy(update=elsewhere) for one in report.proofs)
    (headline,) = headlines(report.model_copy(update={"proofs": proofs}))
    assert headline.so == STATUS_FIRST
    assert "the proof of" not in headline.text


def test_a_condition_without_data_is_in_no_range() -> None:
    bad: tuple[Outcome, str] = ("Invalid", "Slow")
    fail = {(16, block, "tde"): bad for block in range(1, 7)}
    (one,) = sentences(Study(fail=fail))
    assert "range" not in one
    assert "oltp-read-write at 4 threads on small" in one, "the next one that has some"
    assert one.endswith("Without data: 1 of 2 conditions.")
    (several,) = sentences(Study(concurrency=(1, 4, 16), fail=fail))
    assert "Over 2 conditions the point estimates of the loss range from " in several
    assert several.endswith("(2 Overhead). Without data: 1 of 3 conditions.")


def test_one_sentence_per_treatment_and_the_range_over_conditions() -> None:
    first, second = sentences(
        Study(loss={"ctr": 0.08, "cbc": 0.15}, concurrency=(1, 4, 16), blocks=6)
    )
    assert first.startswith("ctr costs ")
    assert second.startswith("cbc costs ")
    assert "oltp-read-write at 16 threads on small" in first
    assert "Over all 3 conditions the point estimates of the loss range from " in first
    assert first.endswith("(3 Overhead).")


def test_the_condition_is_chosen_by_the_plan_even_when_another_is_worse() -> None:
    study = Study(instances=("small", "large"), concurrency=(4, 16), blocks=3)
    for one in (study, replace(study, concurrency=(16, 4))):
        headline = report_of(one).headlines[0]
        assert (headline.instance, headline.concurrency) == ("small", 16)


AT_EQUAL_WORK = Study(concurrency=(4,), rate=100)


def test_at_equal_work_cpu_is_told() -> None:
    found = report_of(AT_EQUAL_WORK)
    (headline,) = found.headlines
    assert (headline.figure, headline.verdict) == ("cpuPerTransaction", "Overhead")
    assert headline.text.startswith("tde costs 11.6 % [")
    assert (
        "] % more CPU per transaction at equal work (100 TPS offered), oltp-read" in headline.text
    )
    assert headline.loss == found.groups[0].row("tde").cpu_per_transaction_overhead
    assert to_status(found).overhead.endswith("] % CPU")
    row, (comparison,) = found.groups[0].row("tde"), found.groups[0].comparisons
    assert (row.verdict, row.figure) == ("Overhead", "cpuPerTransaction")
    assert (row.overhead, comparison.finding("tps")) == (None, None), "TPS is as offered"
    assert found.noise_floor == found.groups[0].noise_floors["cpuPerTransaction"]


def test_at_equal_work_without_a_difference() -> None:
    (text,) = sentences(replace(AT_EQUAL_WORK, loss={"tde": 0.001}, per_testbed=1))
    assert text.startswith("tde makes no difference beyond the margin of ±3 %: CPU per transaction")
    assert "at equal work (100 TPS offered) changes by +0.2 % [" in text


def test_at_equal_work_that_cannot_be_told() -> None:
    (text,) = sentences(replace(AT_EQUAL_WORK, noise=0.04))
    assert text.startswith("Cannot tell whether tde costs more than the margin of 3 %: ")
    assert "; CPU per transaction at equal work (100 TPS offered) changes by +" in text


def test_an_arm_that_fell_behind_is_told_by_its_tps() -> None:
    found = report_of(Study(concurrency=(4,), rate=206))
    assert found.groups[0].equal_work is False
    assert found.headlines[0].figure == "tps"


def test_conditions_of_another_figure_are_left_out_of_the_range() -> None:
    found = report_of(Study(concurrency=(1, 4, 16), rate=150))
    assert [group.primary for group in found.groups] == ["tps", *["cpuPerTransaction"] * 2]
    assert "Over 2 conditions the point estimates of the increase of CPU" in found.headlines[0].text


def test_a_small_margin_has_a_noise_floor_with_enough_decimals() -> None:
    report = report_of(Study(loss={}, concurrency=(4,), margin=0.002))
    (group,) = report.groups
    groups = (group.model_copy(update={"noise_floor": 0.00204}),)
    (headline,) = headlines(report.model_copy(update={"groups": groups}))
    assert headline.text.endswith("up to ±0.204 %, not below the margin of 0.2 %.")
    groups = (group.model_copy(update={"noise_floor": 0.00187}),)
    (headline,) = headlines(report.model_copy(update={"groups": groups}))
    assert headline.text.endswith("up to ±0.19 %, below the margin of 0.2 %.")


def test_a_campaign_of_the_baseline_alone() -> None:
    (text,) = sentences(Study(loss={}))
    assert text.startswith("no mode to compare: plain against itself shows a noise floor of up to ")


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        ("Overhead", " and 11.3 % [10.0, 12.0] % more CPU per transaction"),
        (
            "Equivalent",
            ", CPU per transaction without a change beyond ±3 % (+11.3 % [10.0, 12.0] %)",
        ),
        (
            "Inconclusive",
            "; whether CPU per transaction changes by more than the margin is open "
            "(+11.3 % [10.0, 12.0] %)",
        ),
    ],
)
def test_cpu_is_told_by_its_own_verdict(verdict: Verdict, expected: str) -> None:
    change = Interval(estimate=0.113, low=0.1, high=0.12)
    found = Finding(figure="cpuPerTransaction", blocks=6, change=change, verdict=verdict, why="")
    assert cpu_clause(found, 0.03) == expected


def test_cpu_that_is_lower_by_more_than_the_margin_is_not_open() -> None:
    change = Interval(estimate=-0.1, low=-0.12, high=-0.08)
    found = Finding(
        figure="cpuPerTransaction", blocks=6, change=change, verdict="Inconclusive", why=""
    )
    assert cpu_clause(found, 0.03) == (
        ", and CPU per transaction that is lower by more than the margin (−10.0 % [−12.0, −8.0] %)"
    )
    assert cpu_clause(found, 0.09).startswith("; whether CPU per transaction changes by more than ")


def test_cpu_without_an_interval_is_told_without_a_dash() -> None:
    change = Interval(estimate=0.119)
    found = Finding(
        figure="cpuPerTransaction", blocks=1, change=change, verdict="Inconclusive", why=""
    )
    assert cpu_clause(found, 0.03).endswith("is open (+11.9 %)")


def test_cpu_that_was_not_measured_is_not_told() -> None:
    none = Finding(figure="cpuPerTransaction", blocks=0, verdict="NoData", why="")
    assert cpu_clause(none, 0.03) == cpu_clause(None, 0.03) == ""
