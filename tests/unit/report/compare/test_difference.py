"""Two reports side by side: intervals of differences, and everything else that differs."""

import json
import math
import random
import re
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from encbench.api.overheadreport import Interval
from encbench.core.artefact import digest_of
from encbench.core.naming import child_name, script_name
from encbench.core.records import IndexScript
from encbench.core.statistics.intervals import LEVEL, estimate, t_quantile
from encbench.report.analysis.pooled import unlike
from encbench.report.compare import gate, renderings
from encbench.report.compare.difference import T_QUANTILES, compare, difference
from encbench.report.compare.likeness import Difference, apart, configuration, facts
from encbench.report.document import Fact, FactValue, Report
from encbench.report.history.series import history
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study

A = Study(name="before", blocks=6)


@cache
def own_report() -> Report:
    return report_of(A)


def interval(estimate: float, low: float | None, high: float | None) -> Interval:
    return Interval(estimate=estimate, low=low, high=high)


def test_the_tabulated_quantiles_are_student_s() -> None:
    assert {k: t_quantile((1 + LEVEL) / 2, k) for k in (1, 2)} == pytest.approx(T_QUANTILES)


def test_the_interval_of_a_difference_of_symmetric_intervals() -> None:
    found = difference(interval(0.05, 0.02, 0.08), interval(0.15, 0.11, 0.19))
    assert found is not None and found.low is not None and found.high is not None
    assert found.estimate == pytest.approx(0.10)
    assert [found.low, found.high] == pytest.approx([0.05, 0.15])


def test_each_side_takes_the_bounds_that_face_it() -> None:
    found = difference(interval(0.0, -0.3, 0.4), interval(1.0, 0.7, 1.1))
    assert found is not None
    assert found.low == pytest.approx(1 - math.hypot(0.3, 0.4))
    assert found.high == pytest.approx(1 + math.hypot(0.1, 0.3))


def test_without_bounds_there_is_none() -> None:
    found = difference(interval(0.05, None, None), interval(0.15, 0.1, 0.2))
    assert found is not None
    assert (found.low, found.high) == (None, None)
    assert difference(None, interval(0.1, 0, 0.2)) is None


def test_the_interval_covers_the_true_difference() -> None:
    """1,000 pairs of campaigns with known losses: about 95 % of the intervals hold it."""
    drawn = random.Random(5)
    true = 0.12 - 0.04
    covered = 0
    for _ in range(1000):
        found = difference(*(_campaign(drawn, loss, n) for loss, n in ((0.04, 6), (0.12, 10))))
        assert found is not None and found.low is not None and found.high is not None
        covered += found.low <= true <= found.high
    assert 0.93 <= covered / 1000 <= 0.985


def _campaign(drawn: random.Random, loss: float, blocks: int) -> Interval:
    plain = [100 * math.exp(drawn.gauss(0, 0.02)) for _ in range(blocks)]
    treated = [(1 - loss) * x * math.exp(drawn.gauss(0, 0.03)) for x in plain]
    found = estimate(plain, treated)
    assert found is not None
    bounds = found.change_bounds("loss")
    assert bounds is not None
    return interval(found.change("loss"), bounds.low, bounds.high)


def test_a_report_against_itself_differs_in_nothing() -> None:
    found = compare(own_report(), own_report())
    assert not found.differences and not found.only_a and not found.only_b
    assert len(found.pairs) == 2
    for pair in found.pairs:
        for delta in pair.deltas:
            assert delta.difference is not None
            assert delta.difference.estimate == 0
            assert delta.says == "not shown"
    assert "Nothing that was recorded differs" in renderings.text(found)


