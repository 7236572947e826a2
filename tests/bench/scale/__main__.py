"""The command line: measure the ceiling, then the operator, and judge."""

import argparse
import asyncio
from pathlib import Path

from tests.bench import program
from tests.bench.scale import inputs, measure, plane
from tests.bench.scale.ceiling import AT_ONCE
from tests.bench.scale.figures import ENOUGH, table


def main() -> int:
    """Measure and judge; the exit code is 1 where a figure is not as it must be."""
    parser = argparse.ArgumentParser(prog="make bench-scale", description=__doc__)
    parser.add_argument("--campaigns", type=int, default=100, help="that run at once (100)")
    parser.add_argument("--trials", type=int, default=100, help="of each campaign (100); 0: none")
    parser.add_argument(
        "--ceiling",
        type=int,
        default=1000,
        help="trials of the replay without the operator (1000); 0: none",
    )
    parser.add_argument(
        "--present",
        type=int,
        default=10_000,
        help="finished trials that one more campaign is given before it goes on (10000); 0: none",
    )
    parser.add_argument(
        "--controller-qps",
        type=float,
        default=plane.FASTEST,
        help="requests a second of the scheduler and of each controller (1000); Kubernetes' own "
        "default is 20 for controllers",
    )
    parser.add_argument("--keep", type=Path, help="folder for the operator's log")
    chosen = parser.parse_args()
    if 0 < chosen.ceiling < (least := ENOUGH * AT_ONCE):
        parser.error(f"--ceiling: {AT_ONCE} trials are under way at once, so {least} or more, or 0")
    if chosen.trials and inputs.alike(1, chosen.trials)[0].trials < ENOUGH:
        blocks = -(-ENOUGH // inputs.ARMS)
        parser.error(f"--trials: {blocks} blocks of {inputs.ARMS} trials or more, or 0")
    with plane.running(chosen.controller_qps) as ground:
        log = (chosen.keep or ground.folder) / "operator.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        figures = asyncio.run(
            measure.measured(
                ground, chosen.campaigns, chosen.trials, chosen.ceiling, chosen.present, log
            )
        )
    print(table(figures))
    missed = [one.what for one in figures if not one.ok]
    print(f"missed: {'; '.join(missed)}" if missed else "all as asked for")
    return bool(missed)


if __name__ == "__main__":
    program.run(main)
