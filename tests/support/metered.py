"""A meter after a life with a bit of everything, so that every metric has a series."""

from prometheus_client.parser import text_string_to_metric_families

from encbench.adapters.meter import PrometheusMeter
from encbench.api.kinds import CAMPAIGN, TESTBED, TRIAL
from encbench.ports import CampaignFigures


def metered(over: str = "2026-01-01T00:00:00Z") -> PrometheusMeter:
    """One campaign runs, one cannot, and one ended at that time."""
    meter = PrometheusMeter("0.1.0")
    meter.watch(lambda: {"trials": (1, 2), "others": (0, 1)}, lambda: 1)
    meter.follow(lambda: {0: True, 1: False})
    meter.depend(lambda: {"object store": True, "Prometheus": False})
    trials = {"planned": 16, "active": 2, "succeeded": 8, "invalid": 1, "failed": 0}
    meter.campaign(CampaignFigures("bench", "demo", "Running", trials))
    meter.campaign(CampaignFigures("bench", "stuck", "Preparing", trials, "", "Unschedulable"))
    end = ("Failed", "TestbedFailed")
    meter.campaign(CampaignFigures("bench", "over", "Failed", trials, over, end=end))
    meter.running("bench", "demo", "tde", "demo-b1-tde", 123.0)
    live(meter)
    return meter


def live(meter: PrometheusMeter) -> None:
    """What happens in a second."""
    for kind in (CAMPAIGN, TESTBED, TRIAL):
        meter.passed(kind, 0.03, "done")
        meter.passed(kind, 0.03, "failed")
    for status in (200, 503):
        meter.asked("GET", "pods", status, 0.02)
    meter.ended("bench", "Succeeded", "")
    for _ in range(8):
        meter.ended("bench", "Invalid", "ProofFailed")
    meter.finished("bench", "Failed", "TestbedFailed")
    meter.idle(1.7)


Sample = tuple[str, tuple[tuple[str, str], ...]]


def samples(meter: PrometheusMeter) -> dict[Sample, float]:
    """Value by name and labels, of our own metrics."""
    families = text_string_to_metric_families(meter.exposition().decode())
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
        if sample.name.startswith("encbench_")
    }


def series(meter: PrometheusMeter, name: str) -> dict[tuple[str, ...], float]:
    """Value by the labels' values, in the order of the labels' names."""
    found = samples(meter).items()
    return {tuple(v for _, v in labels): value for (one, labels), value in found if one == name}