@pytest.mark.parametrize("estimate", [0.0004, -0.0004, 0.00046])
def test_the_estimate_of_a_difference_is_inside_the_printed_interval(estimate: float) -> None:
    """Bounds near 0 have more than one decimal, and so has what stands between them."""
    found = compare(own_report(), own_report())
    near = interval(estimate, estimate - 0.0003, estimate + 0.0003)
    deltas = tuple(replace(one, difference=near) for one in found.pairs[0].deltas)
    one = replace(found, pairs=(replace(found.pairs[0], deltas=deltas),))
    row = next(line for line in renderings.markdown(one).splitlines() if "] points |" in line)
    shown, low, high = (
        float(figure.replace("−", "-"))
        for cell in row.split("|")[7:9]
        for figure in re.findall(r"[−+]?[\d.]+", cell)
    )
    assert low <= shown <= high


def test_a_larger_cost_is_shown_with_what_could_explain_it() -> None:
    other = report_of(
        replace(A, name="after", loss={"tde": 0.2}, seconds=120, flags=("aes",), colocated=True)
    )
    found = compare(own_report(), other)
    assert [pair.deltas[0].says for pair in found.pairs] == ["higher", "higher"]
    says = {(d.topic, d.name): (d.a, d.b) for d in found.differences}
    assert says["what was measured", "Workload oltp-read-write: load.duration"] == ("60s", "120s")
    assert says["what it ran on", "CPU flags for ciphers"][1] == "aes"
    assert says["how it was measured", "client and database"] == (
        *("on different nodes", "on one node"),
    )
    turned = compare(other, own_report())
    assert [pair.deltas[0].says for pair in turned.pairs] == ["lower", "lower"]


@pytest.mark.parametrize(
    ("limit", "luck", "worse", "still_open"),
    [
        (0.05, 0.04, True, False),
        (0.05, 0.06, False, True),
        (0.05, None, False, True),
        (0.13, 0.02, False, False),
        (0.13, 0.04, False, True),
    ],
    ids=["shown", "by-luck", "luck-unknown", "ruled-out", "hidden-by-luck"],
)
def test_luck_of_placement_leaves_open_whether_an_overhead_grew(
    limit: float, luck: float | None, worse: bool, still_open: bool
) -> None:
    """B − A is 10 points [8, 12], which the testbeds' luck may have made or hidden."""
    found = compare(own_report(), own_report())
    pair = found.pairs[0]
    delta = replace(pair.deltas[0], difference=interval(0.10, 0.08, 0.12), luck=luck)
    judged = gate.judge(replace(found, pairs=(replace(pair, deltas=(delta,)),)), limit)
    assert (bool(judged.worse), bool(judged.open)) == (worse, still_open)


def test_luck_is_as_large_as_it_moves_an_overhead() -> None:
    """A loss of half of TPS moves half as far as its logarithm; placement intervals know as well.

    Each is ±t(0.95; 1) = 6.3138 times the luck of one campaign.
    """
    half = report_of(replace(A, concurrency=(4,), loss={"tde": 0.5}))
    (pair,) = compare(half, half).pairs
    (comparison,) = half.groups[0].comparisons
    for delta in pair.deltas:
        finding = comparison.finding(delta.figure.key)
        assert finding is not None and finding.placement is not None
        low, high = finding.placement.low, finding.placement.high
        assert low is not None and high is not None
        one = (high - low) / 2 / 6.3138
        assert delta.luck == pytest.approx(T_QUANTILES[2] * math.sqrt(2) * one, rel=0.03)


def test_a_difference_without_bounds_has_no_dash_in_their_place() -> None:
    one = report_of(replace(A, blocks=1, concurrency=(4,)))
    said = renderings.summary(compare(one, one))
    assert "differs by 0.0 percentage points, without what it could be judged by" in said
    many = renderings.summary(compare(own_report(), own_report()))
    assert "B − A is 0.0 percentage points [" in many


def test_one_difference_differs() -> None:
    found = compare(own_report(), own_report())
    fact = Difference("server settings", "x", "1", "2")
    one, two = (replace(found, differences=(fact,) * count) for count in (1, 2))
    assert renderings.why(one).startswith("1 fact differs and could be why")
    assert "that both recorded, 1 differs. What" in renderings.why(one)
    assert renderings.why(two).startswith("2 facts differ and could be why")
    assert "that both recorded, 2 differ. What" in renderings.why(two)


