"""A few lines that are rewritten in place on a terminal; elsewhere one line for each change."""

import shutil
import sys
from collections.abc import Callable, Sequence
from typing import TextIO

_UP = "\033[{}A"
_CLEAR = "\r\033[J"


class Screen:
    """`size` gives columns and rows, for tests; the terminal's own by default."""

    def __init__(
        self,
        out: TextIO | None = None,
        size: Callable[[], tuple[int, int]] = shutil.get_terminal_size,
    ) -> None:
        self._out = out or sys.stdout
        self._size = size
        self._terminal = self._out.isatty()
        self._height = 0
        self._last = ""

    @property
    def is_terminal(self) -> bool:
        """Whether lines are rewritten, and so may change each second."""
        return self._terminal

    def show(self, lines: Sequence[str], *, steady: str) -> None:
        """Replace what is shown; where that cannot be, add the first line when `steady` changed."""
        if not self._terminal:
            if steady != self._last:
                self._write(f"{lines[0]}\n")
                self._last = steady
            return
        width, height = self._size()
        # A line that wraps would be counted as one and stay behind.
        kept = [line[: width - 1] for line in lines[: height - 1]]
        self._write(self._back() + "\n".join(kept))
        self._height = len(kept)

    def close(self) -> None:
        """Leave what is shown and go on below it."""
        if self._terminal and self._height:
            self._write("\n")
        self._height = 0

    def _back(self) -> str:
        up = _UP.format(self._height - 1) if self._height > 1 else ""
        return up + _CLEAR

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
