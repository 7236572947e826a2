"""The files of a run in the bucket: their names, and the columns of the series."""

OUTPUT = "output.log"
"""The tool's own output, unchanged."""
SERIES = "series.csv"
"""One line per second, under `SERIES_COLUMNS`."""
SUMMARY = "summary.json"
"""A `wire.recorder.Summary`."""
SLICES = "slices.json"
"""A `wire.slices.SlicesFile`; of an interleaved block only, stored after the others."""
LARGEST = 16 * 2**20
"""Bytes of a file that the operator reads. A day of sysbench with a line per second has 13 MiB; a
longer load than this has room for is refused (`tools.printed`)."""
LARGEST_JSON = {SUMMARY: 64 * 2**10, SLICES: 2 * 2**20}
"""The same of files that are parsed as a whole, because JSON grows thirtyfold in memory. A summary
has 2 KiB, and the slices of 1,000 rounds half a MiB; `core.slices` bounds their values as well."""
MOST_LINES = 400_000
"""Lines of a file that are parsed. A day of a tool with a line per second has 86,400; each of them
takes some hundred bytes of memory while it is parsed."""
FILES = (OUTPUT, SERIES, SUMMARY)
"""What a recorder stores, in this order."""
TIMETABLE = "timetable"
"""When the tool may run, in an interleaved block: from the recorder to the turnstile."""
COUNTERS = "counters"
"""Where the tool counts its events."""

SERIES_TIME = "time"
"""Unix time; the line's rates are those of the second that ended then."""
SERIES_TPS = "tps"
SERIES_COLUMNS = (
    *(SERIES_TIME, SERIES_TPS, "qps", "latency_p95_ms", "errors"),
    *("cpu_seconds", "resident_bytes"),
)
"""`cpu_seconds` is a counter; an unknown field is empty."""

SUMMARY_SCHEMA = "encbench.io/client-summary/v1"


def of_client(index: int, name: str) -> str:
    """A replica's file, relative to the trial's folder."""
    return f"client-{index}/{name}"
