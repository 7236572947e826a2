"""Servers, clients, proxies, file systems and nodes at their limits, or far below."""

from dataclasses import replace

import pytest

from encbench.api.overheadreport import Saturation
from encbench.report.analysis.caveats import Facts, cycle, load
from encbench.report.formats.markdown import markdown
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study
from tests.support.testbeds import ENCRYPTED_CLASS
from tests.unit.report.analysis.caveats.studies import BUSY, CALM, IN_TURNS, text_of, titles


@pytest.mark.parametrize(("spare", "full"), [(0.05, True), (0.06, False), (None, False)])
def test_a_node_without_cpu_left_is_named_in_the_idle_server_s_place(
    spare: float | None, full: bool
) -> None:
    found = report_of(replace(CALM, blocks=2, concurrency=(2,), spare=spare))
    texts = {caveat.title: caveat.text for caveat in found.caveats}
    assert ("The server was never saturated" in texts) != full
    assert ("A node had no CPU left" in texts) == full
    assert {row.saturation for row in found.groups[0].rows} == {"NodeBound" if full else "Neither"}
    if full:
        assert (
            "is what the CPU of node-a lets through: at least 95 %"
            in texts["A node had no CPU left"]
        )


def test_only_full_nodes_of_the_arms_that_they_limit_are_named() -> None:
    found = report_of(replace(CALM, blocks=2, concurrency=(2,), spare=0.02))
    nodes: dict[tuple[str, int], tuple[str, float]] = {
        ("plain", 1): ("node-b", 99.0),
        ("tde", 2): ("node-c", 94.0),
    }
    trials = []
    for trial in found.trials:
        node, percent = nodes.get((trial.arm, trial.block), ("node-a", 98.0))
        figures = {"fullest_node": node, "fullest_node_percent": percent}
        trials.append(trial.model_copy(update=figures))
    bound = [
        row.model_copy(update={"saturation": "NodeBound" if row.arm == "tde" else "Neither"})
        for row in found.groups[0].rows
    ]
    groups = [found.groups[0].model_copy(update={"rows": tuple(bound)})]
    facts = Facts(found.spec, found.resolved, groups, trials, (), found.provenance, ())
    (caveat,) = load.full_node(facts)
    assert "TPS of tde, first in" in caveat.text
    assert "is what the CPU of node-a lets through" in caveat.text


def of_nodes(percent: dict[str, float], saturation: dict[str, Saturation]) -> Facts:
    """Trials whose fullest nodes, `at-<arm>`, were so full, and what limited TPS of each arm."""
    found = report_of(replace(CALM, blocks=2, concurrency=(2,), spare=0.02))
    trials = [
        trial.model_copy(
            update={
                "fullest_node": f"at-{trial.arm}",
                "fullest_node_percent": percent.get(trial.arm, 50.0),
            }
        )
        for trial in found.trials
    ]
    rows = [
        row.model_copy(update={"saturation": saturation.get(row.arm, "Neither")})
        for row in found.groups[0].rows
    ]
    groups = [found.groups[0].model_copy(update={"rows": tuple(rows)})]
    return Facts(found.spec, found.resolved, groups, trials, (), found.provenance, ())


def test_the_node_of_the_control_may_be_what_limits_the_baseline() -> None:
    """The baseline's row is of both its arms: its client has CPU left on average, A' alone not."""
    facts = of_nodes(
        {"plain": 94.6, "plain-control": 95.8},
        {"plain": "NodeBound", "plain-control": "ClientBound"},
    )
    (caveat,) = load.full_node(facts)
    assert "TPS of plain, first in" in caveat.text
    assert "is what the CPU of at-plain-control lets through" in caveat.text


def test_a_full_node_that_no_trial_names_is_a_node() -> None:
    (caveat,) = load.full_node(of_nodes({}, {"tde": "NodeBound"}))
    assert "TPS of tde, first in" in caveat.text
    assert "is what the CPU of a node lets through" in caveat.text


def test_no_node_limits_tps_where_every_arm_kept_up_with_a_rate() -> None:
    assert "A node had no CPU left" not in titles(replace(CALM, rate=50, spare=0.02))


@pytest.mark.parametrize(
    ("more", "late", "slow"),
    [
        (((0.02, 1.0),), False, False),
        (((0.06, 1.0),), True, False),
        (((0.02, 0.8),), False, True),
        (((0.02, 1.0), (0.06, 0.6), (0.0, 1.0)), True, True),
    ],
)
def test_several_clients_start_together_and_do_as_much(
    more: tuple[tuple[float, float], ...], late: bool, slow: bool
) -> None:
    found = titles(replace(CALM, more_clients=more))
    assert ("The clients did not start together" in found) is late
    assert ("One client was slower than the others" in found) is slow
    in_turns = titles(replace(IN_TURNS, more_clients=more))
    assert "The clients did not start together" not in in_turns, "each slot has its own beginning"


def test_the_slowest_client_is_named() -> None:
    several = replace(CALM, more_clients=((0.02, 1.0), (0.06, 0.6), (0.0, 1.0)))
    assert "client 2 on node node-2 was at 67 %" in text_of(
        several, "One client was slower than the others"
    )
    assert "60 ms at most" in text_of(several, "The clients did not start together")
    (first, *_) = report_of(several).trials
    assert first.slowest_client is not None
    assert (first.slowest_client.index, first.slowest_client.tps) == (2, 60.0)
    assert first.start_spread_ms == pytest.approx(60.0, abs=0.1)
    uneven = replace(several, more_clients=several.more_clients[:2])
    (first, *_) = report_of(uneven).trials
    assert first.slowest_client is None, "16 threads are not three times as many"
    (first, *_) = report_of(replace(several, rate=50)).trials
    assert first.slowest_client is None, "nor are 50 transactions a second four times as many"


