"""The operator's own metrics: what is shown, what vanishes, and how much there can be of it."""

import asyncio
from dataclasses import replace

import aiohttp
import pytest

from encbench.adapters.kubernetes_http import HttpAnswer, path, resource
from encbench.adapters.meter import MOST, MeteredTransport, PrometheusMeter
from encbench.adapters.meter_http import FRESH, alive, serving
from encbench.api.kinds import CAMPAIGN, NODE, POD, TRIAL, Kind
from encbench.ports import CampaignFigures
from tests.support.daemon import free_port
from tests.support.metered import samples, series


def figures(name: str, *, ended: str = "", hindered: str = "") -> CampaignFigures:
    return CampaignFigures("bench", name, "Running", {"planned": 8, "active": 1}, ended, hindered)


def test_passes_requests_and_trials_are_counted() -> None:
    meter = PrometheusMeter("1.2.3")
    meter.passed(TRIAL, 0.02, "done")
    meter.passed(TRIAL, 0.02, "unavailable")
    meter.passed(TRIAL, 0.02, "unavailable")
    meter.asked("GET", "pods", 200, 0.01)
    meter.asked("GET", "pods", 0, 30.0)
    meter.ended("bench", "Invalid", "ServerRestarted")
    meter.idle(1.5)
    assert series(meter, "encbench_reconcile_total") == {
        ("done", "Trial"): 1,
        ("unavailable", "Trial"): 2,
    }
    assert series(meter, "encbench_reconcile_seconds_count") == {("Trial",): 3}
    requests = series(meter, "encbench_api_requests_total")
    assert requests == {("GET", "pods", "200"): 1, ("GET", "pods", "0"): 1}
    assert series(meter, "encbench_trials_total") == {("bench", "Invalid", "ServerRestarted"): 1}
    assert series(meter, "encbench_dead_time_seconds_sum") == {(): 1.5}
    assert series(meter, "encbench_build_info") == {("1.2.3",): 1}


def test_the_first_trial_or_campaign_of_each_end_is_an_increase() -> None:
    meter = PrometheusMeter("1")
    for name in ("study", "other"):
        meter.campaign(figures(name))
    ends = series(meter, "encbench_trials_total")
    campaigns = series(meter, "encbench_ended_campaigns_total")
    assert {*ends.values(), *campaigns.values()} == {0}
    meter.ended("bench", "Succeeded", "")
    meter.ended("bench", "Invalid", "ProofFailed")
    meter.finished("bench", "Complete", "AllBlocksMeasured")
    meter.finished("bench", "Failed", "TestbedFailed")
    assert set(series(meter, "encbench_ended_campaigns_total")) == set(campaigns)
    assert set(series(meter, "encbench_trials_total")) == set(ends), "a new one would begin with 1"


def test_a_campaigns_series_vanish_with_it() -> None:
    meter = PrometheusMeter("1")
    meter.campaign(figures("study", hindered="ImagePullFailed"))
    meter.running("bench", "study", "tde", "study-b1-tde", 100.0)
    meter.running("bench", "study", "tde", "study-b2-tde", 20.0)
    assert series(meter, "encbench_campaign_trials") == {
        ("study", "bench", "planned"): 8,
        ("study", "bench", "active"): 1,
    }
    assert series(meter, "encbench_campaign_hindered") == {("study", "bench", "ImagePullFailed"): 1}
    assert series(meter, "encbench_campaign_tps") == {("tde", "study", "bench"): 120}
    assert series(meter, "encbench_campaigns") == {("bench", "Running"): 1}
    meter.running("bench", "study", "tde", "study-b1-tde", None)
    assert series(meter, "encbench_campaign_tps") == {("tde", "study", "bench"): 20}
    meter.gone("bench", "study")
    assert not [name for name, _ in samples(meter) if name.startswith("encbench_campaign")]
    meter.running("bench", "study", "tde", "study-b2-tde", None)


def test_what_no_event_reported_is_forgotten_by_the_sweep() -> None:
    meter = PrometheusMeter("1")
    for name in ("kept", "deleted"):
        meter.campaign(figures(name))
    meter.only("elsewhere", [])
    assert series(meter, "encbench_campaigns") == {("bench", "Running"): 2}
    meter.only("bench", ["kept"])
    assert {key[0] for key in series(meter, "encbench_campaign_trials")} == {"kept"}


def test_many_campaigns_make_no_more_series_and_those_that_run_or_ended_last_come_first() -> None:
    meter = PrometheusMeter("1")
    for number in range(3 * MOST):
        meter.campaign(figures(f"done-{number}", ended=f"2026-01-01T00:{number // 60:02}:00Z"))
    meter.campaign(figures("runs"))
    meter.campaign(figures("done-0", ended="2026-02-01T00:00:00Z"))
    shown = {key[0] for key in series(meter, "encbench_campaign_trials")}
    assert len(shown) == MOST
    assert shown >= {"runs", "done-0", f"done-{3 * MOST - 1}"}, "the oldest by name ended last"
    assert "done-1" not in shown
    assert series(meter, "encbench_campaigns") == {("bench", "Running"): 3 * MOST + 1}


FAILED = ("Failed", "TestbedFailed")


def test_the_end_of_a_campaign_is_a_time_as_long_as_it_exists() -> None:
    meter = PrometheusMeter("1")
    meter.campaign(figures("runs"))
    meter.campaign(replace(figures("study", ended="2026-01-01T00:00:10Z"), end=FAILED))
    meter.campaign(figures("by-another-version", ended="2026-01-01T00:00:10Z"))
    ends = series(meter, "encbench_campaign_end_timestamp_seconds")
    assert ends == {("study", "bench", "Failed", "TestbedFailed"): 1767225610}
    meter.gone("bench", "study")
    assert not series(meter, "encbench_campaign_end_timestamp_seconds")


