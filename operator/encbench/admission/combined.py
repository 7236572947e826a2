"""Problems of several objects together, each said once for all modes that share it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from encbench.admission.gather import CampaignParts
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import ENCRYPTION_MODE, INSTANCE_TEMPLATE, Kind
from encbench.core.problem import Problem

Names = Mapping[Kind, str]
"""One combination: the name of its object of each kind."""


def once(
    first: Kind,
    found: Iterable[tuple[Names, Problem]],
    where: Callable[[str, Sequence[Names]], str],
) -> Iterator[Problem]:
    """Each problem of an object of the kind `first`, once for all combinations that share it."""
    groups: dict[tuple[str, Problem], list[Names]] = {}
    for names, problem in found:
        groups.setdefault((names[first], problem), []).append(names)
    for (name, problem), combinations in groups.items():
        subject = ", ".join(dict.fromkeys(names[problem.kind] for names in combinations))
        yield problem.about(subject, where(name, combinations))


def of_pairs(
    found: CampaignParts,
    judge: Callable[[InstanceTemplateSpec, EncryptionModeSpec], Iterable[Problem]],
) -> Iterator[Problem]:
    """What an instance and a mode are wrong in together."""
    return once(
        INSTANCE_TEMPLATE,
        (
            ({INSTANCE_TEMPLATE: instance, ENCRYPTION_MODE: mode}, problem)
            for instance, mode in found.combinations(INSTANCE_TEMPLATE, ENCRYPTION_MODE)
            for problem in judge(found.instances[instance], found.modes[mode])
        ),
        lambda name, pairs: (
            f"InstanceTemplate {name} with EncryptionMode "
            f"{', '.join(names[ENCRYPTION_MODE] for names in pairs)}"
        ),
    )