def test_images_and_settings_are_compared() -> None:
    origin = own_report().provenance
    facts = tuple(
        fact.model_copy(
            update={"values": tuple(v.model_copy(update={"value": "other"}) for v in fact.values)}
        )
        if fact.name == "Image of server"
        else fact
        for fact in origin.facts
    )
    settings = {**origin.settings, "innodb_flush_log_at_trx_commit": "2", "new": "1"}
    changed = origin.model_copy(update={"facts": facts, "settings": settings})
    found = compare(own_report(), own_report().model_copy(update={"provenance": changed}))
    assert [(d.topic, d.name, d.b) for d in found.differences] == [
        ("what it was made with", "Image of server", "other"),
        ("server settings", "innodb_flush_log_at_trx_commit", "2"),
    ]
    assert found.settings_compared == len(origin.settings)


def _on(**facts: str) -> Report:
    """The report of databases' nodes with these facts, a space for each `_` of a name."""
    more = tuple(
        Fact(name=name.replace("_", " "), values=(FactValue(value=value),))
        for name, value in facts.items()
    )
    origin = own_report().provenance
    changed = origin.model_copy(update={"facts": (*origin.facts, *more)})
    campaign = own_report().campaign.model_copy(update={"uid": str(facts)})
    return own_report().model_copy(update={"provenance": changed, "campaign": campaign})


def test_another_container_runtime_makes_reports_unlike_and_another_kubelet_does_not() -> None:
    old, new = (
        _on(Container_runtime="containerd://v1", Kubelet="v1.32.0", Operating_system="Some OS"),
        _on(Container_runtime="containerd://v2", Kubelet="v1.33.0", Operating_system="Another"),
    )
    found = compare(old, new)
    assert [(it.topic, it.name) for it in found.differences] == [
        ("what it ran on", "Container runtime"),
        ("what it was made with", "Kubelet"),
        ("what it was made with", "Operating system"),
    ]
    assert gate.unlike(found) == ["Container runtime: containerd://v1 and containerd://v2"]
    assert not gate.unlike(compare(own_report(), new)), "an earlier release did not record it"
    first, *_, last = history([old, new]).series
    assert not first.differs and [it.name for it in last.differs] == ["Container runtime"]


def _respecified(workload: dict[str, Any], instance: dict[str, Any], **scripts: str) -> Report:
    """The report with these fields of its frozen specs."""
    body = own_report().to_dict()
    resolved = body["resolved"]
    resolved["workloads"]["oltp-read-write"]["client"] |= workload
    resolved["instances"]["small"] |= instance
    resolved["scripts"] = {name.replace("_", "-"): copy for name, copy in scripts.items()}
    return Report.model_validate(body)


def test_images_and_settings_of_specs_are_shown_and_make_nothing_unlike() -> None:
    instance = {"image": "other", "version": "11.4", "settings": {"sync_binlog": "1"}}
    other = _respecified({"image": "new", "imagePullPolicy": "Always"}, instance)
    found = compare(own_report(), other)
    assert {it.topic for it in found.differences} == {"what it was made with"}
    names = {it.name for it in found.differences}
    assert names >= {
        *(
            "Instance small: image",
            "Instance small: version",
            "Workload oltp-read-write: client.image",
        ),
        *(
            "Instance small: settings.sync_binlog",
            "Workload oltp-read-write: client.imagePullPolicy",
        ),
    }
    assert not gate.unlike(found)
    (key, *_) = (pair.condition for pair in found.pairs)
    assert configuration(own_report(), key) == configuration(other, key)


def test_the_content_of_a_script_is_compared() -> None:
    one, other = (
        _respecified({}, {}, oltp_read_write=child_name("before", "script", digest))
        for digest in ("0123abcd", "4567cdef")
    )
    found = compare(one, other)
    assert [(it.name, it.a, it.b) for it in found.differences] == [
        ("Workload oltp-read-write: content of the script", "0123abcd", "4567cdef")
    ]
    assert gate.unlike(found)