def test_a_rate_that_every_arm_keeps_up_with_is_recommended() -> None:
    slowest = min(row.tps or 0 for row in report_of(BUSY).rows)
    said = text_of(BUSY, "The server was at its CPU limit")
    assert f"load.rate: {int(0.7 * slowest)} for oltp-read-write at 64 threads on small" in said


def test_with_interleaved_blocks_that_rate_is_for_another_campaign() -> None:
    asked = "in a campaign without blocks.interleave"
    assert asked not in text_of(BUSY, "The server was at its CPU limit")
    in_turns = text_of(replace(BUSY, rounds=10), "The server was at its CPU limit")
    assert f" on small, {asked}." in in_turns


def test_withheld_cpu_says_why() -> None:
    found = report_of(Study(concurrency=(16,), without_cpu=frozenset({(16, 1, "plain")})))
    text = next(c.text for c in found.caveats if c.title == "Server CPU withheld")
    assert text.startswith("In 1 of 18 counted trials there is no CPU of the server, for instance ")
    assert "because: the alignment error of 3.1 % is above 2 %" in text


def test_one_thread_on_many_cores_shows_its_servers_cpu() -> None:
    """The server's one busy core is a fifth of five, but most of the time of a transaction."""
    found = report_of(Study(concurrency=(1,)))
    changes = {"database_cpu_percent": 20.0, "database_side_cpu_ms_per_transaction": 9.0}
    changes |= {"tps": 100.0, "client_cpu_ms_per_transaction": 0.5}
    trials = [trial.model_copy(update=changes) for trial in found.trials]
    facts = Facts(found.spec, found.resolved, found.groups, trials, (), found.provenance, ())
    (caveat,) = load.idle_server(facts)
    assert "20 % of the limit. TPS then follows latency, of which the database's CPU was" in (
        caveat.text
    )
    assert "at most 90 %: no larger part of the CPU that encryption adds shows" in caveat.text
    assert not list(cycle.busy_threads(facts))


def test_a_proxy_at_its_limit_is_what_limits_tps() -> None:
    modes = {"tde": {"columns": {"method": "confidential", "ratio": 100}}}
    study = Study(concurrency=(1,), modes=modes)
    calm = replace(study, proxy={"tde": 0.01})
    idle = "The server was never saturated"
    assert idle in titles(calm)
    tps = report_of(calm).groups[0].row("tde").tps
    assert tps is not None
    busy = replace(study, proxy={"tde": 950 / tps})
    assert report_of(busy).groups[0].row("tde").saturation == "ProxyBound"
    assert "The proxy was at its CPU limit" in titles(busy)
    assert idle not in titles(busy), "TPS does not follow latency alone"


def test_at_equal_work_no_proxy_limits_tps() -> None:
    modes = {"tde": {"columns": {"method": "confidential", "ratio": 100}}}
    study = Study(concurrency=(4,), rate=50, modes=modes, proxy={"tde": 950 / 50})
    (group,) = report_of(study).groups
    assert (group.row("tde").saturation, group.equal_work) == ("ProxyBound", True)
    assert not titles(study) & {"The proxy was at its CPU limit", "The server was never saturated"}


def test_server_and_file_system_have_a_limit_each() -> None:
    idle, limited = "The server was never saturated", "The file system was at its CPU limit"
    calm = Study(concurrency=(1,), volume={"tde": 0.2})
    assert idle in titles(calm) and limited not in titles(calm)
    busy = replace(calm, volume={"tde": 0.95})
    row = report_of(busy).groups[0].row("tde")
    assert row.saturation == "VolumeBound"
    alone = report_of(calm).groups[0].row("tde").database_cpu_percent
    assert row.database_cpu_percent == pytest.approx(alone), "the server's is of its own limit"
    assert limited in titles(busy) and idle not in titles(busy)
    assert "file system CPU" in markdown(report_of(busy))


def test_cores_of_a_cipher_in_the_kernel_are_in_no_capacity() -> None:
    found = report_of(replace(BUSY, modes={"tde": ENCRYPTED_CLASS}))
    assert found.groups[0].row("tde").saturation == "DatabaseBound"
    assert found.groups[0].comparisons[0].capacity is None
    assert "cores become" not in found.headlines[0].so


@pytest.mark.parametrize("kept", [True, False])
def test_a_second_limit_is_not_hidden_by_the_server_s(kept: bool) -> None:
    """Cores of the server alone would not bring TPS back there."""
    proxied = {"tde": {"columns": {"method": "confidential", "ratio": 100}}}
    plain = replace(BUSY, modes=proxied, proxy={"tde": 0.01})
    tps = report_of(plain).groups[0].row("tde").tps
    assert tps is not None
    for title, free, busy in (
        ("The proxy was at its CPU limit", plain, replace(plain, proxy={"tde": 950 / tps})),
        (
            "The file system was at its CPU limit",
            replace(BUSY, volume={"tde": 0.2}),
            replace(BUSY, volume={"tde": 0.95}),
        ),
    ):
        report = report_of(free if kept else busy)
        assert report.groups[0].row("tde").saturation == "DatabaseBound"
        assert (report.groups[0].comparisons[0].capacity is not None) is kept
        assert ("cores become" in report.headlines[0].so) is kept
        assert (title not in {caveat.title for caveat in report.caveats}) is kept


def test_a_server_at_its_limit_over_an_idle_file_system() -> None:
    found = report_of(replace(BUSY, volume={"tde": 0.05})).groups[0].row("tde")
    assert found.saturation == "DatabaseBound"
