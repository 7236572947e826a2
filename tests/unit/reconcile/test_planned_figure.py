"""What a trial's number of blocks is planned by, from what was gathered of it."""

from encbench.api.kinds import TRIAL
from encbench.core.records import DatabaseCpu, ProxyCpu, TrialCpu
from encbench.reconcile.campaign.planned_figure import cpu_at_a_rate, latency_at_a_rate
from encbench.reconcile.objects import Trial, trial
from encbench.reconcile.trial.facts import Collected, TrialGathered
from encbench.reconcile.trial.record import result
from encbench.reconcile.trial.windowed import WindowMetrics
from encbench.tools.measurement import Measurement
from tests.support import manifests
from tests.unit.reconcile.seen import with_status

SERVER = DatabaseCpu(cores=0.3, limit_cores=1.0)
PROXY = ProxyCpu(cores=0.2, limit_cores=1.0)
UNSURE = "the alignment error of 3.1 % is above 2 %"


def gathered(cpu: TrialCpu) -> TrialGathered:
    measurement = Measurement(seconds=10.0, transactions=1000, tps=100.0, errors=0)
    return TrialGathered(
        collected=Collected(measurement=measurement), metrics=WindowMetrics(cpu=cpu)
    )


def ended(
    cpu: TrialCpu, rate: int | None = 100, think: str | None = None, latency: float | None = None
) -> Trial:
    """A trial that succeeded, with its figures as the status has them."""
    found = result(gathered(cpu))
    assert found is not None
    plain = manifests.SPECS[TRIAL]["workload"]
    load = plain["load"] if rate is None else plain["load"] | {"rate": rate}
    workload = plain | {"load": load}
    if think is not None:
        options = {"thinkTimeMultiplier": think}
        tpcc = {"warehouses": 1, "dialect": 6, "benchmarksql": {}, "options": options}
        load = {"concurrency": [4], "warmup": "1m", "duration": "1m"}
        workload = {"tpcc": tpcc, "load": load, "client": plain["client"] | {"image": "bsql:6"}}
    body = manifests.body(TRIAL, "t", "ns", workload=workload)
    own = {} if latency is None else {"latencyAverageMs": latency}
    return trial(with_status(body, {}, outcome="Succeeded", result=found.to_dict() | own))


def test_at_a_rate_it_is_the_cpu_of_server_and_proxy() -> None:
    assert cpu_at_a_rate(ended(TrialCpu(database=SERVER, proxy=PROXY))) == 0.5 / 100
    assert cpu_at_a_rate(ended(TrialCpu(database=SERVER))) == 0.3 / 100
    assert cpu_at_a_rate(ended(TrialCpu(database=SERVER, proxy=PROXY), rate=None)) is None


def test_where_think_times_decide_tps_it_is_that_cpu_too() -> None:
    cpu = TrialCpu(database=SERVER, proxy=PROXY)
    assert cpu_at_a_rate(ended(cpu, think="0.5")) == 0.5 / 100
    assert cpu_at_a_rate(ended(cpu, think="0.0")) is None


def test_without_the_servers_own_there_is_none() -> None:
    assert cpu_at_a_rate(ended(TrialCpu(proxy=PROXY, withheld={"database": UNSURE}))) is None


def test_a_proxy_without_a_figure_counts_as_none() -> None:
    """So do those of trials that an earlier operator has recorded."""
    found = ended(TrialCpu(database=SERVER, withheld={"proxy": UNSURE}))
    assert cpu_at_a_rate(found) == 0.3 / 100


def test_latency_counts_at_a_rate_alone() -> None:
    assert latency_at_a_rate(ended(TrialCpu(), latency=4.5)) == 4.5
    assert latency_at_a_rate(ended(TrialCpu())) is None
    assert latency_at_a_rate(ended(TrialCpu(), rate=None, latency=4.5)) is None
