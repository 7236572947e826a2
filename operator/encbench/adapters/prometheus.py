"""Prometheus: `ports.Metrics` over its HTTP API.

Raw samples come from an instant query with a range selector (`selector[<n>ms]` at `time=end`): that
returns what was scraped with its own timestamps, where a range query would resample to steps.

- The range is asked for a second wider than needed and cut here: Prometheus before version 3
  includes a sample at the range's very beginning, later versions leave it out, and both round times
  to milliseconds.
- The mark that Prometheus stores when a target goes away (staleness) is no sample and is not
  returned. Samples that are not finite numbers are left out: they say nothing, and JSON lacks them.
- A sample of the last second may not be stored yet: ask a few seconds after `end`.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from ssl import SSLContext, create_default_context
from typing import Any

from aiohttp import ClientError, ClientSession, ClientTimeout, TCPConnector

from encbench.ports import Rejected, Series, Unavailable

_MARGIN_MS = 1000
_ASKED_WRONGLY = (400, 422)


class Prometheus:
    """A Prometheus, or what speaks its API, at `url`; close it with `aclose`."""

    def __init__(self, url: str, *, timeout: float = 20, ca_file: Path | None = None) -> None:
        self._url = url.rstrip("/")
        self._timeout = ClientTimeout(total=timeout)
        self._ca_file = ca_file
        self._session: ClientSession | None = None

    async def aclose(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def raw(self, selector: str, start: float, end: float) -> list[Series]:
        """The raw samples in [start, end] (Unix seconds) of every series that matches.

        Series without a sample in the range are left out; they come in the order of their labels.
        Rejected when the selector is no instant selector or matches more than Prometheus is set to
        answer.
        """
        if end < start:
            raise Rejected(f"the range ends before it begins: {start} > {end}")
        at = math.ceil(end * 1000) / 1000
        milliseconds = math.ceil((at - start) * 1000) + _MARGIN_MS
        data = await self._query(f"{selector}[{milliseconds}ms]", at)
        if data.get("resultType") != "matrix":
            raise Rejected(f'{selector!r} does not select series: write metric{{label="value"}}')
        found = [_series(entry, start, end) for entry in data["result"]]
        return sorted((s for s in found if s.samples), key=lambda s: sorted(s.labels.items()))

    async def check(self) -> None:
        """Unavailable unless it answers queries."""
        await self._query("vector(1)", None)

    async def _query(self, query: str, at: float | None) -> Mapping[str, Any]:
        form = {"query": query} | ({"time": f"{at:.3f}"} if at is not None else {})
        try:
            session = self._connected()
            async with session.post(f"{self._url}/api/v1/query", data=form) as response:
                return _data(self._url, response.status, await response.text())
        except (ClientError, OSError, TimeoutError) as error:
            why = str(error) or type(error).__name__
            raise Unavailable(f"Prometheus at {self._url} cannot be reached: {why}") from error

    def _connected(self) -> ClientSession:
        """The session, made at the first call because it belongs to the running event loop."""
        if self._session is None:
            tls: SSLContext | bool = True
            if self._ca_file is not None:
                tls = create_default_context(cafile=str(self._ca_file))
            self._session = ClientSession(timeout=self._timeout, connector=TCPConnector(ssl=tls))
        return self._session


def _data(url: str, status: int, text: str) -> Mapping[str, Any]:
    """The `data` of an answer; its shape: Prometheus, HTTP API, "Format overview"."""
    try:
        answer = json.loads(text)
    except ValueError as error:
        raise Unavailable(f"{url} answered {status} and no JSON: {text[:200]!r}") from error
    if not isinstance(answer, dict) or answer.get("status") not in ("success", "error"):
        raise Unavailable(f"{url} answered {status} and not as Prometheus does: {text[:200]!r}")
    if answer["status"] == "error":
        said = f"Prometheus at {url}: {answer.get('errorType')}: {answer.get('error')}"
        raise Rejected(said) if status in _ASKED_WRONGLY else Unavailable(said)
    data: Mapping[str, Any] = answer["data"]
    return data


def _series(entry: Mapping[str, Any], start: float, end: float) -> Series:
    samples = ((float(time), float(value)) for time, value in entry.get("values", ()))
    return Series(
        labels=dict(entry["metric"]),
        samples=tuple((t, v) for t, v in samples if start <= t <= end and math.isfinite(v)),
    )
