"""Every rendering of a report, ready for the bucket. Each is a pure function of the report.

HTML takes a second or two, mostly for drawing: call it from a thread, not from an event loop.
"""

from dataclasses import dataclass

from encbench.core.artefact import encode
from encbench.report.document import Report
from encbench.report.formats.csvrows import csv_rows, csv_study
from encbench.report.formats.csvturns import csv_checks, csv_slots, csv_work
from encbench.report.formats.markdown import markdown
from encbench.report.formats.page import page

_CSV = "text/csv; charset=utf-8"


@dataclass(frozen=True)
class Rendering:
    """One file of the folder `report/`."""

    name: str
    content: bytes
    content_type: str


def render(report: Report) -> dict[str, Rendering]:
    """By format: `texts`, and html (the page)."""
    html = Rendering("report.html", page(report).encode(), "text/html; charset=utf-8")
    return {**texts(report), "html": html}


def texts(report: Report) -> dict[str, Rendering]:
    """By format: json (the whole report), csv (the rows) and markdown (tables).

    In addition, one CSV for each of the studies' tables, by its name, and three about interleaved
    blocks. What draws the page is not needed here.
    """
    more = {f"study-{table.name}": csv_study(table).encode() for table in report.studies}
    if any(group.interleaving is not None for group in report.groups):
        more["interleaved-servers"] = csv_work(report).encode()
        more["interleaved-checks"] = csv_checks(report).encode()
        more["interleaved-slots"] = csv_slots(report).encode()
    return {
        "json": Rendering("report.json", encode(report), "application/json"),
        "csv": Rendering("report.csv", csv_rows(report).encode(), _CSV),
        "markdown": Rendering(
            "report.md", markdown(report).encode(), "text/markdown; charset=utf-8"
        ),
        **{name: Rendering(f"{name}.csv", rows, _CSV) for name, rows in more.items()},
    }
