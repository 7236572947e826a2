"""The docs' pictures of a report, from the page that `make demo` has left: `make pictures`."""

import asyncio
import json
import sys
from pathlib import Path

from tests.demo import PAGE
from tests.support.browser import browser
from tests.support.kube import REPO

FOLDER = REPO / "docs" / "pictures"
WIDTH = 900
PICTURES = {
    "answers": ("body", ".answers"),
    "plots": (".result h3", ".result figure:nth-of-type(4)"),
}
"""Each from the top of one element of the page to the bottom of another."""
_EDGES = """(([first, last]) => {
  const top = document.querySelector(first).getBoundingClientRect().top + window.scrollY;
  const bottom = document.querySelector(last).getBoundingClientRect().bottom + window.scrollY;
  return [top, bottom];
})(%s)"""
MARGIN = 8
"""CSS pixels above and below."""


async def draw(page: Path) -> None:
    """Write every picture of that report."""
    FOLDER.mkdir(exist_ok=True)
    async with browser() as tab:
        await tab.look(width=WIDTH, height=900, scheme="light")
        await tab.open(page.as_uri())
        for name, ends in PICTURES.items():
            top, bottom = await tab.evaluate(_EDGES % json.dumps(ends))
            top, bottom = max(0.0, top - MARGIN), bottom + MARGIN
            area = {"x": 0.0, "y": top, "width": float(WIDTH), "height": bottom - top}
            (FOLDER / f"{name}.png").write_bytes(await tab.clipped(area))


if __name__ == "__main__":
    chosen = Path(sys.argv[1]) if sys.argv[1:] else PAGE
    if not chosen.exists():
        sys.exit(f"{chosen} does not exist: run `make demo` first, or name another page")
    asyncio.run(draw(chosen.resolve()))
