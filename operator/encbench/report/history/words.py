"""What a history says, in sentences and in the columns of tables."""

from collections.abc import Iterable

from encbench.core.statistics.changes import LevelChange
from encbench.report.formats.tables import INTERVAL, VERDICT, TableColumn, column
from encbench.report.history.series import History, HistorySeries
from encbench.report.words import text
from encbench.text.words import capitalised, plural

HOW = (
    "Each point is a campaign's estimate with its paired 95 % interval. A change of level is shown "
    "where a split of a series separates high from low better than it would in random orders of "
    "the same campaigns: the test goes by the scatter from campaign to campaign, and not by their "
    "intervals. A level is a median. The newest series of all conditions have an error of at "
    "most 5 % together, so each is tested at {level}. That is the error of one look: of simulated "
    "series that never change, 13 % showed a rise at least once by night 30 where each night was "
    "looked at, and 27 % by night 90. A change says when, and not why: compare the reports before "
    "and after it."
)
MOST = 3
"""Differing facts that a sentence names."""


def how(history: History) -> str:
    """How to read it."""
    return HOW.format(level=text.margin(float(f"{history.level:.2g}")))


def summary(history: History) -> str:
    """How much there is, and where a level changed."""
    campaigns = plural(len(history.reports), "campaign")
    times = [point.time for one in history.series for point in one.points]
    first, last = (time.partition("T")[0] for time in (min(times), max(times)))
    changed = [one for one in history.series if one.course.changes]
    found = f"{len(changed)} of {len(history.series)} series changed level"
    return f"{campaigns} from {first} to {last}; {found}."


def title(series: HistorySeries) -> str:
    """`tde, oltp-read-write at 4 threads on small: loss of TPS`."""
    which = f", configuration {series.number}" if series.number > 1 else ""
    return f"{series.condition.name}{which}: {series.figure.effect}"


def configuration(series: HistorySeries) -> str:
    """Why it is a series of its own; empty for the first configuration of a condition."""
    if not series.differs:
        return ""
    said = [f"{it.name} is {it.b} and was {it.a}" for it in series.differs[:MOST]]
    left = len(series.differs) - MOST
    more = [plural(left, "more fact")] if left > 0 else []
    return f"Kept apart from configuration 1: {'; '.join([*said, *more])}."


def finding(history: History, series: HistorySeries) -> str:
    """What the test says of one series."""
    count = len(series.measured)
    if series.course.p is None:
        return (
            f"{capitalised(plural(count, 'campaign'))}: too few for the test, which needs "
            f"{history.needed} here."
        )
    p = f"p {text.probability(series.course.p, history.level)}"
    if not series.course.changes:
        return f"No change of level is shown in {plural(count, 'campaign')} ({p})."
    return " ".join(_change(history, series, change) for change in series.course.changes)


def _change(history: History, series: HistorySeries, change: LevelChange) -> str:
    point, _ = series.measured[change.place]
    return (
        f"{direction(change).capitalize()} from {point.campaign} on "
        f"({point.time.partition('T')[0]}): {text.percent(change.after)} after "
        f"{text.percent(change.before)} (p {text.probability(change.p, history.level)})."
    )


def direction(change: LevelChange) -> str:
    """Where the level went."""
    return "higher" if change.after > change.before else "lower"


def columns(series: HistorySeries) -> list[TableColumn]:
    """A line for each campaign, the oldest first."""
    points, measured = series.points, [point.uid for point, _ in series.measured]
    changes = {measured[it.place]: direction(it) for it in series.course.changes}
    levels = dict(zip(measured, series.levels, strict=True))
    is_loss = series.figure.sense == "loss"
    shown = text.percent if is_loss else text.signed_percent
    alone = text.alone_beside if is_loss else text.signed_alone_beside
    found = [(point.report.spec.margin, point.overhead) for point in points]
    return [
        column("", "campaign", (point.campaign for point in points), numeric=False),
        column("", "started", map(minute, (point.time for point in points)), numeric=False),
        column("", series.figure.sense, (alone(*one) for one in found)),
        column("", INTERVAL, (text.bounds_beside(*one) for one in found)),
        column("", "level", (shown(levels.get(point.uid)) for point in points)),
        column("", "change", (changes.get(point.uid, "") for point in points), numeric=False),
        column("", "blocks", (f"{point.blocks:,}" for point in points)),
        column("", VERDICT, (point.verdict for point in points), numeric=False),
    ]


def minute(time: str) -> str:
    """`2026-01-01 00:00`, in UTC."""
    return time[:16].replace("T", " ")


def said(history: History, series: HistorySeries) -> Iterable[str]:
    """Every sentence about one series."""
    yield finding(history, series)
    if words := configuration(series):
        yield words
