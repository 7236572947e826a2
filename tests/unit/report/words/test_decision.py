"""What follows from an answer, word by word."""

import pytest

from encbench.api.overheadreport import FigureKey, Interval, Verdict
from encbench.report.document.group import Capacity, Demand, Finding
from encbench.report.words import decision

CHANGE = Interval(estimate=0.07, low=0.048, high=0.09)
CORES = Capacity(cores=8, needed=8.602, low=8.403, high=8.791)


def finding(verdict: Verdict, figure: FigureKey = "tps", **more: object) -> Finding:
    found = Finding(figure=figure, blocks=1, change=CHANGE, verdict=verdict, why="")
    return found.model_copy(update=more)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (CORES, "for the same TPS 8 cores become 8.6 [8.4, 8.8]"),
        (
            Capacity(cores=0.22, needed=0.23656, low=0.2311, high=0.24176),
            "for the same TPS 0.22 cores become 0.237 [0.231, 0.242]",
        ),
        (
            Capacity(cores=1, needed=1.5, low=1.2, high=2.4),
            "for the same TPS 1 core becomes 1.5 [1.2, 2.4]",
        ),
        # The server's own four do not do in any case.
        (
            Capacity(cores=4, needed=5.3, low=4.26, high=6.4),
            "for the same TPS 4 cores become 5.3 [4.3, 6.4]",
        ),
        (
            Capacity(cores=64, needed=80, low=70, high=95),
            "for the same TPS 64 cores become 80 [70, 95]",
        ),
        (
            CORES.model_copy(update={"beside": 1.5}),
            "for the same TPS 8 cores become 8.6 [8.4, 8.8] and 1.5 beside the server",
        ),
        (
            Capacity(cores=8, needed=9, beside=1),
            "for the same TPS 8 cores become 9.0 and 1 beside the server",
        ),
    ],
)
def test_capacity(found: Capacity, words: str) -> None:
    assert decision.capacity(found) == words


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            Demand(half_width=0.01, rounds=40, seconds=366),
            "an interval of ±1 % takes about 40 more rounds, 6 minutes",
        ),
        (
            Demand(half_width=0.01, rounds=1, seconds=9.15),
            "an interval of ±1 % takes about 1 more round, 9 s",
        ),
        (
            # Of 104 a block. As many as 210 would take one block more, which may be too many.
            Demand(half_width=0.01, rounds=206, seconds=7200),
            "an interval of ±1 % takes about 206 more rounds, 2 hours",
        ),
        (
            Demand(half_width=0.01, rounds=1206, seconds=7200),
            "an interval of ±1 % takes about 1,206 more rounds, 2 hours",
        ),
        (
            Demand(half_width=0.025, blocks=1234, seconds=1234 * 60),
            "an interval of ±2.5 % takes about 1,200 more blocks, 21 hours",
        ),
        (
            Demand(half_width=0.0031, blocks=12, seconds=5 * 86400),
            "an interval of ±0.31 % takes about 12 more blocks, 5 days",
        ),
    ],
)
def test_demand(found: Demand, words: str) -> None:
    assert decision.demand(found) == words


def test_a_cost_is_told_as_cores_where_it_can_be() -> None:
    cost = finding("Overhead")
    assert decision.so(cost, CORES, 0.02) == "So for the same TPS 8 cores become 8.6 [8.4, 8.8]."
    assert decision.so(cost, None, 0.02) == (
        "So expect TPS to be 4.8 to 9.0 % lower under such a load."
    )
    assert decision.so(finding("Overhead", "latencyAverage"), CORES, 0.02) == (
        "So expect average latency to be 4.8 to 9.0 % higher under such a load."
    )


def test_only_a_cost_is_told_as_cores() -> None:
    assert decision.afterwards(finding("Overhead"), CORES) == [
        "For the same TPS 8 cores become 8.6 [8.4, 8.8]."
    ]
    for verdict in ("Equivalent", "Inconclusive"):
        assert decision.afterwards(finding(verdict), CORES) == []
    assert decision.so(finding("Equivalent"), CORES, 0.02) == (
        "So a cost below the margin of 2 % need not decide."
    )


CPU_COSTS = finding(
    "Overhead", "cpuPerTransaction", change=Interval(estimate=0.4, low=0.3, high=0.5)
)
CPU_IS_EQUAL = finding("Equivalent", "cpuPerTransaction")