LONG = "nightly-oltp-mysql-tde-of-frankfurt-1"


def _named(name: str, copy: str, text: bytes | None = None) -> Report:
    """The report of a campaign of that name with that copy of its script; its text if recorded."""
    report = _respecified({}, {}, oltp_read_write=copy)
    campaign = report.campaign.model_copy(update={"name": name})
    found = report.model_copy(update={"campaign": campaign})
    if text is None:
        return found
    script = IndexScript(workload="oltp-read-write", digest=digest_of(text))
    return found.model_copy(update={"scripts": (script,)})


def test_scripts_whose_digest_an_earlier_release_cut_off_are_not_taken_for_alike() -> None:
    one, other = (
        _named(LONG, child_name(LONG, "script", mark)) for mark in ("0123abcd", "45678def")
    )
    assert len(gate.unlike(compare(one, other))) == 1
    assert "not known" in gate.unlike(compare(one, other))[0]
    assert not gate.unlike(compare(one, one))


def test_a_long_name_keeps_the_digest_of_a_script() -> None:
    one, again, other = (
        _named(name, script_name(name, mark))
        for name, mark in ((LONG, "0123abcd"), (f"{LONG}-2", "0123abcd"), (LONG, "45678def"))
    )
    assert not gate.unlike(compare(one, again))
    assert len(gate.unlike(compare(one, other))) == 1


def test_digests_of_scripts_are_compared_where_both_reports_have_them() -> None:
    earlier, one, other = (
        _named("study", script_name("study", "0123abcd"), text) for text in (None, b"A", b"B")
    )
    assert gate.unlike(compare(one, other)) == [
        f"Workload oltp-read-write: SHA-256 of the script: {digest_of(b'A')} and {digest_of(b'B')}"
    ]
    assert not gate.unlike(compare(earlier, one))


def test_a_further_concurrency_leaves_the_others_as_they_were() -> None:
    found = compare(own_report(), report_of(replace(A, concurrency=(4, 16, 64))))
    assert len(found.pairs) == 2 and not gate.unlike(found)


def test_a_machine_of_another_arm_leaves_the_others_as_they_were() -> None:
    wider = report_of(replace(A, loss={"tde": 0.1, "x": 0.1}))
    origin = wider.provenance

    def with_cpu(**values: tuple[str, ...]) -> Report:
        cpu = Fact(name="CPU", values=tuple(FactValue(value=k, where=v) for k, v in values.items()))
        rest = tuple(it for it in origin.facts if it.name != "CPU")
        return wider.model_copy(
            update={"provenance": origin.model_copy(update={"facts": (*rest, cpu)})}
        )

    whole = with_cpu(old=("small/plain", "small/tde", "small/x"))
    other = with_cpu(old=("small/plain", "small/tde"), new=("small/x",))
    differs = {
        pair.condition.arm: any(
            apart(configuration(whole, pair.condition), configuration(other, pair.condition))
        )
        for pair in compare(whole, other).pairs
    }
    assert differs == {"tde": False, "x": True}
    alone = with_cpu(old=("small/tde",), new=("small/plain",))
    (key, *_) = (pair.condition for pair in compare(own_report(), alone).pairs)
    assert dict(facts(alone, [key])[0])["CPU"] == "new, old", "the baseline's counts too"


