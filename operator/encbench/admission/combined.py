"""Problems of several objects together. A problem that several combinations share appears once."""

from collections.abc import Callable, Iterable, Iterator

from encbench.admission.gather import CampaignParts
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import ENCRYPTION_MODE, INSTANCE_TEMPLATE, Kind
from encbench.core.problem import Problem

MOST = 200
"""Problems of one check: whoever wrote more has begun to correct them before reading to the end,
and a sentence for each of a matrix that is wrong throughout would not fit into memory."""


def of_combinations(
    found: CampaignParts,
    kinds: tuple[Kind, ...],
    link: str,
    judge: Callable[..., Iterable[Problem]],
) -> Iterator[Problem]:
    """Problems of each combination of the matrix; `judge` takes one spec of each kind."""

    def of_specs(*names: str) -> Iterable[Problem]:
        return judge(*map(lambda kind, name: found.parts[kind][name], kinds, names))

    return of_names(found, kinds, link, of_specs)


def of_names(
    found: CampaignParts,
    kinds: tuple[Kind, ...],
    link: str,
    judge: Callable[..., Iterable[Problem]],
) -> Iterator[Problem]:
    """The same where `judge` takes one name of each kind.

    Combinations are grouped by their object of the first kind, and `link` stands between it and the
    others.
    """
    groups: dict[tuple[str, Problem], list[tuple[str, ...]]] = {}
    for names in found.combinations(*kinds):
        for problem in judge(*names):
            group = (names[0], problem)
            if group in groups or len(groups) < MOST:
                groups.setdefault(group, []).append(names)
    for (name, problem), sharing in groups.items():
        place = kinds.index(problem.kind)
        subject = ", ".join(dict.fromkeys(names[place] for names in sharing))
        others = ", ".join(" in ".join(names[1:]) for names in sharing)
        yield problem.about(subject, f"{kinds[0].kind} {name} {link} {kinds[1].kind} {others}")


def of_pairs(
    found: CampaignParts,
    judge: Callable[[InstanceTemplateSpec, EncryptionModeSpec], Iterable[Problem]],
) -> Iterator[Problem]:
    """Problems of each instance with each of its modes."""
    return of_combinations(found, (INSTANCE_TEMPLATE, ENCRYPTION_MODE), "with", judge)
