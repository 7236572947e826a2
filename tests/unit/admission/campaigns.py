"""A campaign with the objects that it names, and what admission finds wrong with it."""

from typing import Any

from encbench.admission.checks import admit
from encbench.admission.gather import Installed
from encbench.api.campaign import CampaignSpec
from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD
from encbench.cli.manifests import Manifests, Offline
from encbench.core.problem import Problem
from encbench.ports import Body
from tests.support import manifests

SPACE = "bench"
FULL = Installed(proxy=True, fuse=True, turnstile=True)


def mode(**spec: Any) -> Body:
    """The mode that the campaign compares with `plain`."""
    return manifests.body(ENCRYPTION_MODE, "enc", SPACE, **spec)


def template(**spec: Any) -> Body:
    """The instance that the campaign measures."""
    return manifests.body(INSTANCE_TEMPLATE, "small", SPACE, **spec)


def workload(**spec: Any) -> Body:
    """The workload that the campaign runs."""
    return manifests.body(WORKLOAD, "oltp", SPACE, **spec)


def study(**spec: Any) -> Body:
    """The campaign; `spec` replaces fields."""
    matrix = [{"instanceRefs": ["small"], "modeRefs": ["enc"], "workloadRefs": ["oltp"]}]
    return manifests.body(CAMPAIGN, "study", SPACE, **{"matrix": matrix, **spec})


async def admitted(*changed: Body, installed: Installed | None = FULL) -> tuple[Problem, ...]:
    """Problems of a campaign that is sound but for these objects in place of its own."""
    usual = [template(), mode(), workload(), study()]
    usual.append(manifests.body(ENCRYPTION_MODE, "plain", SPACE))
    bodies = {
        (body["kind"], body["metadata"].get("namespace", ""), body["metadata"]["name"]): body
        for body in [*usual, *changed]
    }
    spec = CampaignSpec.model_validate(bodies["Campaign", SPACE, "study"]["spec"])
    _, problems = await admit(Offline(Manifests(bodies)), SPACE, "study", spec, installed)
    return problems


SCRIPT = {"scriptConfigMapRef": {"name": "mine", "key": "mine.lua"}}
