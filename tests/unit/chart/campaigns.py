"""The campaigns that we give: their parts as models, their files, and the room that a node has."""

import asyncio
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from encbench.admission.checks import admit
from encbench.admission.gather import CampaignParts
from encbench.api.campaign import CampaignSpec
from encbench.api.kinds import CAMPAIGN, SECRET
from encbench.api.resources import RESOURCES
from encbench.api.scalars import parse_quantity
from encbench.cli.manifests import Manifests, Offline
from encbench.cli.outline import Outline, outline
from encbench.core.problem import Problem
from tests.support import kustomize
from tests.support.chart import REPO, Rendered

CAMPAIGNS = REPO / "campaigns"
SPACE = "encbench"
CLUSTER = {"CoreDNS": 0.010, "local-path-provisioner": 0.010}
"""Requests of what tests.cluster installs besides."""
NODE = 2.0
"""Cores of the machine that the small ones are for."""

Specs = Mapping[tuple[str, str], Any]


@cache
def parsed(folder: Path) -> Specs:
    """Specs of a folder's parts by kind and name."""
    models = {resource.kind.kind: resource.spec for resource in RESOURCES}
    return {
        (body["kind"], body["metadata"]["name"]): models[body["kind"]].model_validate(body["spec"])
        for body in kustomize.built(folder)
    }


def all_of(specs: Specs, kind: str) -> dict[str, Any]:
    """Specs of a kind by name."""
    return {name: spec for (own, name), spec in specs.items() if own == kind}


def the(specs: Specs, kind: str) -> Any:
    """The one spec of a kind; an error unless there is exactly one."""
    (found,) = all_of(specs, kind).values()
    return found


def problems_of(folder: Path) -> list[str]:
    """What the operator would say against the folder's campaigns.

    Without the Secrets and the jar's digest that the user adds.
    """
    return [
        problem.text
        for _, _, problems in _admitted(folder)
        for problem in problems
        if problem.kind != SECRET and "64 zeros stand for the digest" not in problem.text
    ]


def planned(folder: Path) -> dict[str, Outline]:
    """What `plan` says of each of the folder's campaigns, by its name."""
    return {name: outline(parts.campaign, parts.freeze({})) for name, parts, _ in _admitted(folder)}


def _admitted(folder: Path) -> list[tuple[str, CampaignParts, tuple[Problem, ...]]]:
    bodies = kustomize.built(folder)
    held = Manifests({(body["kind"], SPACE, body["metadata"]["name"]): body for body in bodies})
    assert held.of(CAMPAIGN)
    return [
        (name, *asyncio.run(admit(Offline(held), SPACE, name, spec)))
        for body in held.of(CAMPAIGN)
        for name in [body["metadata"]["name"]]
        for spec in [CampaignSpec.model_validate(body["spec"])]
    ]


def infrastructure(default: Rendered) -> float:
    """Cores that the cluster's own pods and the chart's request."""
    return sum(CLUSTER.values()) + sum(
        parse_quantity(container["resources"]["requests"]["cpu"])
        for name, container in default.containers()
        if not name.endswith(("-check", "-let-go"))
    )


def assert_said(folder: Path, cores: float) -> None:
    """The folder's kustomization tells people how much of the machine it takes."""
    said = (folder / "kustomization.yaml").read_text(encoding="utf-8")
    share = f"{round(1000 * cores)} of {round(1000 * NODE)}"
    assert share in said, f"{folder}/kustomization.yaml does not say that it takes {share}"
