"""Whether everything that the campaign and its workloads name exists and fits its model."""

from collections.abc import Iterator

from encbench.admission.gather import CampaignParts, named, script_ref
from encbench.api.kinds import CONFIG_MAP, Kind
from encbench.core.problem import Problem, Reason


def check(found: CampaignParts) -> Iterator[Problem]:
    """The parts themselves, then the scripts of the workloads."""
    for kind, names in named(found.campaign).items():
        for name in names:
            if (kind, name) in found.malformed:
                yield Problem(kind, Reason.MALFORMED, found.malformed[kind, name], name)
            elif name not in found.parts[kind]:
                yield not_found(found, "", kind, name, "apply it, or correct the name")
    for name, workload in found.workloads.items():
        ref = script_ref(workload)
        if ref is None or found.script(workload) is not None:
            continue
        where = f"Workload {name}: "
        if (CONFIG_MAP, ref.name) not in found.objects:
            advice = "apply it, or correct the name"
            yield not_found(found, where, CONFIG_MAP, ref.name, advice)
        else:
            text = f"ConfigMap {ref.name} has no entry {ref.key}: add it, or correct the key"
            yield Problem(CONFIG_MAP, Reason.ENTRY_MISSING, where + text, ref.name)


def not_found(
    found: CampaignParts, where: str, kind: Kind, name: str, advice: str, entry: str = ""
) -> Problem:
    """The problem of an object that does not exist, or not with that entry."""
    place = f" in namespace {found.namespace}" if kind.namespaced else ""
    lacking = f" with an entry {entry}" if entry else place
    text = f"{where}there is no {kind.kind} {name}{lacking}: {advice}"
    return Problem(kind, Reason.NOT_FOUND, text, name)
