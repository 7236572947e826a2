"""What is wrong with external databases in a campaign: their Secrets, and what cannot be asked."""

from collections.abc import Iterator, Mapping

from encbench.api.campaign import CampaignSpec
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import SECRET
from encbench.engines.external import OWN_CERTIFICATE, entries_of, unfit, wanted
from encbench.ports import Reader
from encbench.reconcile.objects import Campaign


async def problems(
    cluster: Reader,
    campaign: Campaign,
    instances: Mapping[str, InstanceTemplateSpec],
    modes: Mapping[str, EncryptionModeSpec],
) -> list[str]:
    """Each in a sentence that says what to do. Unavailable when the API server is away."""
    found: list[str] = []
    for name, instance in instances.items():
        external = instance.external
        if external is None:
            continue
        found += [f"InstanceTemplate {name}: {text}" for text in _unasked(campaign.spec)]
        needed = _needed(campaign.spec, name, modes)
        secret = external.credentials_secret_ref.name
        body = await cluster.get(SECRET, campaign.namespace, secret)
        if body is None:
            found.append(
                f"InstanceTemplate {name}: there is no Secret {secret} in namespace "
                f"{campaign.namespace}: create it with the entries {', '.join(needed)}"
            )
            continue
        found += [f"InstanceTemplate {name}: {text}" for text in _lacks(secret, body, needed)]
    return found


def _lacks(secret: str, body: Mapping[str, object], needed: Mapping[str, str]) -> Iterator[str]:
    given = entries_of(dict(body))
    for entry, meaning in needed.items():
        if entry not in given:
            yield f"Secret {secret} has no entry {entry}: add {meaning}"
        elif (why := unfit(entry, given[entry])) is not None:
            yield f"Secret {secret}: its entry {entry} {why}"
    half = [entry for entry in OWN_CERTIFICATE if entry in given]
    if len(half) == 1:
        both = " and ".join(OWN_CERTIFICATE)
        yield f"Secret {secret} has {half[0]} alone: give both {both}, or neither"


def _unasked(spec: CampaignSpec) -> Iterator[str]:
    """What takes a server that can be stopped, or a data directory that can be copied."""
    if spec.reset != "none":
        yield (
            "an external database has no data directory that could be put back: leave reset out, "
            "or write blocks.perTestbed to have it loaded anew after so many blocks"
        )
    if spec.residency != "Resident":
        yield "an external database cannot be stopped: leave residency out"
    if spec.cache != "Warm":
        yield "an external database cannot be started with cold caches: leave cache out"


def _needed(
    spec: CampaignSpec, name: str, modes: Mapping[str, EncryptionModeSpec]
) -> dict[str, str]:
    """Entries for all modes that the matrix has this instance meet."""
    needed: dict[str, str] = {}
    for entry in spec.matrix:
        if name not in entry.instance_refs:
            continue
        for mode_name in (spec.baseline_mode_ref, *entry.mode_refs):
            if mode_name in modes:
                needed |= wanted(modes[mode_name])
    return needed
