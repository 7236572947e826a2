"""Whether modes have what they need: keys, the proxy and its driver, encrypted types, volumes."""

from collections.abc import Callable, Container, Iterator, Sequence
from functools import partial

from encbench.admission.combined import of_pairs
from encbench.admission.gather import CampaignParts, jar_of
from encbench.admission.references import not_found
from encbench.api import kinds
from encbench.api.columns import MekSecretRef
from encbench.api.encryptionmode import EncryptionModeSpec, KeySecretRef
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.core.columns.layout import unfit
from encbench.core.problem import Problem, Reason
from encbench.engines.external import entries_of
from encbench.engines.facts import FACTS
from encbench.engines.registry import engine
from encbench.kube.classes import is_default
from encbench.kube.labels import DRIVER, KEY, USE
from encbench.kube.use import unmarked
from encbench.ports import Body

_ENFORCE = "pod-security.kubernetes.io/enforce"

NO_DIGEST = 64 * "0"
"""What our own campaigns have in place of the digest of a jar that only their user has. Clients
refuse it too, but not before the data are loaded, which takes hours."""

Judge = Callable[[str], str | None]
"""Says why a text is no key."""

FAMILY = tuple(row.name for row in FACTS.values() if row.driver == "mysql")
"""Engines whose protocol the proxy speaks."""


def keys(found: CampaignParts) -> Iterator[Problem]:
    """Whether the keys from Secrets exist, may be used, and are well-formed.

    No message repeats a key, and of a Secret that may not be used none says what is in it.
    """
    for name, mode in found.modes.items():
        ref = mode.at_rest_key
        if ref is not None:
            advice = (
                f"create it with the label {USE}={KEY} and a key file of MariaDB, which is a line "
                "of the form 1;<64 hex digits>, or leave keySecretRef out to have a key generated"
            )
            takes = _key_files(found, name)
            yield from _key(found, f"EncryptionMode {name}: ", ref, advice, takes)
    for name, mode in found.modes.items():
        mek = mode.mek_secret_ref
        if mek is not None:
            field = "columns.mekSecretRef" if mode.columns else "driver.jar.keySecretRef"
            advice = f"create it with the label {USE}={KEY} and a key of 32 hex digits"
            advice += ", or leave mekSecretRef out to have a key generated" if mode.columns else ""
            yield from _key(found, f"EncryptionMode {name}: {field}: ", mek, advice, [unfit])


def _key(
    found: CampaignParts,
    where: str,
    ref: KeySecretRef | MekSecretRef,
    advice: str,
    judges: Sequence[Judge],
) -> Iterator[Problem]:
    """What is wrong with one key."""
    secret = found.objects.get((kinds.SECRET, ref.name))
    if secret is None:
        yield not_found(found, where, kinds.SECRET, ref.name, advice, ref.key)
        return
    why = unmarked(secret, KEY)
    if why is not None:
        yield Problem(kinds.SECRET, Reason.NOT_MARKED, where + why, ref.name)
        return
    if ref.key not in (secret.get("data") or {}):
        yield not_found(found, where, kinds.SECRET, ref.name, advice, ref.key)
        return
    for why in misfits(secret, ref.key, judges):
        yield Problem(kinds.SECRET, Reason.ENTRY_INVALID, where + why, ref.name)


def misfits(secret: Body, entry: str, judges: Sequence[Judge]) -> Iterator[str]:
    """Why an entry that a Secret has is no key, in words that do not repeat it."""
    text = entries_of(secret).get(entry)
    whys = ["is not text"] if text is None else [judge(text) for judge in judges]
    for why in filter(None, whys):
        yield f"Secret {secret['metadata']['name']}, entry {entry} {why}"


def _key_files(found: CampaignParts, mode: str) -> list[Judge]:
    """How the engines that the mode meets judge a key file."""
    pairs = found.combinations(kinds.INSTANCE_TEMPLATE, kinds.ENCRYPTION_MODE)
    names = [found.instances[one].engine for one, other in pairs if other == mode]
    keys = [engine(name).key for name in dict.fromkeys(names)]
    return [key.unfit for key in keys if key is not None]


def columns(found: CampaignParts) -> Iterator[Problem]:
    """Whether encrypted columns have the proxy and its driver, and an engine that supports them.

    The tools check what fits a workload's tables.
    """
    yield from of_pairs(found, speaks)
    yield from of_pairs(found, has_types)
    for name, mode in found.modes.items():
        where = f"EncryptionMode {name}: "
        jar = jar_of(mode)
        if jar is not None and jar.claim_name is not None:
            yield from _jar(found, where, jar.claim_name)
        if jar is not None and jar.sha256 == NO_DIGEST:
            text = (
                f"{where}driver.jar.sha256: 64 zeros stand for the digest of your jar: write what "
                "sha256sum prints of it"
            )
            yield Problem(kinds.ENCRYPTION_MODE, Reason.SETTING_INVALID, text, name)
        if mode.proxy is not None and found.installed is not None and not found.installed.proxy:
            text = (
                f"{where}this installation has no image of the confidential proxy: set the chart's "
                "confidentialProxy.image"
            )
            yield Problem(kinds.ENCRYPTION_MODE, Reason.NOT_INSTALLED, text, name)


