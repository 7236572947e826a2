"""What an external database does not allow, and the Secret with its login."""

from collections.abc import Iterator

from encbench.admission.combined import of_pairs
from encbench.admission.gather import CampaignParts
from encbench.admission.kept import CUT, says_nothing
from encbench.admission.references import not_found
from encbench.api.campaign import CampaignSpec
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE, INSTANCE_TEMPLATE, SECRET, WORKLOAD
from encbench.core.certificates import AUTHORITY
from encbench.core.problem import Problem, Reason
from encbench.engines.external import OWN_CERTIFICATE, entries_of, faults, presents, wanted
from encbench.engines.facts import facts
from encbench.kube.labels import CREDENTIALS, USE
from encbench.kube.use import unmarked
from encbench.ports import Body


def check(found: CampaignParts) -> Iterator[Problem]:
    """Modes that encbench can neither set nor prove there, then each instance by itself."""
    yield from of_pairs(found, beyond)
    for name, instance in found.instances.items():
        if instance.external is None:
            continue
        where = f"InstanceTemplate {name}: "
        for text in _impossible(found.campaign):
            yield Problem(CAMPAIGN, Reason.EXTERNAL_UNSUPPORTED, where + text, found.name)
        needed: dict[str, str] = {}
        for one, mode in found.combinations(INSTANCE_TEMPLATE, ENCRYPTION_MODE):
            needed |= wanted(found.modes[mode]) if one == name else {}
        secret = instance.external.credentials_secret_ref.name
        if (SECRET, secret) not in found.objects:
            advice = (
                f"create it with the entries {', '.join(needed)} and the label {USE}={CREDENTIALS}"
            )
            yield not_found(found, where, SECRET, secret, advice)
            continue
        why = unmarked(found.objects[SECRET, secret], CREDENTIALS)
        if why is not None:
            yield Problem(SECRET, Reason.NOT_MARKED, where + why, secret)
            continue
        body = found.objects[SECRET, secret]
        if says_nothing(entries_of(body).get(AUTHORITY, "")):
            needed.pop(AUTHORITY, None)  # the testbed checks all of it
        for reason, text in faults(_whole(body), needed):
            yield Problem(SECRET, reason, f"{where}Secret {secret}{text}", secret)
        if presents(body):
            yield from _not_presented(found, name, secret)


def _whole(body: Body) -> Body:
    """Without the client's own certificate and key if one was cut: the testbed checks all of it."""
    if not {*body.get(CUT, ())} & {*OWN_CERTIFICATE}:
        return body
    data = {name: it for name, it in body["data"].items() if name not in OWN_CERTIFICATE}
    return {**body, "data": data}


def _not_presented(found: CampaignParts, template: str, secret: str) -> Iterator[Problem]:
    """Workloads whose client would come without the certificate that the user meant it to have."""
    has_option = facts(found.instances[template].engine).driver == "mysql"
    for one, workload in found.combinations(INSTANCE_TEMPLATE, WORKLOAD):
        if one != template or (has_option and found.workloads[workload].sysbench is not None):
            continue
        text = (
            f"InstanceTemplate {template} with Workload {workload}: only sysbench with MySQL's "
            f"protocol presents {' and '.join(OWN_CERTIFICATE)}, which Secret {secret} has: let "
            "the server take this user without a certificate, and name a Secret without the two"
        )
        yield Problem(SECRET, Reason.ENTRY_INVALID, text, secret)


def beyond(instance: InstanceTemplateSpec, mode: EncryptionModeSpec) -> Iterator[Problem]:
    """What a mode asks of a server that encbench does not run."""
    for text in _beyond(mode) if instance.is_external else ():
        yield Problem(ENCRYPTION_MODE, Reason.EXTERNAL_UNSUPPORTED, text)


def _beyond(mode: EncryptionModeSpec) -> Iterator[str]:
    if mode.at_rest is not None:
        yield (
            "encbench can neither turn on nor prove encryption at rest on an external server: "
            "leave atRest out, and measure an encrypted and an unencrypted external instance as "
            "two InstanceTemplates"
        )
    if mode.in_transit is not None and mode.in_transit.version == "TLSv1.2":
        yield (
            "under TLSv1.2 the cipher suite depends on the server's certificate, which encbench "
            "does not choose on an external server: write inTransit.version: TLSv1.3 in the mode, "
            "or in one of its own in a matrix entry of its own"
        )
    if mode.enclave is not None:
        yield (
            "encbench can neither install its encrypted column types on an external server nor "
            "prove them there: leave columns out of the mode"
        )
    if mode.proxy is not None:
        yield (
            "encbench cannot put its proxy before an external database: leave columns out of the "
            "mode; if that database encrypts columns itself, name its driver in driver.jar and "
            "measure it as an InstanceTemplate of its own"
        )


def _impossible(spec: CampaignSpec) -> Iterator[str]:
    """Settings that need a server that can be stopped, or a data directory that can be copied."""
    if spec.reset != "none":
        yield (
            "encbench cannot restore the data directory of an external database: leave reset out; "
            "blocks.perTestbed then loads the data again after that many blocks"
        )
    if spec.residency != "Resident":
        yield "encbench cannot stop an external database: leave residency out"
    if spec.cache != "Warm":
        yield "encbench cannot start an external database with cold caches: leave cache out"
