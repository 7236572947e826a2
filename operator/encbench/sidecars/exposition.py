"""Metrics in Prometheus' text format, version 0.0.4.

Its library imports an HTTP server and a client, which cost a sidecar a second of its start.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from encbench.sidecars.routes import Response

_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metric(NamedTuple):
    """One series without labels; the name of a counter ends with `_total`."""

    name: str
    kind: Literal["counter", "gauge"]
    help: str
    """One line without a backslash."""
    value: float


def exposition(metrics: Iterable[Metric]) -> str:
    """What a scrape gets. Every digit of a value counts, because rates are differences."""
    return "".join(
        f"# HELP {name} {words}\n# TYPE {name} {kind}\n{name} {_figure(value)}\n"
        for name, kind, words, value in metrics
    )


def _figure(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


def scraped(metrics: Iterable[Metric]) -> Response:
    """The answer to a scrape."""
    return Response(200, exposition(metrics).encode(), _CONTENT_TYPE)