def _jar(found: CampaignParts, where: str, claim: str) -> Iterator[Problem]:
    """What is wrong with the claim that has the driver."""
    body = found.objects.get((kinds.PERSISTENT_VOLUME_CLAIM, claim))
    if body is None:
        advice = (
            f"create it with the label {USE}={DRIVER} and the jar in it, or name the jar by url "
            "and sha256"
        )
        yield not_found(found, where, kinds.PERSISTENT_VOLUME_CLAIM, claim, advice)
    elif (why := unmarked(body, DRIVER)) is not None:
        yield Problem(kinds.PERSISTENT_VOLUME_CLAIM, Reason.NOT_MARKED, where + why, claim)


def speaks(instance: InstanceTemplateSpec, mode: EncryptionModeSpec) -> Iterator[Problem]:
    """Whether the proxy speaks the engine's protocol."""
    if mode.proxy is not None and not instance.is_external and instance.engine not in FAMILY:
        text = (
            f"the confidential proxy does not support {instance.engine}: leave columns out of the "
            f"mode, or use an engine with MySQL's protocol ({', '.join(FAMILY)})"
        )
        yield Problem(kinds.ENCRYPTION_MODE, Reason.MODE_UNSUPPORTED, text)


def has_types(instance: InstanceTemplateSpec, mode: EncryptionModeSpec) -> Iterator[Problem]:
    """Whether the server can have encrypted column types."""
    if mode.enclave is None or instance.is_external:
        return
    if instance.engine != "postgresql":
        text = (
            f"encrypted column types exist for PostgreSQL only, not for {instance.engine}: write "
            "engine: postgresql in the template, or columns.method: confidential in the mode"
        )
        yield Problem(kinds.ENCRYPTION_MODE, Reason.MODE_UNSUPPORTED, text)


def volumes(found: CampaignParts) -> Iterator[Problem]:
    """Whether the volumes are available and differ from the baseline's."""
    classes = [body for (kind, _), body in found.objects.items() if kind is kinds.STORAGE_CLASS]
    defaults = {body["metadata"]["name"] for body in classes if is_default(body)}
    yield from of_pairs(found, partial(differs, defaults=defaults))
    if found.installed is None:
        return
    for name, mode in found.modes.items():
        where = f"EncryptionMode {name}: "
        if mode.gocryptfs is not None and not found.installed.fuse:
            text = (
                f"{where}gocryptfs needs a privileged container beside the database, which this "
                "installation does not allow: set the chart's privilegedVolumes.enabled=true, or "
                "name an encrypted storageClassName instead"
            )
            yield Problem(kinds.ENCRYPTION_MODE, Reason.NOT_INSTALLED, text, name)
        if mode.gocryptfs is not None and (level := _standard(found)) in ("baseline", "restricted"):
            text = (
                f"{where}gocryptfs needs a privileged container, and namespace {found.namespace} "
                f"enforces the Pod Security Standard {level}: name an encrypted storageClassName "
                f"instead, or have an administrator run kubectl label namespace {found.namespace} "
                f"{_ENFORCE}=privileged --overwrite"
            )
            yield Problem(kinds.ENCRYPTION_MODE, Reason.NOT_INSTALLED, text, name)
        wanted = mode.storage_class
        if wanted is not None and (kinds.STORAGE_CLASS, wanted) not in found.objects:
            advice = "create it, or name one with encrypted disks (kubectl get storageclasses)"
            yield not_found(found, where, kinds.STORAGE_CLASS, wanted, advice)


def _standard(found: CampaignParts) -> str | None:
    """What the campaign's namespace enforces, as far as its own label says."""
    body = found.objects.get((kinds.NAMESPACE, found.namespace))
    level: str | None = (body["metadata"].get("labels") or {}).get(_ENFORCE) if body else None
    return level


def differs(
    instance: InstanceTemplateSpec, mode: EncryptionModeSpec, *, defaults: Container[str] = ()
) -> Iterator[Problem]:
    """Whether the mode's storage class differs from the template's, or from the default classes.

    A volume whose template names no class is of the cluster's default class.
    """
    named = mode.storage_class
    if named is None or instance.storage is None:
        return
    if instance.storage.class_name == named:
        both = f"storage.className and atRest.volume.storageClassName are both {named}"
    elif instance.storage.class_name is None and named in defaults:
        both = (
            f"storage has no className, and atRest.volume.storageClassName is {named}, the "
            "cluster's default class"
        )
    else:
        return
    text = (
        f"{both}, which would encrypt the baseline too: name a class without encryption in the "
        "template"
    )
    yield Problem(kinds.INSTANCE_TEMPLATE, Reason.BASELINE_ENCRYPTED, text)
