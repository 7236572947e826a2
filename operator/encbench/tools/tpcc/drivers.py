"""The parts of the client's pod for the driver of its mode: the jar, the key, and their paths.

An init container of our image fetches the user's own jar and checks its digest before anything
starts. The key is a file, mounted only if a driver needs it.
"""

from encbench.core.columns.layout import MEK, MEK_FILE, MEK_FOLDER
from encbench.core.connection import Connection
from encbench.kube import pods
from encbench.ports import Body
from encbench.tools.context import TrialContext
from encbench.tools.tpcc import jdbc
from encbench.wire import environment as names

NAME = "driver"
FOLDER = "/opt/encbench/drivers"
CLAIM = "/opt/encbench/claim"
_LIMIT = "300Mi"
_CPU, _MEMORY = "500m", "64Mi"


def environment(connection: Connection) -> dict[str, str]:
    """The environment of `client.sh`, the client and its driver; it holds no secret."""
    own, found = jdbc.jar(connection), dict[str, str]()
    if connection.mek is not None:
        found[names.MEK_FILE] = MEK_FILE
    if own is not None:
        found |= {"TPCC_DRIVERS": FOLDER, "ENCBENCH_URL": jdbc.template(own, connection)}
    return found


def mounts(connection: Connection) -> list[Body]:
    """Mounts of the tool's container."""
    key = [] if connection.mek is None else [pods.mount("mek", MEK_FOLDER)]
    return [*key, *([pods.mount("drivers", FOLDER)] if jdbc.jar(connection) else [])]


def volumes(connection: Connection) -> list[Body]:
    """Volumes of the pod."""
    own, mek, found = jdbc.jar(connection), connection.mek, list[Body]()
    if mek is not None:
        found.append(pods.secret_volume("mek", mek.secret, {mek.entry: MEK}))
    if own is not None:
        found.append({"name": "drivers", "emptyDir": {"sizeLimit": _LIMIT}})
    if own is not None and own.claim_name is not None:
        claim = {"claimName": own.claim_name, "readOnly": True}
        found.append({"name": "driver-claim", "persistentVolumeClaim": claim})
    return found


def init_containers(context: TrialContext) -> list[Body]:
    """The container that fetches the jar, if there is one."""
    own = jdbc.jar(context.connection)
    if own is None:
        return []
    claim = [] if own.claim_name is None else [pods.mount("driver-claim", CLAIM)]
    source = (
        {names.JAR_FILE: f"{CLAIM}/{own.path}"} if own.url is None else {names.JAR_URL: own.url}
    )
    digest = {} if own.sha256 is None else {names.JAR_SHA256: own.sha256}
    return [
        pods.container(
            NAME,
            context.programs.operator,
            ["python3", "-m", "encbench.sidecars.driver"],
            pods.resources(_CPU, _MEMORY),
            [pods.mount("drivers", FOLDER, read_only=False), *claim],
            env=pods.environment({names.DRIVERS: FOLDER, **source, **digest}),
        )
    ]
