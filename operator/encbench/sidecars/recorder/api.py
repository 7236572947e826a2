"""The recorder's answers. Pure but for the run's state; `sidecars.serving` does the HTTP.

`GET /metrics` is open to everyone, on a port of its own; the rest needs the bearer token. 503
means: try again.
"""

import time
from collections.abc import Iterator
from math import isnan

from encbench.sidecars.exposition import Metric, scraped
from encbench.sidecars.recorder.run import NotReady, Run
from encbench.sidecars.routes import Request, Response, Routes, error, refusal, routed, said
from encbench.wire.files import FILES, SLICES
from encbench.wire.foreign import parsed
from encbench.wire.recorder import RELEASE, STATE, ReleaseRequest
from encbench.wire.shape import misfit
from encbench.wire.slices import OwnSlots


class Api:
    """The recorder's endpoints. Artefacts go to `store` alone, the URL of a bucket."""

    def __init__(self, run: Run, token: str, store: str) -> None:
        self._run, self._token, self._store = run, token, store
        self._open: Routes = {("GET", "/metrics"): lambda _: scraped(metrics(run))}
        self._closed: Routes = {("GET", STATE): self._state, ("POST", RELEASE): self._release}

    def public(self, request: Request) -> Response:
        """The answer to a request by anyone."""
        return routed(self._open, request)

    def answer(self, request: Request) -> Response:
        """The answer to a request with the token; never raises for what a caller sent."""
        try:
            return refusal(request, self._token) or routed(self._closed, request)
        except NotReady:
            return error(503, "the tool is not waiting for its start yet")
        except ValueError as reason:
            return error(400, str(reason))

    def _state(self, _: Request) -> Response:
        snapshot = self._run.snapshot()
        state = snapshot["state"]
        return said(snapshot)._replace(sent=lambda: self._run.answered(state))

    def _release(self, request: Request) -> Response:
        asked = _parse_release(request.body, self._store)
        self._run.release(
            asked["startAt"],
            asked["uploads"],
            asked.get("slots"),
            asked.get("clock"),
            asked.get("authority", self._run.authority),
        )
        return self._state(request)


def _parse_release(body: bytes, store: str) -> ReleaseRequest:
    """ValueError, without any URL, if it is not as it must be.

    A URL of another place is refused, so that whoever gets hold of the token cannot have the
    results sent there.
    """
    try:
        release: ReleaseRequest = parsed(body)
    except ValueError as error:
        raise ValueError("the body is not JSON") from error
    if wrong := misfit(ReleaseRequest, release):
        raise ValueError(wrong)
    files = (*FILES, SLICES) if "slots" in release else FILES
    if set(release["uploads"]) != set(files):
        raise ValueError(f"uploads must name {', '.join(files)}")
    for name, url in release["uploads"].items():
        if not url.startswith(f"{store}/"):
            raise ValueError(f"the URL of {name} must be in the client's own store, {store}")
    if "slots" in release:
        _check(release["slots"])
    return release


def _check(slots: OwnSlots) -> None:
    """ValueError if the tool cannot have such turns."""
    if min(slots["warmup"], slots["settle"]) < 0:
        raise ValueError("warmup and settle must be 0 or more")
    if not slots["settle"] < slots["slice"] <= slots["period"]:
        raise ValueError("settle must be less than slice, and slice no more than period")
    own = slots["own"]
    if not all(0 <= slot < slots["slots"] for slot in own) or own != sorted({*own}):
        raise ValueError("own must hold numbers of slots in order")


def metrics(run: Run) -> Iterator[Metric]:
    """What the tool and the recorder use; rates while the tool reports them."""
    last, usage = run.last, run.usage()
    if last is not None and run.state == "running":
        rates = [
            Metric("encbench_client_tps", "gauge", "Transactions a second.", last.tps),
            Metric("encbench_client_qps", "gauge", "Queries a second.", last.qps),
            Metric(
                "encbench_client_latency_p95_seconds",
                "gauge",
                "95th percentile of the latest report.",
                last.latency_p95_ms / 1000,
            ),
        ]
        # A figure that a tool does not report has no series.
        yield from (rate for rate in rates if not isnan(rate.value))
    if usage is not None:
        words = "CPU time of the tool."
        yield Metric("encbench_client_cpu_seconds_total", "counter", words, usage.cpu_seconds)
    own = time.process_time()
    yield Metric("encbench_recorder_cpu_seconds_total", "counter", "CPU time of the recorder.", own)
