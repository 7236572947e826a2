"""What the cluster says of a testbed's disk: its class, and what class and volume declare."""

from encbench.api.kinds import PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM, STORAGE_CLASS
from encbench.ports import Body, Reader
from encbench.reconcile.objects import Testbed


async def claim_facts(cluster: Reader, testbed: Testbed) -> Body:
    """The evidence's `claim`: names, and parameters as they stand. Empty where there is none."""
    claim = await cluster.get(PERSISTENT_VOLUME_CLAIM, testbed.namespace, f"{testbed.name}-data")
    if claim is None:
        return {}
    name, bound = claim["spec"].get("storageClassName"), claim["spec"].get("volumeName")
    storage_class = await cluster.get(STORAGE_CLASS, "", name) if name else None
    volume = await cluster.get(PERSISTENT_VOLUME, "", bound) if bound else None
    csi = ((volume or {}).get("spec") or {}).get("csi") or {}
    return {
        "storageClass": name,
        "provisioner": (storage_class or {}).get("provisioner"),
        "parameters": (storage_class or {}).get("parameters") or {},
        "driver": csi.get("driver"),
        "attributes": csi.get("volumeAttributes") or {},
    }
