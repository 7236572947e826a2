"""TLS in the server's pod: where the files are, and whether they are there.

Every arm has certificates in its credentials Secret, so that arms differ in the mode only. The
server gets its own where the mode says TLS, and nothing elsewhere. They lie in `FOLDER` as
`AUTHORITY`, `CERTIFICATE` and `KEY`. Root owns them and the pod's group reads them, mode 0440:
PostgreSQL accepts no key that is open any further.
"""

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.certificates import AUTHORITY, CERTIFICATE, FOLDER, KEY
from encbench.database.context import DatabaseContext
from encbench.kube.pods import Part, mount, secret_volume

_VOLUME = "tls"


def volumes(context: DatabaseContext) -> list[Part]:
    """The volume with the server's certificate and key; none in a mode without TLS."""
    if context.spec.mode.in_transit is None:
        return []
    entries = {name: name for name in (AUTHORITY, CERTIFICATE, KEY)}
    return [secret_volume(_VOLUME, context.credentials_name, entries)]


def mounts(mode: EncryptionModeSpec) -> list[Part]:
    """The mount that goes with it, for the containers that read the server's settings."""
    return [] if mode.in_transit is None else [mount(_VOLUME, FOLDER)]
