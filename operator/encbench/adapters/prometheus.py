"""Prometheus: `ports.Metrics` over its HTTP API.

Raw samples come from an instant query with a range selector (`selector[<n>ms]` at `time=end`). It
returns the scraped samples with their own timestamps, whereas a range query would resample them.

- The query asks for one second more than needed and the answer is cut here: Prometheus before
  version 3 includes a sample at the range's very beginning, later versions leave it out, and both
  round times to milliseconds.
- The staleness marker that Prometheus stores when a target disappears is not a sample and is not
  returned. Samples that are not finite numbers are left out, because JSON has none.
- A window may have hours, and a node hundreds of CPUs, so it is asked for a piece of it at a time.
- A sample of the last second may not be stored yet: query a few seconds after `end`.
- What gathers from several stores, such as Thanos, answers with warnings while one of them is away.
  Of samples such an answer counts as none. PromQL's own warnings are about functions and operators,
  and a selector has neither.
- Samples have Prometheus' own time. Its clock may be wrong against ours, so it is asked for its
  time now and then, and ranges and samples are moved by the difference. A loaded server answers
  late, and the difference seems to change by as much, so all of a window is moved by one.
"""

import asyncio
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from ssl import SSLContext, create_default_context
from typing import Any

from aiohttp import ClientError, ClientTimeout

from encbench.adapters.session import HttpClient, content_of
from encbench.core.window import Sample, joined, pieces
from encbench.ports import BadQuery, Rejected, Series, SeriesSource, Unavailable
from encbench.wire.foreign import parsed, printable

_MARGIN_MS = 1000
_ROUNDED = 0.002
"""Prometheus' times have milliseconds."""
LARGEST = 32 * 2**20
"""Bytes of an answer, which is about a piece of the window."""
SMALL = 2**17
"""Bytes of an answer that the event loop parses itself, in 20 ms. 300 s of 256 CPUs have 7 MiB
and take a second."""
MOST = 2_000_000
"""Samples of all pieces together, which have 220 MiB. One series of a day has 86,400."""
_KINDS: Mapping[int, type[Exception]] = {400: BadQuery, 422: Rejected}
"""Of an error by its status: a query that is none, and one that could not be executed."""
ASK_AGAIN = 30.0
"""Seconds before it is asked for its time again."""

_Found = dict[tuple[tuple[str, str], ...], list[Sample]]
"""Samples by the sorted labels of their series."""


