"""What an external database cannot be asked for, and the Secret with its login."""

from collections.abc import Iterator, Mapping

from encbench.admission.combined import of_pairs
from encbench.admission.gather import CampaignParts
from encbench.api.campaign import CampaignSpec
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE, INSTANCE_TEMPLATE, SECRET
from encbench.core.problem import Problem, Reason
from encbench.engines.external import OWN_CERTIFICATE, entries_of, unfit, wanted


def check(found: CampaignParts) -> Iterator[Problem]:
    """Modes that encbench can neither set nor prove there, then each instance's own."""
    yield from of_pairs(found, beyond)
    for name, instance in found.instances.items():
        if instance.external is None:
            continue
        for text in _unasked(found.campaign):
            reason = Reason.EXTERNAL_UNSUPPORTED
            yield Problem(CAMPAIGN, reason, f"InstanceTemplate {name}: {text}", found.name)
        needed: dict[str, str] = {}
        for one, mode in found.combinations(INSTANCE_TEMPLATE, ENCRYPTION_MODE):
            needed |= wanted(found.modes[mode]) if one == name else {}
        secret = instance.external.credentials_secret_ref.name
        for problem in _login(found, secret, needed):
            yield problem.about(secret, f"InstanceTemplate {name}")


def beyond(instance: InstanceTemplateSpec, mode: EncryptionModeSpec) -> Iterator[Problem]:
    """What a mode asks of a server that encbench does not run."""
    if not instance.is_external:
        return
    for text in _beyond(mode):
        yield Problem(ENCRYPTION_MODE, Reason.EXTERNAL_UNSUPPORTED, text)


def _beyond(mode: EncryptionModeSpec) -> Iterator[str]:
    if mode.at_rest is not None:
        yield (
            "encbench can neither turn on nor prove encryption at rest on a server that it does "
            "not run: leave atRest out, and measure an encrypted and an unencrypted external "
            "instance as two InstanceTemplates"
        )
    if mode.in_transit is not None and mode.in_transit.version == "TLSv1.2":
        yield (
            "under TLSv1.2 the suite depends on the kind of the server's certificate, which "
            "encbench does not choose on a server that it does not run: write inTransit.version: "
            "TLSv1.3"
        )
    if mode.columns is not None:
        yield (
            "encbench can put no proxy before a database that it does not run: leave columns out "
            "of the mode; where that database encrypts columns itself, name its driver in "
            "driver.jar and measure it as an InstanceTemplate of its own"
        )


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


def _login(found: CampaignParts, secret: str, needed: Mapping[str, str]) -> Iterator[Problem]:
    """The Secret with entries for all modes that the matrix has the instance meet."""
    body = found.objects.get((SECRET, secret))
    if body is None:
        yield Problem(
            SECRET,
            Reason.NOT_FOUND,
            f"there is no Secret {secret} in namespace {found.namespace}: create it with the "
            f"entries {', '.join(needed)}",
        )
        return
    given = entries_of(body)
    for entry, meaning in needed.items():
        if entry not in given:
            text = f"Secret {secret} has no entry {entry}: add {meaning}"
            yield Problem(SECRET, Reason.ENTRY_MISSING, text)
        elif (why := unfit(entry, given[entry])) is not None:
            text = f"Secret {secret}: its entry {entry} {why}"
            yield Problem(SECRET, Reason.ENTRY_INVALID, text)
    half = [entry for entry in OWN_CERTIFICATE if entry in given]
    if len(half) == 1:
        both = " and ".join(OWN_CERTIFICATE)
        text = f"Secret {secret} has {half[0]} alone: give both {both}, or neither"
        yield Problem(SECRET, Reason.ENTRY_MISSING, text)
