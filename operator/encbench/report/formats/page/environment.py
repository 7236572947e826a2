"""What every page is rendered by: its templates, filters and style sheet."""

import re
from collections.abc import Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from encbench.report.formats.svg import PAGE_CSS
from encbench.report.formats.tables import TableColumn

if TYPE_CHECKING:
    import jinja2

_TEMPLATES = Path(__file__).parent / "templates"


def environment() -> "jinja2.Environment":
    """The templates, with `css` in each."""
    import jinja2  # noqa: PLC0415 - only a rendering pays for it

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["svg"] = _trusted
    made.filters["spans"] = _spans
    made.filters["breakable"] = _breakable
    made.globals["css"] = _trusted(PAGE_CSS.read_text(encoding="utf-8"))
    return made


def _spans(columns: Sequence[TableColumn]) -> list[tuple[str, int]]:
    """The groups of columns in order, each with how many columns it spans."""
    return [(name, len(list(found))) for name, found in groupby(columns, key=lambda c: c.group)]


def _breakable(heading: str) -> str:
    """The text with places for a new line, because a study's names and formulas are long words."""
    return _trusted(re.sub("[_/]", r"\g<0><wbr>", escape(heading)))


def _trusted(source: str) -> str:
    """Our own markup: plots, whose labels are escaped, and the style sheet."""
    from markupsafe import Markup  # noqa: PLC0415 - comes with jinja2

    return Markup(source)  # noqa: S704 - see above
