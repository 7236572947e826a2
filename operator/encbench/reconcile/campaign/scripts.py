"""Texts of the workloads' own scripts in the bucket.

Their copies in the cluster are ConfigMaps that the campaign owns, so they go with it, and without
their text the figures could not be measured again.
"""

from encbench.admission.gather import script_ref
from encbench.api.campaign import Resolved
from encbench.api.kinds import CONFIG_MAP
from encbench.core.artefact import RecordError, digest_of
from encbench.core.naming import script_key
from encbench.core.records import IndexScript
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Campaign


async def store(
    deps: Deps, campaign: Campaign, resolved: Resolved, prefix: str
) -> tuple[IndexScript, ...] | None:
    """Put each script into the bucket; what the index names, None without a script.

    A copy that is gone leaves only the digest that the campaign was accepted with. RecordError if
    a copy has another text, because trials may have run it.
    """
    found = [await _store(deps, campaign, resolved, prefix, name) for name in resolved.scripts]
    return tuple(found) or None


async def _store(
    deps: Deps, campaign: Campaign, resolved: Resolved, prefix: str, workload: str
) -> IndexScript:
    wanted, copy = (resolved.script_digests or {}).get(workload), resolved.scripts[workload]
    body = await deps.cluster.get(CONFIG_MAP, campaign.namespace, copy)
    ref = script_ref(resolved.workloads[workload])
    text = ((body or {}).get("data") or {}).get(ref.key) if ref is not None else None
    if text is None:
        return IndexScript(workload=workload, digest=wanted)
    content = text.encode()
    found = digest_of(content)
    if wanted is not None and found != wanted:
        raise RecordError(
            f"ConfigMap {copy} is not the script that was accepted: digest {found}, "
            f"expected {wanted}"
        )
    key = script_key(prefix, workload)
    await deps.store.put(key, content, "text/x-lua; charset=utf-8")
    return IndexScript(workload=workload, key=key, digest=found)
