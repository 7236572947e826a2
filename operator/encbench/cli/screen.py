"""A few lines that are rewritten in place on a terminal; elsewhere one line for each change."""

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from encbench.cli.output import as_written, harmless
from encbench.text.lines import ELLIPSIS, within

PLAIN = ("", "dumb")
"""Values of TERM by which a terminal rewrites nothing."""


class Screen:
    """`size` gives columns and rows, for tests; the terminal's own by default."""

    def __init__(
        self,
        out: TextIO | None = None,
        size: Callable[[], tuple[int, int]] = shutil.get_terminal_size,
    ) -> None:
        self._out = out or sys.stdout
        self._size = size
        self.is_terminal = self._out.isatty() and os.environ.get("TERM", "") not in PLAIN
        """Lines are rewritten, and so may change each second."""
        self._height = 0
        self._last = ""

    def show(self, lines: Sequence[str], *, steady: str) -> None:
        """Replace the lines; not on a terminal, add the first one when `steady` has changed."""
        if self.is_terminal:
            width, height = self._size()
            # A line that wraps would be counted as one and stay behind.
            shown = [as_written(harmless(line), self._out) for line in lines[: height - 1]]
            end = as_written(ELLIPSIS, self._out)
            kept = [within(line, width - 1, end) for line in shown]
            up = f"\033[{self._height - 1}A" if self._height > 1 else ""
            self._write(up + "\r\033[J" + "\n".join(kept))
            self._height = len(kept)
        elif steady != self._last:
            self._write(f"{harmless(lines[0])}\n")
            self._last = steady

    def close(self) -> None:
        """Leave the lines on the screen and go on below them."""
        if self._height:
            self._write("\n")
        self._height = 0

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
