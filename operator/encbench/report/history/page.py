"""The history as a page: one self-contained HTML file, as a report's page is."""

from dataclasses import dataclass

from encbench.report.formats.page.environment import environment
from encbench.report.formats.tables import TableColumn
from encbench.report.history import words
from encbench.report.history.plot import plot
from encbench.report.history.series import History


@dataclass(frozen=True)
class _Shown:
    """One series on the page."""

    title: str
    said: tuple[str, ...]
    changed: bool
    svg: str
    columns: list[TableColumn]


def page(history: History) -> str:
    """The history as HTML."""
    return (
        environment()
        .get_template("history.html.j2")
        .render(
            summary=words.summary(history),
            how=words.how(history),
            series=[
                _Shown(
                    words.title(one),
                    tuple(words.said(history, one)),
                    bool(one.course.changes),
                    plot(one, f"h{number}"),
                    words.columns(one),
                )
                for number, one in enumerate(history.series)
            ],
        )
    )
