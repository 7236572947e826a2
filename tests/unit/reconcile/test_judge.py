"""Whether a trial counts: each rule by itself, at its bound, and blind to TPS."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.lifecycle import TRIAL_LIFE
from encbench.api.trial import TrialSpec, Turns, Window
from encbench.core.evidence import Proof
from encbench.core.records import ClientFacts, DiskIo, ForeignCpu, IdleCpu, MetricsRecord, TrialCpu
from encbench.reconcile.trial.facts import Collected, TrialGathered
from encbench.reconcile.trial.judge import judge
from encbench.reconcile.trial.neighbours import with_dm_crypt
from encbench.reconcile.trial.windowed import WindowMetrics
from encbench.tools.measurement import Measurement
from tests.support.slices import slices
from tests.support.workloads import tpcc_spec
from tests.unit.reconcile.seen import a_trial

WINDOW = Window(start=100.0, end=160.0)
METRICS = WindowMetrics(
    record=MetricsRecord(window=WINDOW, series={"database_cpu_seconds": ((100.0, 0.0),)}),
    cpu=TrialCpu(
        foreign=(ForeignCpu(node="n1", cores=0.4, node_cores=4.0),),
        idle=IdleCpu(cores=0.05, limit_cores=1.0, testbeds={"bed-a": 0.04, "bed-b": 0.01}),
    ),
)


USUAL = Measurement(
    seconds=60.0,
    transactions=6000,
    tps=100.0,
    qps=2000.0,
    latency_average_ms=10.0,
    latency_p95_ms=20.0,
    errors=0,
    reconnects=0,
    histogram=(),
)
COLLECTED = Collected(
    window=WINDOW,
    measurement=USUAL,
    clients=(ClientFacts(throttled_seconds=0.0), ClientFacts(throttled_seconds=None)),
)


def spec(**limits: float) -> TrialSpec:
    found = a_trial().spec
    bounds = found.limits.model_copy(update=limits)
    return found.model_copy(update={"limits": bounds})


def reason(
    spec_: TrialSpec | None = None,
    collected: Collected = COLLECTED,
    metrics: WindowMetrics = METRICS,
    sessions: Proof | None = None,
) -> str | None:
    gathered = TrialGathered(collected, metrics, sessions)
    outcome, why, message = judge(spec_ or spec(), gathered)
    assert (outcome == "Succeeded") == (why is None) == (message is None)
    assert why is None or why in TRIAL_LIFE.outcomes[outcome]
    return why


def throttled(*seconds: float | None) -> Collected:
    clients = tuple(ClientFacts(throttled_seconds=s) for s in seconds)
    return replace(COLLECTED, clients=clients)


def with_cpu(**figures: Any) -> WindowMetrics:
    return replace(METRICS, cpu=METRICS.cpu.model_copy(update=figures))


def foreign(cores: float, node: str = "n2") -> WindowMetrics:
    other = ForeignCpu(node=node, cores=cores, node_cores=4.0)
    return with_cpu(foreign=(*METRICS.cpu.foreign, other))


def idle(cores: float) -> WindowMetrics:
    return with_cpu(idle=IdleCpu(cores=cores, limit_cores=1.0, testbeds={"bed-a": cores}))


def test_an_ordinary_trial_counts() -> None:
    assert reason() is None


def test_a_throttled_client() -> None:
    assert reason(collected=throttled(0.0, 12.0)) is None, "0.2 of 60 s is allowed"
    assert reason(collected=throttled(0.0, 12.1)) == "ClientThrottled"
    assert reason(spec(client_throttling=0.3), throttled(12.1)) is None
    assert reason(spec(client_throttling=1.0), throttled(120.0)) is None, "1 allows all"
    _, _, message = judge(spec(), TrialGathered(throttled(0.0, 15.0), METRICS))
    assert message == (
        "client 1 was throttled for 25.0% of the 60 s in which it ran, more than "
        "limits.clientThrottling 0.2 (20%) allows: give client.resources.cpu more"
    )


def test_a_client_in_turns_is_throttled_in_its_own_slots_alone() -> None:
    """Ten slots of 2.5 s in a block of a minute: a fifth of them are 5 s."""
    own = slices(*[(None, None)] * 10)
    assert reason(collected=replace(throttled(5.0), slices=own)) is None
    assert reason(collected=replace(throttled(5.1), slices=own)) == "ClientThrottled"


def moved(*seconds: float | None) -> Collected:
    clients = tuple(ClientFacts(clock_skew_seconds=one) for one in seconds)
    return replace(COLLECTED, clients=clients)


def test_a_client_whose_clock_was_set() -> None:
    """Its window has ends by two different clocks, and some tools count by the one that was set."""
    assert reason(collected=moved(0.0, None)) is None
    assert reason(collected=moved(0.2 + 0.12)) is None, "0.2 s and 0.2 % of 60 s are allowed"
    assert reason(collected=moved(0.0, -0.33)) == "ClockSet"
    for step in (300.0, -300.0, 5.0, -5.0, 0.5):
        assert reason(collected=moved(step)) == "ClockSet"
    _, _, message = judge(spec(), TrialGathered(moved(0.0, -300.0), METRICS))
    assert message is not None
    assert message.startswith("the clock of client 1 was set by -300.0 s during the run: ")


def test_an_operator_whose_clock_was_set() -> None:
    """The window is by its clock before, and Prometheus was asked by its clock afterwards."""
    for step in (300.0, -300.0, 0.33):
        assert reason(collected=replace(COLLECTED, own_clock_moved=step)) == "ClockSet"
    assert reason(collected=replace(COLLECTED, own_clock_moved=0.3)) is None
    _, _, message = judge(spec(), TrialGathered(replace(COLLECTED, own_clock_moved=9.0), METRICS))
    assert message is not None
    assert message.startswith("the operator's clock was set by +9.0 s during the run: ")


def test_a_clock_that_moved_against_the_agent_s_is_one_of_the_two() -> None:
    assert reason(collected=replace(COLLECTED, clocks_apart=0.3)) is None
    _, why, message = judge(spec(), TrialGathered(replace(COLLECTED, clocks_apart=9.0), METRICS))
    assert why == "ClockSet"
    assert message is not None
    assert message.startswith(
        "the operator's clock, or that of the database's node, was set by +9.0 s between the first "
        "proof and the reading of the samples: "
    )


def test_foreign_load() -> None:
    assert reason(metrics=foreign(2.0)) is None, "half of four cores is allowed"
    assert reason(metrics=foreign(2.1)) == "ForeignLoad"
    assert reason(spec(foreign_cpu=0.05)) == "ForeignLoad", "of any node"
    assert reason(spec(foreign_cpu=1.0), metrics=foreign(4.0)) is None
    _, _, message = judge(spec(), TrialGathered(COLLECTED, foreign(3.0)))
    assert message == (
        "others, or interrupts and kernel work of the campaign's own traffic, used 75% of node "
        "n2's 4 cores in the window, more than limits.foreignCpu 0.5 (50%) allows"
    )
    turns = Turns(slice_seconds=2, settle_seconds=0.5, rounds=5, seed=1, trials=["run"])
    in_turns = spec().model_copy(update={"turns": turns})
    _, _, message = judge(in_turns, TrialGathered(COLLECTED, foreign(3.0)))
    assert message is not None
    assert "own traffic and other arms' ciphers there, used 75%" in message


def test_dm_crypt_s_kernel_threads_are_no_foreign_load() -> None:
    crypt = with_dm_crypt(foreign(3.0).cpu, "n2")
    assert reason(metrics=with_cpu(foreign=crypt.foreign)) is None
    elsewhere = with_dm_crypt(foreign(3.0).cpu, "n1")
    assert reason(metrics=with_cpu(foreign=elsewhere.foreign)) == "ForeignLoad", "a client's node"


def test_databases_that_were_not_idle() -> None:
    assert reason(metrics=idle(0.1)) is None
    assert reason(metrics=idle(0.11)) == "NotIdle"
    assert reason(spec(idle_cpu=0.2), metrics=idle(0.11)) is None
    assert reason(spec(idle_cpu=1.0), metrics=idle(9.0)) is None
    again = replace(idle(0.01), restarted=("bed-a",))
    assert reason(metrics=again) == "NotIdle"
    assert reason(spec(idle_cpu=1.0), metrics=again) is None


def test_what_was_not_measured_breaks_no_rule() -> None:
    assert reason(metrics=with_cpu(foreign=(), idle=None)) is None
    assert reason(collected=throttled(None)) is None


def test_but_for_the_servers_own_cpu() -> None:
    lost = MetricsRecord(window=WINDOW)
    assert reason(metrics=replace(METRICS, record=lost)) == "SeriesLost"
    assert reason(metrics=WindowMetrics()) == "SeriesLost"
    _, _, message = judge(spec(), TrialGathered(COLLECTED, WindowMetrics(problem="it is away")))
    assert message == ("the CPU series of the database in the window could not be read: it is away")


def test_series_that_are_too_many_are_not_said_to_be_missing() -> None:
    both = {"database_cpu_seconds": 2, "proxy_cpu_seconds": 3}
    twice = WindowMetrics(MetricsRecord(window=WINDOW, several=both))
    _, why, message = judge(spec(), TrialGathered(COLLECTED, twice))
    assert why == "SeriesLost"
    assert message == (
        "Prometheus has 2 CPU series of the database in the window instead of one: leave one job "
        "that scrapes pods labelled encbench.io/scrape=true"
    )
    assert METRICS.record is not None
    known = MetricsRecord(window=WINDOW, series=METRICS.record.series, several=both)
    _, why, message = judge(spec(), TrialGathered(COLLECTED, WindowMetrics(known)), has_proxy=True)
    assert why == "SeriesLost"
    assert "has 3 CPU series of the confidential proxy" in (message or "")


def test_series_that_a_node_may_keep_from_the_agent() -> None:
    lost = TrialGathered(COLLECTED, WindowMetrics())
    for over_fuse in (True, False):
        _, why, message = judge(spec(), lost, over_fuse=over_fuse)
        assert why == "SeriesLost"
        assert ("AppArmor or SELinux" in (message or "")) is over_fuse


def test_data_that_should_be_in_memory() -> None:
    """6,000 transactions in 60 s: 100 KiB a second are 1 KiB a transaction."""

    def reads(kib: float) -> WindowMetrics:
        disk = DiskIo(read_bytes_per_second=1024 * kib, write_bytes_per_second=0.0)
        return replace(METRICS, disk=disk)

    found = a_trial().spec
    workload = found.workload.model_copy(update={"max_read_kib": 1.0})
    bound = found.model_copy(update={"workload": workload})
    assert reason(bound, metrics=reads(100)) is None
    assert reason(bound, metrics=reads(101)) == "NotInMemory"
    assert reason(metrics=reads(1_000_000)) is None, "no bound was asked for"
    assert reason(bound) == "SeriesLost", "nothing says what was read"


def test_proof_of_the_clients_sessions() -> None:
    assert reason(sessions=Proof(ok=True, summary="as it should be")) is None
    assert reason(sessions=Proof(ok=False, summary="in plaintext")) == "ProofFailed"


def test_an_external_database_that_closed_connections() -> None:
    """A failover: the new sessions are never asked what they negotiated."""
    tpcc = a_trial().spec.model_copy(update={"workload": tpcc_spec()})
    lost = TrialGathered(
        replace(COLLECTED, measurement=replace(USUAL, errors=6, reconnects=6)),
        METRICS,
        Proof(ok=True, summary="as it should be"),
    )
    outcome, why, message = judge(tpcc, lost, has_agent=False)
    assert (outcome, why) == ("Invalid", "Disrupted")
    assert message == (
        "the server, or something before it, closed connections: clients made 6 new ones during "
        "the run, whose sessions are not proven"
    )
    assert judge(tpcc, lost)[0] == "Succeeded", "an agent would have seen a restart"
    outcome, why, _ = judge(spec(), lost, has_agent=False)
    assert (outcome, why) == ("Succeeded", None), "a script of one's own connects as it likes"


def test_errors_and_what_is_missing() -> None:
    bad = replace(COLLECTED, measurement=replace(USUAL, errors=61))
    assert reason(collected=bad) == "ErrorRate"
    fine = replace(COLLECTED, measurement=replace(USUAL, errors=60))
    assert reason(collected=fine) is None
    in_turns = replace(bad, whole_run=replace(USUAL, errors=90, transactions=9000))
    assert reason(collected=in_turns) is None, "errors are counted of the whole run"
    worse = replace(fine, whole_run=replace(USUAL, errors=91, transactions=9000))
    assert reason(collected=worse) == "ErrorRate"
    none = replace(COLLECTED, measurement=replace(USUAL, transactions=0))
    assert reason(collected=none) == "NoTransactions"
    assert reason(collected=replace(COLLECTED, missing="a key")) == "ArtefactsLost"
    unread = replace(COLLECTED, measurement=None, problem="no report")
    assert reason(collected=unread) == "OutputUnreadable"


@pytest.mark.parametrize("tps", [0.001, 1.0, 1e9])
def test_no_rule_looks_at_tps(tps: float) -> None:
    for collected, metrics in (
        (COLLECTED, METRICS),
        (throttled(30.0), METRICS),
        (COLLECTED, foreign(3.0)),
        (COLLECTED, idle(0.5)),
    ):
        other = replace(collected, measurement=replace(USUAL, tps=tps, qps=tps))
        assert reason(collected=other, metrics=metrics) == reason(
            collected=collected, metrics=metrics
        )
