"""A FUSE file system between the database and its disk, in the database's own pod.

A native sidecar (an init container that stays) mounts it before the server starts and ends after
the server. Its container is privileged, because only then does Kubernetes propagate a mount to the
other containers (`Bidirectional`); the serving process runs as the server's user. The engine's
`data` volume becomes an empty folder in which the mount appears. The sidecar, the golden copy and
the agent see the disk; the agent searches it for what must not be readable there.
"""

from collections.abc import Callable

from encbench.api.encryptionmode import EncryptionModeSpec, Gocryptfs
from encbench.database.context import DatabaseContext
from encbench.database.golden import CIPHERTEXT
from encbench.engines.layout import LOWER, MOUNTS, VOLUME
from encbench.kube.pods import USER_ID, Part, environment, mount, resources, secret_volume
from encbench.proofs.volume import process_name
from encbench.wire import environment as names

NAME = "volume"
PASSWORD = "password"  # noqa: S105 the name of the entry
_PASSWORD_FOLDER = "/etc/encbench/volume"  # noqa: S105 a folder


def key_entries(mode: EncryptionModeSpec, random_token: Callable[[int], str]) -> dict[str, str]:
    """A fresh password of 256 bits, where there is a cipher."""
    return {PASSWORD: random_token(32)} if _is_ciphered(mode.gocryptfs) else {}


def data_mount(mode: EncryptionModeSpec, *, read_only: bool) -> Part:
    """The server's files; with a file system the mount's parent, so that it appears there."""
    if mode.gocryptfs is None:
        return mount("data", VOLUME, read_only=read_only)
    parent = mount("data", MOUNTS, read_only=read_only)
    return {**parent, "mountPropagation": "HostToContainer"}


def data_volumes(context: DatabaseContext) -> list[Part]:
    """The volume of the server's files, and with a file system the disk below it."""
    disk = {"persistentVolumeClaim": {"claimName": context.claim_name}}
    own = context.spec.mode.gocryptfs
    if own is None:
        return [{"name": "data", **disk}]
    password = secret_volume("volume-password", context.keys_name, {PASSWORD: PASSWORD})
    return [
        {"name": "data", "emptyDir": {}},
        {"name": "lower", **disk},
        *([password] if _is_ciphered(own) else []),
    ]


def agent_environment(mode: EncryptionModeSpec) -> dict[str, str]:
    """Where the agent finds the disk, and the process whose CPU and I/O count as the database's."""
    own = mode.gocryptfs
    if own is None:
        return {}
    return {names.LOWER: f"{LOWER}/{CIPHERTEXT}", names.VOLUME_PROCESS: process_name(own)}


def agent_mounts(mode: EncryptionModeSpec) -> list[Part]:
    """The agent sees the disk, read-only."""
    return [] if mode.gocryptfs is None else [mount("lower", LOWER)]


def containers(context: DatabaseContext) -> list[Part]:
    """The sidecar; empty in every other mode."""
    own = context.spec.mode.gocryptfs
    if own is None:
        return []
    ciphered = _is_ciphered(own)
    password = [f"{_PASSWORD_FOLDER}/{PASSWORD}"] if ciphered else []
    return [
        {
            "name": NAME,
            "image": context.programs.volume.reference,
            "imagePullPolicy": context.programs.volume.policy,
            "restartPolicy": "Always",
            "command": ["mount-volume", own.cipher, LOWER, VOLUME, *password],
            "env": environment({"ENCBENCH_USER": str(USER_ID)}),
            "resources": resources(own.resources.cpu, own.resources.memory, context.spec.cpu_share),
            # Root opens /dev/fuse and unmounts; the process that sees data runs as ENCBENCH_USER.
            "securityContext": {
                "privileged": True,
                "runAsNonRoot": False,
                "runAsUser": 0,
                "readOnlyRootFilesystem": True,
            },
            "startupProbe": {
                "exec": {"command": ["grep", "-q", f" {VOLUME} fuse", "/proc/self/mounts"]},
                "periodSeconds": 1,
                "failureThreshold": 120,
            },
            "terminationMessagePolicy": "FallbackToLogsOnError",
            "volumeMounts": [
                {**mount("data", MOUNTS, read_only=False), "mountPropagation": "Bidirectional"},
                mount("lower", LOWER, read_only=False),
                *([mount("volume-password", _PASSWORD_FOLDER)] if ciphered else []),
            ],
        }
    ]


def _is_ciphered(own: Gocryptfs | None) -> bool:
    return own is not None and own.cipher != "none"
