"""sysbench's lines while it runs. Standard library only: the recorder imports this at its start.

A periodic line looks like this (`sysbench.parser` has the details):

    [ 7s ] thds: 2 tps: 19.00 qps: 380.0 (r/w/o: 266.0/76.0/38.0) lat (ms,95%): 1.86 err/s: 0.00 …
"""

from encbench.tools.progress import Mark, Sample

_WORDS = {3: "thds:", 5: "tps:", 7: "qps:", 9: "(r/w/o:", 11: "lat", 14: "err/s:"}


def progress(line: str) -> Sample | None:
    """The periodic report in this line, or None for any other line and for a damaged one."""
    if not line.startswith("[ "):
        return None
    words = line.split()
    if len(words) < 16 or any(words[place] != word for place, word in _WORDS.items()):
        return None
    try:
        sample = Sample(
            second=int(words[1].removesuffix("s")),
            tps=float(words[6]),
            qps=float(words[8]),
            latency_p95_ms=float(words[13]),
            errors=float(words[15]),
        )
    except ValueError:
        return None
    return sample if sample.is_possible else None


def when(_: str) -> None:
    """None: sysbench's lines contain no time of day."""


def mark(line: str) -> Mark | None:
    """`Threads started!` and the headline of the checkpoint report."""
    if line == "Threads started!":
        return Mark.STARTED
    if line.startswith("[ ") and line.endswith(" ] Checkpoint report:"):
        return Mark.CHECKPOINT
    return None
