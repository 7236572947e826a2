"""A terminal whose encoding lacks letters."""

import io


class EncodedTerminal(io.TextIOWrapper):
    """Standard output of a locale that is not UTF-8."""

    def __init__(self, encoding: str) -> None:
        self._bytes = io.BytesIO()
        super().__init__(self._bytes, encoding, newline="\n")

    def isatty(self) -> bool:
        """As a terminal says."""
        return True

    def written(self) -> str:
        """What it shows by now."""
        self.flush()
        return self._bytes.getvalue().decode(self.encoding)
