"""What the report of a campaign of ten thousand trials takes: `make bench-report`, TRIALS=10000.

The records are synthetic, so that no cluster is needed. One process writes them into a folder; a
fresh one builds and renders the report, as the operator does, and is measured. Each read is as slow
as that of an object store. The bounds are those that the operator is held to.
"""

import argparse
import json
import multiprocessing
import resource
import tempfile
import time
from pathlib import Path

from encbench.core.artefact import decode, encode
from encbench.core.records import IndexRecord
from encbench.report.analysis.bucket import ObjectMissing
from encbench.report.analysis.build import build, to_status
from encbench.report.formats.render import render
from tests.bench import program
from tests.data.report.synthetic import Study, write

SECONDS, MEBIBYTES = 60.0, 350.0
STATUS_BYTES = 1 << 20
"""Of the OverheadReport's status; etcd takes half as much again."""
LATENCY = 0.005
"""Seconds that a read takes."""
INSTANCES, CONCURRENCY, ARMS = 8, (1, 4, 16, 64), 3


def prepare(folder: Path, trials: int, rounds: int) -> None:
    """Write the objects of a campaign of about so many trials; interleaved if it has rounds."""
    blocks = max(2, round(trials / (INSTANCES * len(CONCURRENCY) * ARMS)))
    names = tuple(f"instance-{n}" for n in range(INSTANCES))
    index, objects = write(
        Study(instances=names, concurrency=CONCURRENCY, blocks=blocks, rounds=rounds)
    )
    for key, content in objects.items():
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / "index.json").write_bytes(encode(index))


def measure(folder: Path, found: "multiprocessing.Queue[dict[str, float]]") -> None:
    """Build and render the report; seconds, MiB and bytes go into the queue."""

    def load(key: str) -> bytes:
        time.sleep(LATENCY)
        try:
            return (folder / key).read_bytes()
        except FileNotFoundError as error:
            raise ObjectMissing(key) from error

    # The operator renders in its own process, whose weight counts.
    import encbench.__main__  # noqa: F401

    base = _resident()
    began = time.monotonic()
    index = decode(IndexRecord, (folder / "index.json").read_bytes(), "index.json")
    report = build(index, load)
    built, after_build = time.monotonic() - began, _resident()
    files = render(report)
    found.put(
        {
            "trials": len(report.trials),
            "rows": len(report.rows),
            "seconds": time.monotonic() - began,
            "of these to read and build": built,
            "MiB": _resident(),
            "MiB before": base,
            "MiB after building": after_build,
            "bytes of the status": len(json.dumps(to_status(report).to_dict())),
            "bytes of the largest file": max(len(one.content) for one in files.values()),
        }
    )


def _resident() -> float:
    """The most that this process has had in memory so far, MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    """Measure and judge; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=0, help="of each block; 0 is sequential")
    asked = parser.parse_args()
    spawn = multiprocessing.get_context("spawn")
    queue: multiprocessing.Queue[dict[str, float]] = spawn.Queue()
    with tempfile.TemporaryDirectory() as name:
        for work in (
            spawn.Process(target=prepare, args=(Path(name), asked.trials, asked.rounds)),
            spawn.Process(target=measure, args=(Path(name), queue)),
        ):
            work.start()
            work.join()
            if work.exitcode:
                return 1
    found = queue.get()
    for what, value in found.items():
        print(f"{what}: {value:,.0f}" if value >= 100 else f"{what}: {value:.1f}")
    limits = {"seconds": SECONDS, "MiB": MEBIBYTES, "bytes of the status": STATUS_BYTES}
    over = [f"{what} > {limit:,.0f}" for what, limit in limits.items() if found[what] > limit]
    print("; ".join(over) or "all within the bounds")
    return bool(over)


if __name__ == "__main__":
    program.run(main)