def test_the_last_ends_are_shown_however_many_campaigns_run() -> None:
    meter = PrometheusMeter("1")
    for number in range(MOST + 2):
        meter.campaign(figures(f"runs-{number}"))
        time = f"2026-01-01T00:{number // 60:02}:{number % 60:02}Z"
        meter.campaign(replace(figures(f"done-{number}", ended=time), end=FAILED))
    shown = {key[0] for key in series(meter, "encbench_campaign_end_timestamp_seconds")}
    assert shown == {f"done-{number}" for number in range(2, MOST + 2)}


def test_each_campaign_that_is_shown_has_the_tps_of_all_its_arms() -> None:
    meter = PrometheusMeter("1")
    arms = ("plain", "plain-control", "tde", "tls")
    for number in range(60):
        meter.campaign(figures(f"runs-{number}"))
        for arm in arms:
            meter.running("bench", f"runs-{number}", arm, f"runs-{number}-b1-{arm}", 100.0)
    shown = set(series(meter, "encbench_campaign_tps"))
    assert shown == {(arm, f"runs-{number}", "bench") for number in range(60) for arm in arms}
    meter.campaign(figures("runs-0", ended="2026-01-01T00:00:00Z"))
    for number in range(MOST):
        meter.campaign(figures(f"more-{number}"))
    left = {one for one in shown if one[1] != "runs-0"}
    assert set(series(meter, "encbench_campaign_tps")) == left


def test_the_queue_is_read_at_the_scrape() -> None:
    meter = PrometheusMeter("1")
    meter.watch(lambda: {"trials": (3, 1), "others": (0, 2)}, lambda: 5)
    assert series(meter, "encbench_queue_waiting") == {("trials",): 3, ("others",): 0}
    assert series(meter, "encbench_queue_working") == {("trials",): 1, ("others",): 2}
    assert series(meter, "encbench_slow_effects") == {(): 5}


@pytest.mark.parametrize(
    ("kind", "namespace", "name", "sub", "wanted"),
    [
        (CAMPAIGN, "bench", "study", "", "campaigns"),
        (CAMPAIGN, "bench", "study", "status", "campaigns/status"),
        (CAMPAIGN, None, "", "", "campaigns"),
        (POD, "bench", "", "", "pods"),
        (POD, "bench", "p:9471", "proxy/metrics", "pods/proxy"),
        (NODE, "", "n1", "", "nodes"),
        (Kind("v1", "Namespace", "namespaces", namespaced=False), "", "bench", "", "namespaces"),
    ],
)
def test_requests_are_counted_without_names(
    kind: Kind, namespace: str | None, name: str, sub: str, wanted: str
) -> None:
    assert resource(path(kind, namespace, name, sub)) == wanted


async def test_many_scrapes_cause_one_rendering_a_second() -> None:
    rendered, now = [0], [0.0]

    def exposition() -> bytes:
        rendered[0] += 1
        return f"x {rendered[0]}\n".encode()

    async with (
        serving(exposition, 0, host="127.0.0.1", clock=lambda: now[0]) as port,
        aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session,
    ):

        async def scrape() -> str:
            async with session.get("/metrics") as answer:
                assert answer.content_type == "text/plain"
                return await answer.text()

        assert set(await asyncio.gather(*(scrape() for _ in range(20)))) == {"x 1\n"}
        now[0] += FRESH
        assert await scrape() == "x 2\n"
        async with session.get("/") as answer:
            assert answer.status == 404


async def test_the_kubelet_is_answered() -> None:
    url = f"http://127.0.0.1:{free_port()}/healthz"
    async with aiohttp.ClientSession() as session:
        async with alive(url), session.get(url) as answer:
            assert (answer.status, await answer.text()) == (200, "alive\n")
        with pytest.raises(aiohttp.ClientConnectionError):
            await session.get(url)


def test_it_is_shown_which_shards_the_process_leads() -> None:
    meter = PrometheusMeter("1.2.3")
    assert series(meter, "encbench_leader") == {}
    meter.follow(lambda: {0: False, 1: True})
    assert series(meter, "encbench_leader") == {("0",): 0, ("1",): 1}


def test_it_is_shown_which_services_can_be_used() -> None:
    meter = PrometheusMeter("1")
    assert series(meter, "encbench_service_up") == {}
    meter.depend(lambda: {"object store": True, "Prometheus": False})
    assert series(meter, "encbench_service_up") == {("object store",): 1, ("Prometheus",): 0}


class Answering:
    """A transport that answers with this status, or not at all."""

    def __init__(self, status: int) -> None:
        self._status = status

    async def exchange(self, *_: object) -> HttpAnswer:
        if not self._status:
            raise OSError("no route")
        return HttpAnswer(self._status, b"{}")


async def test_each_request_is_counted_with_its_answer() -> None:
    meter = PrometheusMeter("1")
    where = path(POD, "bench", "p")
    for status in (200, 404, 404, 503):
        answer = await MeteredTransport(Answering(status), meter).exchange(
            "GET", where, (), None, ""
        )
        assert answer.status == status
    with pytest.raises(OSError, match="no route"):
        await MeteredTransport(Answering(0), meter).exchange("GET", where, (), None, "")
    counted = {
        status: n for (_, _, status), n in series(meter, "encbench_api_requests_total").items()
    }
    assert counted == {"200": 1, "404": 2, "503": 1, "0": 1}
