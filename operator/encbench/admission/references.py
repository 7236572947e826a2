"""Whether everything that the campaign and its workloads name is there and fits its model."""

from collections.abc import Iterator

from encbench.admission.gather import CampaignParts, named, script_ref
from encbench.api.kinds import CONFIG_MAP
from encbench.core.problem import Problem, Reason


def check(found: CampaignParts) -> Iterator[Problem]:
    """The parts themselves, then the scripts of the workloads."""
    for kind, names in named(found.campaign).items():
        for name in names:
            if (kind, name) in found.malformed:
                yield Problem(kind, Reason.MALFORMED, found.malformed[kind, name], name)
            elif name not in found.parts[kind]:
                text = (
                    f"there is no {kind.kind} {name} in namespace {found.namespace}: apply it, or "
                    "correct the name"
                )
                yield Problem(kind, Reason.NOT_FOUND, text, name)
    for name, workload in found.workloads.items():
        ref = script_ref(workload)
        if ref is None or found.script(workload) is not None:
            continue
        reason, text = (
            Reason.ENTRY_MISSING,
            f"ConfigMap {ref.name} has no entry {ref.key}: add it, or correct the key",
        )
        if (CONFIG_MAP, ref.name) not in found.objects:
            reason = Reason.NOT_FOUND
            text = f"there is no ConfigMap {ref.name}: apply it, or correct the name"
        yield Problem(CONFIG_MAP, reason, f"Workload {name}: {text}", ref.name)
