"""What a trial's number of blocks is planned by, from what was gathered of it."""

from encbench.api.kinds import TRIAL
from encbench.core.figures import DATABASE_SIDE_CPU
from encbench.core.records import DatabaseCpu, ProxyCpu, RecoveryFacts, ServerProcess, TrialCpu
from encbench.reconcile.campaign.figures import cpu_at_a_rate
from encbench.reconcile.objects import Trial, trial
from encbench.reconcile.trial.facts import Collected, TrialGathered
from encbench.reconcile.trial.record import result
from encbench.reconcile.trial.series import WindowMetrics
from encbench.tools.measurement import Measurement
from tests.support import manifests
from tests.unit.reconcile.seen import with_status

SERVER = DatabaseCpu(cores=0.3, limit_cores=1.0)
PROXY = ProxyCpu(cores=0.2, limit_cores=1.0)
UNSURE = "the alignment error of 3.1 % is above 2 %"


def gathered(cpu: TrialCpu, recovery: RecoveryFacts | None = None) -> TrialGathered:
    measurement = Measurement(seconds=10.0, transactions=1000, tps=100.0, errors=0, series=())
    return TrialGathered(
        collected=Collected(measurement=measurement),
        metrics=WindowMetrics(cpu=cpu),
        recovery=recovery,
    )


def ended(cpu: TrialCpu, rate: int | None = 100) -> Trial:
    """A trial that succeeded, with its figures as the status has them."""
    found = result(gathered(cpu))
    assert found is not None
    plain = manifests.SPECS[TRIAL]["workload"]
    load = plain["load"] if rate is None else plain["load"] | {"rate": rate}
    body = manifests.body(TRIAL, "t", "ns", workload=plain | {"load": load})
    return trial(with_status(body, {}, outcome="Succeeded", result=found.to_dict()))


def test_at_a_rate_it_is_the_cpu_of_server_and_proxy() -> None:
    assert cpu_at_a_rate(ended(TrialCpu(database=SERVER, proxy=PROXY))) == 0.5 / 100
    assert cpu_at_a_rate(ended(TrialCpu(database=SERVER))) == 0.3 / 100
    assert cpu_at_a_rate(ended(TrialCpu(database=SERVER, proxy=PROXY), rate=None)) is None


def test_one_of_the_two_alone_is_no_figure() -> None:
    assert cpu_at_a_rate(ended(TrialCpu(database=SERVER, withheld={"proxy": UNSURE}))) is None
    assert cpu_at_a_rate(ended(TrialCpu(proxy=PROXY, withheld={"database": UNSURE}))) is None


def test_a_recovery_has_figures_of_its_own() -> None:
    process = ServerProcess(process_id=7, started_at=1.0)
    recovery = RecoveryFacts(
        stop="Crash",
        signal="SIGKILL",
        before=process,
        after=process,
        stopped_at=0.0,
        stop_seconds=0.1,
        restart_seconds=0.2,
        recovery_seconds=2.0,
        resolution_seconds=0.01,
    )
    found = result(gathered(TrialCpu(database=SERVER), recovery))
    assert found is not None
    assert DATABASE_SIDE_CPU not in found.extra