def test_more_measuring_promises_no_verdict() -> None:
    found = finding("Inconclusive", demand=Demand(half_width=0.01, rounds=40, seconds=366))
    words = "n interval of ±1 % takes about 40 more rounds, 6 minutes."
    assert decision.afterwards(found, None) == [f"A{words}"]
    assert decision.so(found, None, 0.02) == f"So a{words}"


def test_what_is_open_in_tps_may_be_decided_by_cpu() -> None:
    found = finding("Inconclusive", demand=Demand(half_width=0.01, blocks=210, seconds=6120))
    assert decision.so(found, None, 0.02, CPU_COSTS) == (
        "So decide by CPU per transaction, 30.0 to 50.0 % higher, or measure on: an interval of "
        "±1 % takes about 210 more blocks, 1.7 hours."
    )
    assert decision.so(found, None, 0.02, CPU_IS_EQUAL).startswith("So an interval of ±1 %")


def test_what_tps_does_not_show_is_decided_by_cpu() -> None:
    assert decision.so(finding("Equivalent"), None, 0.05, CPU_COSTS) == (
        "So decide by CPU per transaction, 30.0 to 50.0 % higher, because TPS does not show that."
    )
    assert decision.so(finding("Equivalent"), None, 0.05, CPU_IS_EQUAL) == (
        "So a cost below the margin of 5 % need not decide."
    )


def test_equal_tps_is_no_low_cost_where_a_cipher_s_cpu_is_not_known() -> None:
    unknown = finding("Inconclusive", "cpuPerTransaction", obstacle="KernelCipher")
    assert decision.so(finding("Equivalent"), None, 0.05, unknown) == (
        "So compare the node's CPU in sequential blocks, because a cipher in its kernel, such "
        "as dm-crypt, is in no pod, and TPS need not show what that takes."
    )


def test_a_proxy_that_makes_tps_higher_is_judged_by_cpu() -> None:
    faster = finding("Inconclusive", obstacle="BetterThanBaseline")
    assert decision.so(faster, None, 0.02, CPU_COSTS, proxied=True) == (
        "So decide by CPU per transaction, 30.0 to 50.0 % higher, because a proxy's CPU limit adds "
        "to its server's and so can raise TPS."
    )
    assert decision.so(faster, None, 0.02, CPU_COSTS) == (
        "So decide by CPU per transaction, 30.0 to 50.0 % higher."
    )
    assert decision.so(faster, None, 0.02, CPU_IS_EQUAL).startswith(
        "So look for another cause first"
    )


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (finding("Inconclusive", obstacle="NoInterval"), "So measure more before you"),
        (finding("Inconclusive", obstacle="NoSpread"), "So measure longer windows, because"),
        # No spread to tell by how much more would take.
        (finding("Inconclusive", obstacle="Correction"), "So measure more before you"),
        (
            finding("Inconclusive", obstacle="Placement"),
            "So measure on testbeds that are built anew (blocks.perTestbed), because one ",
        ),
        (
            finding("Inconclusive", obstacle="CarryOver"),
            "So measure with a longer blocks.interleave.settle or in sequential blocks",
        ),
        (finding("Inconclusive", obstacle="BetterThanBaseline"), "So look for another cause first"),
        (
            finding("Inconclusive", "cpuPerTransaction", obstacle="KernelCipher"),
            "So compare the node's CPU in sequential blocks, because a cipher in its kernel, such ",
        ),
    ],
)
def test_what_to_do_about_other_obstacles(found: Finding, words: str) -> None:
    assert decision.so(found, None, 0.02).startswith(words)
    assert decision.afterwards(found, None) == []


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (finding("Overhead"), "tde costs TPS (here)."),
        (finding("Overhead", "cpuPerTransaction"), "tde raises CPU per transaction (here)."),
        (finding("Equivalent"), "tde makes no difference to TPS that matters (here)."),
        (
            finding("Inconclusive"),
            "Whether tde changes TPS by an amount that matters is open (here).",
        ),
        (
            finding("Inconclusive", change=Interval(estimate=-0.05, low=-0.06, high=-0.031)),
            "With tde, TPS is higher than the baseline's by an amount that matters (here).",
        ),
        (
            finding("Inconclusive", change=Interval(estimate=-0.05, low=-0.06, high=-0.029)),
            "Whether tde changes TPS by an amount that matters is open (here).",
        ),
    ],
)
def test_a_sentence_without_figures(found: Finding, words: str) -> None:
    assert decision.brief("tde", found, 0.03, "here") == words
