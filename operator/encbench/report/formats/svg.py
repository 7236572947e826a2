"""From a matplotlib figure to SVG that belongs to its page.

One drawing serves the light and the dark theme: stand-in colours become CSS variables, and text
stays text, in the page's font. The output has no date, no random id and no address, so equal
figures give equal bytes. Ids contain the drawing's name, because many drawings share a page.

Colours and sizes are attributes, and each variable has its light colour beside it: a server's
Content-Security-Policy or a mail program may take style sheets and `style` away, without which a
shape would be black.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

TREATMENTS = ("arm-1", "arm-2", "arm-3", "arm-4", "arm-5", "arm-6")
"""Colours of treatments; with more of them than colours, the shape tells two arms apart."""
_INKS = (
    *("ink", "muted", "line", "grid", "surface", "noise", "bad", "bad-soft"),
    *("baseline", "control", *TREATMENTS),
)
INK = {name: f"#fe00{number:02x}" for number, name in enumerate(_INKS)}
"""Stand-in colour by the name of its CSS variable."""

RC: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "encbench",
    "font.size": 10.5,
    "axes.edgecolor": INK["line"],
    "axes.labelcolor": INK["muted"],
    **dict.fromkeys(("axes.spines.top", "axes.spines.right", "axes.spines.left"), False),
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": INK["grid"],
    "grid.linewidth": 0.8,
    "xtick.color": INK["line"],
    "xtick.labelcolor": INK["muted"],
    "xtick.major.size": 0,
    "ytick.color": INK["line"],
    "ytick.labelcolor": INK["muted"],
    "ytick.major.size": 0,
    "figure.dpi": 72,
    "path.simplify": False,
}
"""Settings of every drawing; at 72 dpi a point is a pixel of the page."""

PAGE_CSS = Path(__file__).parent / "page" / "templates" / "page.css"
"""Gives the variables their colours."""


@cache
def _variables() -> dict[str, str]:
    """By stand-in colour, what stands in the page: the variable, or the light colour without it."""
    light = PAGE_CSS.read_text(encoding="utf-8").partition("@media")[0]
    colours = dict(re.findall(r"--([\w-]+): (#\w{6})", light))
    return {stand_in: f"var(--{name}, {colours[name]})" for name, stand_in in INK.items()}


@contextmanager
def drawn(width: float, height: float) -> Iterator[tuple[Any, Any]]:
    """An empty drawing of that many pixels, and its axes; draw and render within the context."""
    import matplotlib  # noqa: PLC0415 - a second that only a rendering pays
    from matplotlib.figure import Figure  # noqa: PLC0415

    with matplotlib.rc_context(RC):
        drawing = Figure(figsize=(width / 72, height / 72), layout="constrained")
        axes = drawing.subplots()
        for paper in (drawing.patch, axes.patch):
            paper.set_visible(False)
        yield drawing, axes


def render(drawing: Any, name: str, label: str) -> str:
    """The drawing as an `<svg>` element; `label` says in words what it shows.

    It grows with its column up to a third beyond its own size, so a drawing that fits a phone still
    matches the text size of a wide page.
    """
    out = io.StringIO()
    drawing.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return _inline(out.getvalue(), name, label)


def _inline(source: str, name: str, label: str) -> str:
    start = source.index("<svg")
    box = source[source.index('viewBox="', start) + 9 :].split('"', 1)[0]
    width = box.split()[2]
    body = source[source.index(">", start) + 1 : source.rindex("</svg>")]
    for pattern, replacement in _REWRITES:
        body = pattern.sub(replacement, body)
    body = _STYLE.sub(_attributes, body)
    body = re.sub(r"#fe00[0-9a-f]{2}", lambda found: _variables()[found[0]], body)
    body = _TAG.sub(lambda tag: _LONG.sub(lambda found: f"{float(found[0]):.2f}", tag[0]), body)
    used = set(re.findall(r'(?:url\(|")#([\w.-]+)', body))
    body = re.sub(r' id="([^"]+)"', lambda i: f' id="{name}-{i[1]}"' if i[1] in used else "", body)
    body = body.replace("url(#", f"url(#{name}-").replace('href="#', f'href="#{name}-')
    return (
        f'<svg role="img" aria-label="{escape(label)}" viewBox="{box}" '
        f'width="{4 / 3 * float(width):.0f}">\n{body.strip()}\n</svg>'
    )


def _attributes(style: re.Match[str]) -> str:
    """` fill="none" stroke-width="2"` in place of a `style` that says so."""
    parts = (part.partition(":") for part in style[1].split(";") if part.strip())
    return "".join(f' {name.strip()}="{value.strip()}"' for name, _, value in parts)


_STYLE = re.compile(r' style="([^"]*)"')
_TAG, _LONG = re.compile(r"<[^>]*>"), re.compile(r"-?\d+\.\d{3,}")
"""Numbers in tags are pixels, and two decimals of them suffice; those in text are figures."""
_REWRITES = tuple(
    (re.compile(pattern, re.DOTALL), replacement)
    for pattern, replacement in (
        (r"<metadata>.*?</metadata>", ""),
        (r"<!--.*?-->", ""),
        (r'<defs>\s*<style type="text/css">.*?</style>\s*</defs>', ""),
        (r"xlink:href", "href"),
        (r"font-family: [^;\"]+; ?", ""),
        (r"font: (?:\w+ )?([\d.]+)px [^;\"]+", r"font-size: \1px"),
        (r' transform="rotate\(-0 [^"]*\)"', ""),
        (r"\n\s*", "\n"),
    )
)
"""Removes what only a stand-alone SVG needs; text takes the page's font."""