@pytest.mark.parametrize(
    ("name", "one", "other", "like"),
    [
        ("Database node", "node-1", "node-2", True),
        ("Zone", "eu-1a", "eu-1b", True),
        ("Allocatable memory", "15.4 GiB", "15.5 GiB", True),
        ("Allocatable memory", "15.4 GiB", "15.4 GiB, 15.5 GiB", True),
        ("Allocatable memory", "15.4 GiB", "31.0 GiB", False),
        ("Allocatable memory", "15.4 GiB", "15.4 GiB, 31.0 GiB", False),
        ("Allocatable memory", "15.4 GiB", "plenty", False),
        ("Instance type", "m5.large", "m6i.large", False),
    ],
)
def test_another_node_of_the_same_kind_is_welcome(
    name: str, one: str, other: str, like: bool
) -> None:
    """To a follow-up as to a comparison of reports."""

    def with_fact(value: str) -> Report:
        fact = Fact(name=name, values=tuple(FactValue(value=it) for it in value.split(", ")))
        origin = own_report().provenance
        rest = tuple(it for it in origin.facts if it.name != name)
        facts = origin.model_copy(update={"facts": (*rest, fact)})
        return own_report().model_copy(update={"provenance": facts})

    a, b = with_fact(one), with_fact(other)
    found = compare(a, b)
    assert [it.topic for it in found.differences] == ["what it ran on"], "shown in any case"
    assert bool(gate.unlike(found)) is not like
    assert bool([*unlike(a.provenance, b.provenance)]) is not like


@pytest.mark.parametrize("name", ["Kernel", "Image of server"])
def test_a_fact_that_one_side_alone_recorded_is_shown_and_makes_nothing_unlike(name: str) -> None:
    origin = own_report().provenance
    facts = tuple(fact for fact in origin.facts if fact.name != name)
    older = own_report().model_copy(
        update={"provenance": origin.model_copy(update={"facts": facts})}
    )
    found = compare(older, own_report())
    assert [(it.name, it.a) for it in found.differences] == [(name, "(not recorded)")]
    assert not gate.unlike(found)
    (key, *_) = (pair.condition for pair in found.pairs)
    assert not [*apart(configuration(older, key), configuration(own_report(), key))], (
        "nor in history"
    )
    assert not [*unlike(older.provenance, origin)], "nor to a follow-up"


def test_cpu_per_transaction_without_the_proxy_s_is_another_figure() -> None:
    old = {"proxy_cpu_ms_per_transaction": 1.0, "database_side_cpu_ms_per_transaction": None}
    groups = tuple(
        one.model_copy(
            update={
                "rows": tuple(
                    row.model_copy(update=old) if row.arm == "tde" else row for row in one.rows
                )
            }
        )
        for one in own_report().groups
    )
    older = own_report().model_copy(update={"groups": groups})
    for pair in compare(older, own_report()).pairs:
        assert {it.figure.key for it in pair.deltas if it.a is None} == {"cpuPerTransaction"}
        assert all(it.b is not None for it in pair.deltas)
    assert history([older], "cpuPerTransaction").series == ()
    assert history([own_report()], "cpuPerTransaction").series


def test_conditions_of_one_report_alone_are_named() -> None:
    found = compare(
        own_report(), report_of(replace(A, concurrency=(16, 64), loss={"tde": 0.1, "x": 0.1}))
    )
    assert [pair.condition.concurrency for pair in found.pairs] == [16]
    assert {(c.concurrency, c.arm) for c in found.only_a} == {(4, "tde")}
    assert {(c.concurrency, c.arm) for c in found.only_b} == {(64, "tde"), (16, "x"), (64, "x")}
    assert "Only in A: tde, oltp-read-write at 4 threads on small." in renderings.text(found)


def test_every_rendering_has_the_same_figures() -> None:
    found = compare(own_report(), report_of(replace(A, loss={"tde": 0.2}, seed=8)))
    document = json.loads(renderings.json_document(found))
    shown = document["conditions"][0]["overheads"][0]
    assert (shown["figure"], shown["sense"]) == ("tps", "loss")
    points = f"{100 * shown['difference']['estimate']:+.1f}"
    for said in (renderings.text(found), renderings.markdown(found)):
        assert points in said
    assert [d["name"] for d in document["differences"]] == [d.name for d in found.differences]
    tables = [block for block in renderings.markdown(found).split("\n\n") if block[0] == "|"]
    assert len(tables) == 7
    for table in tables:
        assert len({line.count("|") for line in table.splitlines()}) == 1
