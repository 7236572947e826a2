"""The init container that makes and restores the golden copy, before anything else in the pod.

An annotation of the pod says what to do, so that each start of the StatefulSet's one pod may ask
for something else while its spec stays the same. The container works on the disk itself: under a
FUSE file system it copies the ciphertext.
"""

from encbench.database.context import DatabaseContext
from encbench.engines.layout import LOWER, VOLUME
from encbench.kube import labels
from encbench.kube.pods import container, mount, resources
from encbench.ports import Body
from encbench.wire import environment as names

NAME = "prepare"
FOLDERS = ("data", "keyring", "tmp")
"""What a server writes, and the keys that go with it."""
CIPHERTEXT = "cipher"
STOPPED = "stopped"
"""File that the FUSE file system leaves on the disk after a clean end of the server and itself; see
images/gocryptfs/mount-volume.sh."""


def containers(context: DatabaseContext) -> list[Body]:
    """The container; empty where there is never anything to prepare."""
    spec = context.spec
    if spec.reset == "none" and spec.cache == "Warm":
        return []
    below = spec.mode.gocryptfs is not None
    root = LOWER if below else VOLUME
    environment = {
        names.ROOT: root,
        names.FOLDERS: CIPHERTEXT if below else ",".join(FOLDERS),
        names.CACHE: spec.cache,
        **({names.STOPPED: STOPPED} if below else {}),
    }
    asked = {"fieldRef": {"fieldPath": f"metadata.annotations['{labels.RESET}']"}}
    own = spec.instance.embedded.resources
    return [
        container(
            NAME,
            context.programs.operator,
            ["python3", "-m", "encbench.sidecars.golden"],
            # As much as the server, which has not started yet: this costs the pod nothing.
            resources(own.cpu, own.memory, spec.cpu_share),
            [mount("lower" if below else "data", root, read_only=False)],
            env=[
                *({"name": name, "value": value} for name, value in environment.items()),
                {"name": names.RESET, "valueFrom": asked},
            ],
        )
    ]
