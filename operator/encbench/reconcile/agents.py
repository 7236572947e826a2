"""Where the agent and the recorders are, and how we know each other."""

from encbench.api.kinds import POD, SECRET
from encbench.core.naming import credentials_name
from encbench.database import pod as database
from encbench.kube.labels import TESTBED
from encbench.kube.secrets import entry
from encbench.ports import Access, Reader, Unavailable
from encbench.reconcile.objects import belongs_to
from encbench.reconcile.pods import PodFacts, pod_facts
from encbench.tools import pod as client
from encbench.wire.sidecar import AUTHORITY, TOKEN, Sidecar, certified_name, entry_name

Way = tuple[str, Access]
"""Address of a sidecar, and what is needed to ask it."""


async def database_pod(
    cluster: Reader, namespace: str, testbed: str, owner_uid: str | None = None
) -> PodFacts | None:
    """The testbed's one database pod; with `owner_uid` only if that StatefulSet made it."""
    body = await cluster.get(POD, namespace, f"{testbed}-0")
    if body is None or (body["metadata"].get("labels") or {}).get(TESTBED) != testbed:
        return None
    if owner_uid is not None and not belongs_to(body, owner_uid):
        return None
    return pod_facts(body)


async def agent(cluster: Reader, namespace: str, testbed: str, pod: PodFacts) -> Way:
    """To the agent in a testbed's database pod. Unavailable while there is none."""
    where = _address(pod, database.AGENT_CONTROL_PORT)
    return where, await access(cluster, namespace, testbed, "agent")


def recorder(pod: PodFacts) -> str:
    """The address of the recorder in a client's pod. Unavailable while there is none.

    All recorders of a testbed take the same access, so callers ask for that once.
    """
    return _address(pod, client.RECORDER_CONTROL_PORT)


async def access(cluster: Reader, namespace: str, testbed: str, sidecar: Sidecar) -> Access:
    """How a testbed's sidecars are asked; Unavailable while its Secret does not exist."""
    secret = await cluster.get(SECRET, namespace, credentials_name(testbed)) or {}
    token, authority = entry(secret, entry_name(sidecar, TOKEN)), entry(secret, AUTHORITY)
    if token is None or authority is None:
        raise Unavailable(f"Secret {credentials_name(testbed)} is not there")
    return Access(token, authority, certified_name(sidecar, testbed))


def _address(pod: PodFacts, port: int) -> str:
    """host:port of a sidecar; Unavailable before the pod has an address."""
    if not pod.ip:
        raise Unavailable(f"pod {pod.name} has no address yet")
    host = f"[{pod.ip}]" if ":" in pod.ip else pod.ip
    return f"{host}:{port}"
