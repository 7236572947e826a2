"""Whether the engines that the operator runs can do what modes and workloads ask of them."""

from collections.abc import Iterable, Iterator

from encbench.admission.combined import of_combinations, of_pairs
from encbench.admission.gather import CampaignParts
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import INSTANCE_TEMPLATE, WORKLOAD
from encbench.api.workload import WorkloadSpec
from encbench.core.problem import Problem
from encbench.core.session_memory import Sessions
from encbench.engines.registry import engine
from encbench.engines.setting_names import unknown
from encbench.tools.registry import tool


def check(found: CampaignParts) -> Iterator[Problem]:
    """Versions, modes and settings, as each engine judges them."""
    return of_pairs(found, _problems)


def check_memory(found: CampaignParts) -> Iterator[Problem]:
    """Whether each server has memory for the sessions that the workloads open at once."""
    return of_combinations(found, (INSTANCE_TEMPLATE, WORKLOAD), "with", _room)


def unknown_settings(found: CampaignParts) -> Iterator[Problem]:
    """Notes on settings that encbench does not know; the server alone decides about them."""
    for name, instance in found.instances.items():
        for problem in () if instance.is_external else unknown(instance):
            yield problem.about(name, f"InstanceTemplate {name}")


def _problems(instance: InstanceTemplateSpec, mode: EncryptionModeSpec) -> Iterable[Problem]:
    return () if instance.is_external else engine(instance.engine).problems(instance, mode)


def _room(instance: InstanceTemplateSpec, workload: WorkloadSpec) -> Iterable[Problem]:
    if instance.is_external:
        return ()
    opened = Sessions(max(workload.load.concurrency), tool(workload).statements(workload))
    return engine(instance.engine).room(instance, opened)
