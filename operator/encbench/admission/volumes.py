"""Whether the volumes that the modes ask for are available and differ from the baseline's."""

from collections.abc import Iterator

from encbench.admission.combined import of_pairs
from encbench.admission.gather import CampaignParts
from encbench.admission.references import not_found
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import ENCRYPTION_MODE, INSTANCE_TEMPLATE, STORAGE_CLASS
from encbench.core.problem import Problem, Reason


def check(found: CampaignParts) -> Iterator[Problem]:
    """Each mode with the templates, then with what the installation and the cluster have."""
    yield from of_pairs(found, differs)
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
            yield Problem(ENCRYPTION_MODE, Reason.NOT_INSTALLED, text, name)
        wanted = mode.volume.storage_class_name if mode.volume else None
        if wanted is not None and (STORAGE_CLASS, wanted) not in found.objects:
            advice = "create it, or name one with encrypted disks (kubectl get storageclasses)"
            yield not_found(found, where, STORAGE_CLASS, wanted, advice)


def differs(instance: InstanceTemplateSpec, mode: EncryptionModeSpec) -> Iterator[Problem]:
    """Whether the mode's storage class differs from the template's."""
    named = mode.volume.storage_class_name if mode.volume else None
    if named is not None and instance.storage and instance.storage.class_name == named:
        yield Problem(
            INSTANCE_TEMPLATE,
            Reason.BASELINE_ENCRYPTED,
            f"storage.className and atRest.volume.storageClassName are both {named}, which would "
            "encrypt the baseline too: name a class without encryption in the template",
        )
