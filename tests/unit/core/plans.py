"""Small campaigns of one cell, and their plans played to the end."""

from collections.abc import Callable, Mapping

from encbench.api.campaign import CampaignSpec
from encbench.api.trial import Outcome
from encbench.api.workload import WorkloadSpec
from encbench.core import plan
from encbench.core.plan import Cell, LoadLevel, Past, PlannedTrial


def workload(**load: object) -> WorkloadSpec:
    """The campaign's workload; `load` replaces fields of its load."""
    return WorkloadSpec.model_validate(
        {
            "sysbench": {"script": "oltp_read_write", "tables": 2, "tableSize": 1000},
            "load": {"concurrency": [4], **load},
            "client": {"image": "sysbench", "resources": {"cpu": "1", "memory": "64Mi"}},
        }
    )


def campaign(**fields: object) -> CampaignSpec:
    """Two modes, three blocks; `fields` replaces fields."""
    return CampaignSpec.model_validate(
        {
            "matrix": [
                {"instanceRefs": ["small"], "modeRefs": ["plain", "tde"], "workloadRefs": ["rw"]}
            ],
            "baselineModeRef": "plain",
            "blocks": {"min": 3, "maxReplacements": 2},
            "seed": 7,
            **fields,
        }
    )


def only_cell(spec: CampaignSpec, **load: object) -> Cell:
    """The campaign's cell."""
    (cell,) = plan.cells(spec, {"rw": workload(**load)})
    return cell


def succeeds(planned: PlannedTrial) -> Outcome:
    """How an attempt ends where nothing else is said."""
    return "Succeeded"


def run_to_the_end(
    spec: CampaignSpec,
    cell: Cell,
    outcome: Callable[[PlannedTrial], Outcome] = succeeds,
    goals: Mapping[LoadLevel, int] | None = None,
) -> list[Past]:
    """Play the campaign; `outcome(planned)` says how each attempt ends."""
    return [past for past, _ in played(spec, cell, outcome, goals)]


def played(
    spec: CampaignSpec,
    cell: Cell,
    outcome: Callable[[PlannedTrial], Outcome] = succeeds,
    goals: Mapping[LoadLevel, int] | None = None,
) -> list[tuple[Past, PlannedTrial]]:
    """The same with what was planned."""
    found: list[tuple[Past, PlannedTrial]] = []
    while True:
        past = [attempt for attempt, _ in found]
        planned = plan.next_trial(spec, cell, past, goals).next_trial
        if planned is None:
            return found
        end = outcome(planned)
        attempt = Past(cell.name, planned.condition, planned.block, planned.arm.name, end)
        found.append((attempt, planned))
        assert len(found) < 1000
