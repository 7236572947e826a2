"""Whether a campaign can be carried out, as the operator and `kubectl encbench plan` decide it.

Everything that is wrong is said at once, and nothing is started until all of it is right.
"""

from collections.abc import Callable, Iterable

from encbench.admission import (
    columns,
    engines,
    external,
    keys,
    memory,
    precision,
    recovery,
    references,
    tools,
    volumes,
)
from encbench.admission.gather import CampaignParts, Installed, gather
from encbench.api.campaign import CampaignSpec
from encbench.core.problem import Problem
from encbench.ports import Reader

CHECKS: tuple[Callable[[CampaignParts], Iterable[Problem]], ...] = (
    references.check,
    tools.check,
    engines.check,
    tools.check_runs,
    memory.check,
    recovery.check,
    keys.check,
    external.check,
    columns.check,
    volumes.check,
    precision.check,
)
"""In the order in which a user reads the answers. Each is pure."""


async def admit(
    reader: Reader,
    namespace: str,
    name: str,
    campaign: CampaignSpec,
    installed: Installed | None = None,
) -> tuple[CampaignParts, tuple[Problem, ...]]:
    """What the campaign names, and all that is wrong with it: nothing where it can be carried out.

    Without `installed` no check asks what an installation allows and a cluster offers. Unavailable
    when the API server is away.
    """
    found = await gather(reader, namespace, name, campaign, installed)
    problems = {problem.text: problem for check in CHECKS for problem in check(found)}
    return found, tuple(problems.values())