class Prometheus(HttpClient):
    """A server with Prometheus' API at `url`; close it with `aclose`."""

    def __init__(self, url: str, *, timeout: float = 20, ca_file: Path | None = None) -> None:
        super().__init__()
        self._url = url.rstrip("/")
        self._timeout = ClientTimeout(total=timeout)
        self._ca_file = ca_file
        self._known: tuple[float, float] | None = None
        """When it was last asked for its time (monotonic), and how far that was ahead of ours."""
        self._parsing = asyncio.Semaphore()

    async def timed(self) -> SeriesSource:
        """See `ports.Metrics`."""
        return _Timed(self, await self._ahead())

    async def raw(
        self, selector: str, start: float, end: float, ahead: float | None = None
    ) -> list[Series]:
        """The raw samples in [start, end] (Unix seconds) of every series that matches.

        Series without a sample in the range are left out; the others are sorted by their labels.
        `ahead` is how far its clock is ahead of ours, where that is known. BadQuery when the
        selector is not an instant selector or matches more than MOST. Rejected when it matches more
        than Prometheus is configured to return.
        """
        if end < start:
            raise Rejected(f"the range ends before it begins: {start} > {end}")
        ahead, most = await self._ahead() if ahead is None else ahead, MOST
        found: _Found = {}
        for begin, until in pieces(start, end):
            most -= await self._piece(found, selector, begin, until, ahead, whole=True)
            if most < 0:
                raise BadQuery(f"{selector!r} has more than {MOST:,} samples: have it match less")
        return [Series(dict(key), tuple(found[key])) for key in sorted(found)]

    async def check(self) -> None:
        """Ask for something that is not there. Of that, a part of an answer is as good as all."""
        await self._piece({}, "encbench_nothing", 0.0, 1.0, await self._ahead())

    async def _piece(
        self,
        found: _Found,
        selector: str,
        start: float,
        end: float,
        ahead: float,
        *,
        whole: bool = False,
    ) -> int:
        """Add what one question answers, and say how many samples that are.

        Large answers are parsed one by one, beside the event loop. Unavailable when an answer has
        to be `whole` and is not.
        """
        at = math.ceil((end + ahead) * 1000) / 1000
        milliseconds = math.ceil((at - start - ahead) * 1000) + _MARGIN_MS
        status, content = await self._answer(f"{selector}[{milliseconds}ms]", at)

        def read() -> int:
            data = _data(self._url, status, content, whole=whole)
            if data.get("resultType") != "matrix":
                says = f'{selector!r} does not select series: write metric{{label="value"}}'
                raise BadQuery(says)
            try:
                series = [_series(entry, start, end, ahead) for entry in data["result"]]
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise Unavailable(f"{self._url} answered with series that are none") from error
            for one in series:
                if one.samples:
                    joined(found.setdefault(tuple(sorted(one.labels.items())), []), one.samples)
            return sum(len(one.samples) for one in series)

        if len(content) <= SMALL:
            return read()
        async with self._parsing:
            return await asyncio.to_thread(read)

    async def _ahead(self) -> float:
        """Its clock minus ours, in seconds; 0 where the round trip explains the difference.

        The answer is taken to have been made in the middle of its round trip.
        """
        asked, now = time.time(), time.monotonic()
        if self._known is None or now - self._known[0] > ASK_AGAIN:
            data = _data(self._url, *await self._answer("time()", None))
            half = (time.monotonic() - now) / 2
            try:
                apart = float(data["result"][1]) - asked - half
            except (IndexError, KeyError, TypeError, ValueError) as error:
                raise Unavailable(f"{self._url} does not say what time it has") from error
            self._known = now, apart if abs(apart) > half + _ROUNDED else 0.0
        return self._known[1]

    async def _answer(self, query: str, at: float | None) -> tuple[int, bytes]:
        """The status of an answer, and its content."""
        form = {"query": query} | ({"time": f"{at:.3f}"} if at is not None else {})
        try:
            url = f"{self._url}/api/v1/query"
            async with self._session.post(
                # To follow one would make it a GET without the query.
                url,
                data=form,
                timeout=self._timeout,
                ssl=self._trusted(),
                allow_redirects=False,
            ) as response:
                if (there := response.headers.get("Location")) is not None:
                    raise Unavailable(
                        f"Prometheus at {self._url} redirects to {printable(there)}: set "
                        "prometheus.external.url to a URL that answers by itself"
                    )
                content = await content_of(response, LARGEST, f"Prometheus at {self._url}")
                return response.status, content
        except (ClientError, OSError, TimeoutError) as error:
            why = str(error) or type(error).__name__
            raise Unavailable(f"Prometheus at {self._url} cannot be reached: {why}") from error

    def _trusted(self) -> SSLContext | bool:
        """By the CA in the file, which the kubelet changes when the CA is made anew.

        Certificates are ASCII; what stands beside them need not be.
        """
        if self._ca_file is None:
            return True
        return _context(self._ca_file.read_text("ascii", "ignore"))


@dataclass(frozen=True)
class _Timed:
    """`ports.SeriesSource`, by a clock that is so far ahead of ours."""

    server: Prometheus
    ahead: float

    async def raw(self, selector: str, start: float, end: float) -> list[Series]:
        return await self.server.raw(selector, start, end, self.ahead)


@lru_cache(maxsize=2)
def _context(authority: str) -> SSLContext:
    """The same one each time, so that connections are reused. OSError without a certificate."""
    # Without any data it would trust the CAs of the system.
    return create_default_context(cadata=f"{authority}\n")


def _data(url: str, status: int, content: bytes, *, whole: bool = False) -> Mapping[str, Any]:
    """The `data` of an answer; see Prometheus, HTTP API, "Format overview".

    Unavailable, too, when it has to be `whole` and a warning says that it may not be.
    """
    text = content.decode(errors="replace")
    try:
        answer = parsed(text)
    except ValueError as error:
        raise Unavailable(f"{url} answered {status} and no JSON: {text[:200]!r}") from error
    if not isinstance(answer, dict) or answer.get("status") not in ("success", "error"):
        raise Unavailable(f"{url} answered {status} and not as Prometheus does: {text[:200]!r}")
    if answer["status"] == "error":
        reason = f"Prometheus at {url}: {answer.get('errorType')}: {answer.get('error')}"
        raise _KINDS.get(status, Unavailable)(reason)
    if whole and (warnings := answer.get("warnings")):
        said = "; ".join(map(str, warnings)) if isinstance(warnings, list) else str(warnings)
        raise Unavailable(f"Prometheus at {url} gives a part of its samples: {printable(said)}")
    data = answer.get("data")
    if not isinstance(data, dict):
        raise Unavailable(f"{url} answered {status} and not as Prometheus does: {text[:200]!r}")
    return data


def _series(entry: Mapping[str, Any], start: float, end: float, ahead: float) -> Series:
    samples = ((float(at) - ahead, float(value)) for at, value in entry.get("values", ()))
    return Series(
        labels={str(name): str(value) for name, value in entry["metric"].items()},
        samples=tuple((t, v) for t, v in samples if start <= t <= end and math.isfinite(v)),
    )
