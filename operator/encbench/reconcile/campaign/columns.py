"""Whether what column encryption needs is there: the proxy's image, keys, jars on claims.

Everything about one mode; what a workload or an engine does not go with is said by them.
"""

from collections.abc import Iterator, Mapping

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.kinds import PERSISTENT_VOLUME_CLAIM, SECRET
from encbench.core.columns.mek import unfit
from encbench.engines.external import entries_of
from encbench.ports import Reader
from encbench.reconcile.deps import Settings
from encbench.reconcile.objects import Campaign


async def problems(
    cluster: Reader, campaign: Campaign, modes: Mapping[str, EncryptionModeSpec]
) -> list[str]:
    """What is missing or no key, in sentences that repeat none. Unavailable: no API server."""
    found: list[str] = []
    for name, mode in modes.items():
        found += [f"EncryptionMode {name}: {text}" for text in await _key(cluster, campaign, mode)]
        jar = mode.driver.jar if mode.driver else None
        if jar is None or jar.claim_name is None:
            continue
        claim = jar.claim_name
        if await cluster.get(PERSISTENT_VOLUME_CLAIM, campaign.namespace, claim) is None:
            found.append(
                f"EncryptionMode {name}: there is no PersistentVolumeClaim {claim} in namespace "
                f"{campaign.namespace}: create it with the jar in it, or name the jar by url and "
                "sha256"
            )
    return found


def unavailable(settings: Settings, modes: Mapping[str, EncryptionModeSpec]) -> Iterator[str]:
    """What this installation does not have."""
    for name, mode in modes.items():
        if mode.columns is not None and not settings.proxy_image:
            yield (
                f"EncryptionMode {name}: this installation has no image of the confidential proxy: "
                "set the chart's confidentialProxy.image"
            )


async def _key(cluster: Reader, campaign: Campaign, mode: EncryptionModeSpec) -> list[str]:
    ref = mode.mek_secret_ref
    if ref is None:
        return []
    secret = await cluster.get(SECRET, campaign.namespace, ref.name)
    if secret is None or ref.key not in (secret.get("data") or {}):
        field = "columns.mekSecretRef" if mode.columns else "driver.jar.keySecretRef"
        instead = ", or leave mekSecretRef out to have a key generated" if mode.columns else ""
        return [
            f"{field}: there is no Secret {ref.name} with an entry {ref.key}: create it with a key "
            f"of 32 hex digits{instead}"
        ]
    text = entries_of(secret).get(ref.key)
    why = "is no text: write 32 hex digits" if text is None else unfit(text)
    return [] if why is None else [f"the key in Secret {ref.name}, entry {ref.key}, {why}"]
