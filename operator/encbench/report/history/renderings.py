"""A history for a terminal, for programs, and as a page."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from encbench.report.compare.renderings import aligned_columns
from encbench.report.history import words
from encbench.report.history.page import page
from encbench.report.history.series import History, HistorySeries
from encbench.text.lines import paragraph


def text(history: History) -> str:
    """The summary, a table and its finding for each series, and how to read them."""
    parts = [paragraph(words.summary(history))]
    for series in history.series:
        sentences = [paragraph(one) for one in words.said(history, series)]
        table = aligned_columns(words.columns(series))
        parts += [words.title(series), table, *sentences]
    return "\n\n".join([*parts, paragraph(words.how(history))]) + "\n"


def json_document(history: History) -> str:
    """Everything; overheads and levels as fractions."""
    document = {
        "schema": "encbench.io/history/v1",
        "level": history.level,
        "series": [_series(one) for one in history.series],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


RENDERINGS = {"text": text, "html": page, "json": json_document}
"""By the name that `--output` takes."""


def _series(series: HistorySeries) -> dict[str, Any]:
    return {
        **asdict(series.condition),
        "figure": series.figure.key,
        "sense": series.figure.sense,
        # Its name in 0.1.0, which the points have for their intervals.
        "overhead": series.figure.sense,
        "configuration": series.number,
        "current": series.current,
        "differs": [asdict(one) for one in series.differs],
        "p": series.course.p,
        "points": list(_points(series)),
        "changes": list(_changes(series)),
    }


def _changes(series: HistorySeries) -> Iterable[dict[str, Any]]:
    for change in series.course.changes:
        point, _ = series.measured[change.place]
        yield {
            "campaign": point.campaign,
            "uid": point.uid,
            "startTime": point.time,
            "before": change.before,
            "after": change.after,
            "p": change.p,
        }


def _points(series: HistorySeries) -> Iterable[dict[str, Any]]:
    for point in series.points:
        yield {
            "namespace": point.report.campaign.namespace,
            "campaign": point.campaign,
            "uid": point.uid,
            "startTime": point.time,
            "overhead": point.overhead and point.overhead.to_dict(),
            "blocks": point.blocks,
            "verdict": point.verdict,
        }
