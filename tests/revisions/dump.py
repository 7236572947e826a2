"""Writes everything that a revision produces for the same inputs into a folder of files."""

import asyncio
from pathlib import Path

from tests.revisions import rendering, surface
from tests.revisions.scenarios import scenarios
from tests.revisions.simulated import simulate


def main(folder: Path) -> None:
    """Write `worlds/`, `reports/` and `commands/`; AssertionError when a campaign ends wrong.

    Everything is written before the error is raised, so that the differences show the cause.
    """
    draw = surface.quicken()
    unexpected = []
    for scenario in scenarios():
        end = asyncio.run(simulate(scenario, folder / "worlds" / scenario.name))
        if end is not None:
            unexpected.append(f"{scenario.name}: {end}")
    draw()
    rendering.render_studies(folder)
    rendering.call_commands(folder)
    assert not unexpected, "\n".join(unexpected)
