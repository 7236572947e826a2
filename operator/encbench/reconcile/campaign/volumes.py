"""Whether this installation and this cluster have the volumes that the modes ask for."""

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.kinds import STORAGE_CLASS
from encbench.ports import Reader
from encbench.reconcile.deps import Settings


async def problems(
    cluster: Reader, settings: Settings, modes: dict[str, EncryptionModeSpec]
) -> list[str]:
    """What is missing, each in a sentence. Unavailable when the API server is away."""
    found = []
    for name, mode in modes.items():
        if mode.gocryptfs is not None and not settings.volume_image:
            found.append(
                f"EncryptionMode {name}: gocryptfs needs a privileged container beside the "
                "database, which this installation does not allow: set the chart's "
                "privilegedVolumes.enabled=true, or name an encrypted storageClassName instead"
            )
        wanted = mode.volume.storage_class_name if mode.volume else None
        if wanted is not None and await cluster.get(STORAGE_CLASS, "", wanted) is None:
            found.append(
                f"EncryptionMode {name}: there is no StorageClass {wanted}: create it, or write "
                "the name of one whose disks are encrypted (kubectl get storageclasses)"
            )
    return found
