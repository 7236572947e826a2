"""A campaign as the cluster has it once it was accepted, for others to extend."""

from typing import Any

from encbench.admission.gather import frozen
from encbench.api.kinds import CAMPAIGN, INSTANCE_TEMPLATE, WORKLOAD
from encbench.ports import Body
from tests.support import manifests
from tests.unit.admission.campaigns import SCRIPT, SPACE

TDE = {"atRest": {"method": "engine"}}
COMPLETE = {"type": "Complete", "status": "True", "reason": "AllBlocksMeasured"}


def first(*, complete: bool = True, scripts: bool = False, **spec: Any) -> Body:
    """A campaign that was accepted when `tde` encrypted at rest."""
    made = manifests.body(CAMPAIGN, "demo", SPACE, **spec)
    workload = dict(manifests.SPECS[WORKLOAD])
    if scripts:
        workload["sysbench"] = SCRIPT
    resolved = frozen(
        {"small": manifests.SPECS[INSTANCE_TEMPLATE]},
        {"plain": {}, "tde": TDE},
        {"oltp": workload},
        {"oltp": "demo-script"} if scripts else {},
    )
    done = {**COMPLETE, "lastTransitionTime": "2030-01-01T00:00:00Z", "message": ""}
    status = {"resolved": resolved.to_dict(), "conditions": [done] if complete else []}
    made["metadata"]["uid"] = "uid-demo"
    return {**made, "status": status}
