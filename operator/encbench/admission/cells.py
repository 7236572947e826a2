"""Whether testbeds and reports could keep the arms and cells of a matrix apart."""

from collections.abc import Iterator

from encbench.admission.gather import CampaignParts
from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE
from encbench.api.testbed import Arm
from encbench.core.naming import child_name
from encbench.core.plan import arms
from encbench.core.problem import Problem, Reason
from encbench.text.words import listed


def names(found: CampaignParts) -> Iterator[Problem]:
    """Whether every arm of a cell has a testbed of its own: names are made of the modes'.

    A name that is cut ends with a hash, but how long it is differs from set to set.
    """
    for entry in found.campaign.matrix:
        known: dict[str, Arm] = {}
        for arm in arms(entry, found.campaign.baseline_mode_ref):
            other = known.setdefault(child_name(arm.name), arm)
            if other is arm:
                continue
            whose, advice = f"EncryptionMode {other.mode_ref}", "rename one of them"
            if other.role == "control":
                whose, advice = f"the baseline's second measurement, {other.name}", "rename it"
            text = (
                f"EncryptionMode {arm.mode_ref}: names of testbeds have one dash in place of dots "
                f"and dashes, so that its testbed would be that of {whose}: {advice}"
            )
            yield Problem(ENCRYPTION_MODE, Reason.NAMES_ALIKE, text, arm.mode_ref)


def pairs(found: CampaignParts) -> Iterator[Problem]:
    """Whether one cell has an instance with a workload, by which reports name what they measured.

    Entries with the same modes in the same order make one cell. The order matters: the plan is
    drawn from it, and reports begin with the first treatment.
    """
    known: dict[tuple[str, str], tuple[Arm, ...]] = {}
    twice: dict[tuple[str, bool], dict[str, None]] = {}
    for entry in found.campaign.matrix:
        own = arms(entry, found.campaign.baseline_mode_ref)
        for instance in entry.instance_refs:
            for workload in entry.workload_refs:
                first = known.setdefault((instance, workload), own)
                if first != own:
                    twice.setdefault((instance, {*first} == {*own}), {})[workload] = None
    for (instance, reordered), workloads in twice.items():
        how = (
            "the same modeRefs in another order, which would be measured twice: write them in "
            "the same order"
            if reordered
            else "different modeRefs, which no report could tell apart: write the modes of all of "
            "them into one entry, or measure them in separate campaigns"
        )
        text = (
            f"matrix: InstanceTemplate {instance} meets Workload {listed(workloads)} in several "
            f"entries with {how}"
        )
        yield Problem(CAMPAIGN, Reason.MEASURED_TWICE, text, found.name)
