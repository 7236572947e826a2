"""Whether a campaign can be carried out, as the operator and `kubectl encbench plan` decide it.

All problems are reported at once, and nothing starts until there are none.
"""

import asyncio
from collections.abc import Callable, Iterable

from encbench.admission import allowed, cells, external, modes, programs, references
from encbench.admission import campaign as settings
from encbench.admission.gather import CampaignParts, Installed, Lookup, gather
from encbench.api.campaign import CampaignSpec
from encbench.core.problem import Problem

CHECKS: tuple[Callable[[CampaignParts], Iterable[Problem]], ...] = (
    settings.extension,
    references.check,
    allowed.check,
    programs.tools,
    programs.engines,
    programs.runs,
    programs.loads,
    programs.memory,
    programs.proxies,
    settings.recovery,
    settings.reads,
    settings.cold,
    modes.keys,
    external.check,
    modes.columns,
    modes.volumes,
    cells.names,
    cells.pairs,
    settings.trials,
    settings.rounds,
    settings.numbers,
    settings.parallelism,
    settings.interleave,
)
"""In the order in which users read the answers. Each is pure."""


async def admit(
    reader: Lookup,
    namespace: str,
    name: str,
    campaign: CampaignSpec,
    installed: Installed | None = None,
) -> tuple[CampaignParts, tuple[Problem, ...]]:
    """What the campaign names, and all its problems; none means that it can run.

    Without `installed`, no check considers what an installation allows and a cluster offers.
    Unavailable when the API server is away.
    """
    found = await gather(reader, namespace, name, campaign, installed)
    if installed is not None:
        found = found.with_images(installed.images)
    # Not in the event loop: a large matrix takes seconds.
    return found, await asyncio.to_thread(_judged, found)


def _judged(found: CampaignParts) -> tuple[Problem, ...]:
    problems = {problem.text: problem for check in CHECKS for problem in check(found)}
    return tuple(problems.values())
