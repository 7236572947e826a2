"""Whether the engines that the operator runs can do what the modes ask for."""

from collections.abc import Iterable, Iterator

from encbench.admission.combined import of_pairs
from encbench.admission.gather import CampaignParts
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.core.problem import Problem
from encbench.engines.registry import engine


def check(found: CampaignParts) -> Iterator[Problem]:
    """Versions, modes and settings, as each engine judges them."""
    return of_pairs(found, _problems)


def _problems(instance: InstanceTemplateSpec, mode: EncryptionModeSpec) -> Iterable[Problem]:
    return () if instance.is_external else engine(instance.engine).problems(instance, mode)
