"""The recorder's answers. Pure but for the run's state; `sidecars.serving` does the HTTP.

`GET /metrics` is open to everyone, on a port of its own; the rest needs the bearer token. 503
means: try again.
"""

import time
from collections.abc import Iterator
from math import isnan
from typing import Any, TypeGuard

from encbench.sidecars.exposition import Metric, scraped
from encbench.sidecars.recorder.run import NotReady, Run
from encbench.sidecars.routes import Request, Response, Routes, error, refusal, routed, said
from encbench.wire.files import FILES, SLICES
from encbench.wire.foreign import parsed
from encbench.wire.recorder import RELEASE, STATE, ClockOffset
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
        self._run.release(*_parse_release(request.body, self._store, self._run.authority))
        return self._state(request)


Release = tuple[float, dict[str, str], OwnSlots | None, ClockOffset | None, str | None]


def _parse_release(body: bytes, store: str, trusted: str | None) -> Release:
    """Start time, URLs, slots, clock and the store's CA, which without a newer one is `trusted`.

    ValueError, without any URL, if one is not as it must be. A URL of another place is refused, so
    that whoever gets hold of the token cannot have the results sent there.
    """
    try:
        release: Any = parsed(body)
    except ValueError as error:
        raise ValueError("the body is not JSON") from error
    if not isinstance(release, dict):
        raise ValueError("the body is not an object")
    start_at, uploads = release.get("startAt"), release.get("uploads")
    if not _is_number(start_at):
        raise ValueError("startAt must be Unix time in seconds")
    slots = _slots(release.get("slots"))
    files = FILES if slots is None else (*FILES, SLICES)
    if not isinstance(uploads, dict) or set(uploads) != set(files):
        raise ValueError(f"uploads must name {', '.join(files)}")
    for name, url in uploads.items():
        if not isinstance(url, str) or not url.startswith(f"{store}/"):
            raise ValueError(f"the URL of {name} must be in the client's own store, {store}")
    authority = release.get("authority", trusted)
    if not isinstance(authority, str | None):
        raise ValueError("authority must be a CA in PEM")
    return float(start_at), uploads, slots, _clock(release.get("clock")), authority


def _clock(given: Any) -> ClockOffset | None:
    """What the operator measured of our clock."""
    if given is None:
        return None
    own: Any = given if isinstance(given, dict) else {}
    found: list[Any] = [own.get(name) for name in ("seconds", "roundTrip")]
    if not all(map(_is_number, found)):
        raise ValueError("clock needs seconds and roundTrip")
    return ClockOffset(seconds=float(found[0]), roundTrip=float(found[1]))


def _slots(given: Any) -> OwnSlots | None:
    """The tool's turns in an interleaved block."""
    if given is None:
        return None
    if not isinstance(given, dict):
        raise ValueError("slots must be an object")
    numbers: list[Any] = [given.get(name) for name in ("warmup", "period", "slice", "settle")]
    if not all(_is_number(n) and n >= 0 for n in numbers):
        raise ValueError("slots needs warmup, period, slice and settle in seconds")
    warmup, period, length, settle = map(float, numbers)
    if not settle < length <= period:
        raise ValueError("settle must be less than slice, and slice no more than period")
    count, own = given.get("slots"), given.get("own")
    if type(count) is not int or not isinstance(own, list):
        raise ValueError("slots needs slots, their number, and own, a list")
    if not all(type(slot) is int and 0 <= slot < count for slot in own) or own != sorted({*own}):
        raise ValueError("own must hold numbers of slots in order")
    return OwnSlots(warmup=warmup, period=period, slice=length, settle=settle, slots=count, own=own)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


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
