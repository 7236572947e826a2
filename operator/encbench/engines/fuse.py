"""A FUSE file system between the database and its disk, in the database's own pod.

A native sidecar (an init container that stays) mounts it before the server starts and ends after
it. Its container is privileged, for only then does Kubernetes let a mount reach the neighbours
(`Bidirectional`); the process that serves it is the server's user. What the engine calls its
`data` volume becomes an empty folder in which the mount appears; the disk is seen by the sidecar,
by the golden copy and by the agent, which looks below for what must not be readable there.
"""

from collections.abc import Callable

from encbench.api.encryptionmode import Gocryptfs
from encbench.engines.context import DatabaseContext
from encbench.engines.layout import LOWER, MOUNTS, VOLUME
from encbench.engines.prepare import CIPHERTEXT
from encbench.kube import secrets
from encbench.kube.pods import USER_ID, mount, resources, secret_volume
from encbench.ports import Body
from encbench.proofs.volume import process_name

NAME = "volume"
PASSWORD = "password"  # noqa: S105 the name of the entry
_PASSWORD_FOLDER = "/etc/encbench/volume"  # noqa: S105 a folder
_STARTUP_SECONDS = 120


def keys_secret(context: DatabaseContext, random_token: Callable[[int], str]) -> Body | None:
    """A fresh password of 256 bits; None where there is no cipher."""
    own = context.spec.mode.gocryptfs
    if own is None or own.cipher == "none":
        return None
    return secrets.secret(context.metadata(context.keys_name), {PASSWORD: random_token(32)})


def between(context: DatabaseContext, spec: Body) -> Body:
    """The pod's spec with the file system in it; as it is in every other mode."""
    own = context.spec.mode.gocryptfs
    if own is None:
        return spec
    below, above = _split(spec["initContainers"])
    return {
        **spec,
        "initContainers": [*below, _sidecar(context, own), *map(_propagated, above)],
        "containers": [_with_disk(_propagated(entry), own) for entry in spec["containers"]],
        "volumes": [*_volumes(context, own), *(v for v in spec["volumes"] if v["name"] != "data")],
    }


def _split(containers: list[Body]) -> tuple[list[Body], list[Body]]:
    """Those that work on the disk, which come first, and those that work on the mount."""
    below = [one for one in containers if _sees_disk(one)]
    return below, [one for one in containers if not _sees_disk(one)]


def _sees_disk(container: Body) -> bool:
    return any(entry["name"] == "lower" for entry in container["volumeMounts"])


def _propagated(container: Body) -> Body:
    """The container with the mounts' parent in place of the volume, so that they appear in it."""

    def changed(entry: Body) -> Body:
        if entry["name"] != "data":
            return entry
        return {**entry, "mountPath": MOUNTS, "mountPropagation": "HostToContainer"}

    return {**container, "volumeMounts": [changed(entry) for entry in container["volumeMounts"]]}


def _with_disk(container: Body, own: Gocryptfs) -> Body:
    """The agent sees the disk, read-only, and knows whose CPU and I/O are the database's too."""
    if container["name"] != "agent":
        return container
    environment = {
        "ENCBENCH_LOWER": f"{LOWER}/{CIPHERTEXT}",
        "ENCBENCH_VOLUME_PROCESS": process_name(own),
    }
    return {
        **container,
        "env": [
            *container["env"],
            *({"name": name, "value": value} for name, value in environment.items()),
        ],
        "volumeMounts": [*container["volumeMounts"], mount("lower", LOWER)],
    }


def _sidecar(context: DatabaseContext, own: Gocryptfs) -> Body:
    ciphered = own.cipher != "none"
    password = [f"{_PASSWORD_FOLDER}/{PASSWORD}"] if ciphered else []
    return {
        "name": NAME,
        "image": context.volume_image,
        "imagePullPolicy": context.volume_pull_policy,
        "restartPolicy": "Always",
        "command": ["mount-volume", own.cipher, LOWER, VOLUME, *password],
        "env": [{"name": "ENCBENCH_USER", "value": str(USER_ID)}],
        "resources": resources(own.resources.cpu, own.resources.memory),
        # Root opens /dev/fuse and unmounts; what sees data runs as ENCBENCH_USER.
        "securityContext": {
            "privileged": True,
            "runAsNonRoot": False,
            "runAsUser": 0,
            "readOnlyRootFilesystem": True,
        },
        "startupProbe": {
            "exec": {"command": ["grep", "-q", f" {VOLUME} fuse", "/proc/self/mounts"]},
            "periodSeconds": 1,
            "failureThreshold": _STARTUP_SECONDS,
        },
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [
            {
                **mount("data", MOUNTS, read_only=False),
                "mountPropagation": "Bidirectional",
            },
            mount("lower", LOWER, read_only=False),
            *([mount("volume-password", _PASSWORD_FOLDER)] if ciphered else []),
        ],
    }


def _volumes(context: DatabaseContext, own: Gocryptfs) -> list[Body]:
    volumes: list[Body] = [
        {"name": "data", "emptyDir": {}},
        {"name": "lower", "persistentVolumeClaim": {"claimName": context.claim_name}},
    ]
    if own.cipher != "none":
        entries = {PASSWORD: PASSWORD}
        volumes.append(secret_volume("volume-password", context.keys_name, entries))
    return volumes
