"""What a server's log says about a start: which process it was, and whether it recovered; pure.

The log belongs to one container, so it begins with the process that runs in it. The process is
identified by its number all the same: right after a restart the kubelet may still return the log of
the previous container.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from encbench.wire.foreign import LONGEST


@dataclass(frozen=True)
class LogWords:
    """One engine's words, as patterns."""

    started: str
    """Pattern of the line that reports a process' start; `PID` stands for its number."""
    recovered: tuple[str, ...]
    """Patterns of lines that only a recovery from a crash writes. Each must match a line."""
    further: tuple[str, ...] = ()
    """Patterns of lines with further details, for readers of the evidence."""

    def of_process(self, log: str, process_id: int) -> list[str] | None:
        """The lines from that process' start on; None where it does not start in this log."""
        lines = [line[:LONGEST] for line in log.splitlines()]
        starts = re.compile(self.started.replace("PID", str(process_id)))
        found = next((n for n, line in enumerate(lines) if starts.search(line)), None)
        return None if found is None else lines[found:]

    def recovering(self, lines: Sequence[str]) -> list[str]:
        """The lines that report a recovery from a crash, in order."""
        words = re.compile("|".join((*self.recovered, *self.further)))
        return [line for line in lines if words.search(line)]

    def has_recovered(self, lines: Sequence[str]) -> bool:
        """Whether these lines report a complete recovery from a crash."""
        return all(any(re.search(words, line) for line in lines) for words in self.recovered)

    def has_begun(self, lines: Sequence[str]) -> bool:
        """Whether any line is one that only a recovery from a crash writes."""
        return any(re.search(words, line) for words in self.recovered for line in lines)
