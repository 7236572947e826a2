"""The output of a TPC-C client as a measurement: encbench's own, or BenchmarkSQL's 5 or 6.

TPS is tpmTOTAL / 60, over all five transactions; New-Orders per second, tpmC / 60, are separate.
(The published PolarDB-X study says that it divides "tpmC" by 60; its TPS can only be the total.)
The lines show which client wrote the output, so a parser needs only the text.
"""

from encbench.tools.measurement import Measurement, ParseError
from encbench.tools.tpcc import benchmarksql, own
from encbench.tools.tpcc.progress import OWN


def parse(output: str) -> Measurement:
    """The measured window in the complete output of one client; ParseError for anything else."""
    lines = [line.rstrip() for line in output.replace("\b", "\n").split("\n")]
    if any(line.startswith(OWN) for line in lines):
        return own.parse(lines)
    if any(benchmarksql.is_6(line) for line in lines):
        return benchmarksql.parse_6(lines)
    if any(benchmarksql.is_5(line) for line in lines):
        return benchmarksql.parse_5(lines)
    last = next((line for line in reversed(lines) if line.strip()), "nothing")
    raise ParseError(f"the output is no TPC-C client's: it ends with {last.strip()[:160]!r}")
