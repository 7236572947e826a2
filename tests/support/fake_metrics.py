"""An in-memory Prometheus for unit tests of everything that takes a `ports.Metrics`.

It passes the same contract tests as the real adapter against Prometheus (tests/contract/metrics).
Selectors are a metric's name, matchers in braces, or both.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from encbench.ports import BadQuery, Rejected, Series, SeriesSource, Unavailable

_SELECTOR = re.compile(r"\s*([a-zA-Z_:][\w:]*)?\s*(?:\{(.*)\})?\s*", re.DOTALL)
_MATCHER = re.compile(r'\s*([a-zA-Z_]\w*)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)')


@dataclass
class FakeMetrics:
    """A `ports.Metrics` in memory; `add`, `away` and `queries` are for tests."""

    away: bool = False
    """While it is set everything is Unavailable."""
    queries: list[str] = field(default_factory=list)
    """Every selector that was asked for, in order."""
    _samples: dict[tuple[tuple[str, str], ...], dict[float, float]] = field(default_factory=dict)

    async def timed(self) -> SeriesSource:
        if self.away:
            raise Unavailable("the fake Prometheus is away")
        return self

    async def raw(self, selector: str, start: float, end: float) -> list[Series]:
        self.queries.append(selector)
        if self.away:
            raise Unavailable("the fake Prometheus is away")
        if end < start:
            raise Rejected(f"the range ends before it begins: {start} > {end}")
        matchers = _parse(selector)
        found = []
        for key, samples in sorted(self._samples.items()):
            labels = dict(key)
            inside = tuple((t, v) for t, v in sorted(samples.items()) if start <= t <= end)
            if inside and all(_fits(labels.get(n, ""), op, text) for n, op, text in matchers):
                found.append(Series(labels, inside))
        return found

    async def check(self) -> None:
        if self.away:
            raise Unavailable("the fake Prometheus is away")

    def add(
        self, name: str, labels: Mapping[str, str], samples: Iterable[tuple[float, float]]
    ) -> None:
        """Store samples (Unix seconds, value) of a series; those not finite are never returned."""
        key = tuple(sorted({"__name__": name, **labels}.items()))
        finite = {time: value for time, value in samples if math.isfinite(value)}
        self._samples.setdefault(key, {}).update(finite)


def _parse(selector: str) -> list[tuple[str, str, str]]:
    whole = _SELECTOR.fullmatch(selector)
    if whole is None or not (whole[1] or whole[2]):
        raise BadQuery(f"parse error: {selector!r} is no selector")
    matchers = [("__name__", "=", whole[1])] if whole[1] else []
    rest = (whole[2] or "").strip()
    while rest:
        one = _MATCHER.match(rest)
        if one is None:
            raise BadQuery(f"parse error: {selector!r} at {rest!r}")
        matchers.append((one[1], one[2], re.sub(r"\\(.)", r"\1", one[3])))
        rest = rest[one.end() :].strip()
    return matchers


def _fits(value: str, operator: str, text: str) -> bool:
    equal = value == text if operator in ("=", "!=") else bool(re.fullmatch(text, value))
    return equal == (operator in ("=", "=~"))
