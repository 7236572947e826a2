"""TLS in the server's pod, whatever the engine: where the files are, and whether they are there.

Every arm has certificates in its credentials Secret (the reconciler puts them there), so that arms
differ in the mode only; the server is given its own where the mode says TLS, and nothing elsewhere.
They lie in `FOLDER` as `AUTHORITY`, `CERTIFICATE` and `KEY`. Root owns them and the pod's group
reads them, mode 0440: PostgreSQL takes no key that is open any further.
"""

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.certificates import AUTHORITY, CERTIFICATE, FOLDER, KEY
from encbench.core.tls import suite
from encbench.engines.context import DatabaseContext
from encbench.kube.pods import mount, secret_volume
from encbench.ports import Body

_VOLUME = "tls"


def volumes(context: DatabaseContext) -> list[Body]:
    """The volume with the server's certificate and key; none where the mode has no TLS."""
    if context.spec.mode.in_transit is None:
        return []
    entries = {name: name for name in (AUTHORITY, CERTIFICATE, KEY)}
    return [secret_volume(_VOLUME, context.credentials_name, entries)]


def mounts(context: DatabaseContext) -> list[Body]:
    """The mount that goes with it, for the containers that read the server's settings."""
    return [] if context.spec.mode.in_transit is None else [mount(_VOLUME, FOLDER)]


def mode_name(mode: EncryptionModeSpec, at_rest: str | None) -> str:
    """The mode for a proof's summary; `at_rest` is the engine's word for its encryption at rest."""
    in_transit = mode.in_transit
    words = [] if in_transit is None else [f"{in_transit.version} with {suite(in_transit)}"]
    return " and ".join([*words, *([at_rest] if at_rest else [])]) or "plaintext"
