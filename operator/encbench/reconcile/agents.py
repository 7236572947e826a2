"""Where the agent and the recorders are, and the token by which they know us."""

from encbench.api.kinds import POD, SECRET
from encbench.core.naming import credentials_name
from encbench.database import pod as database
from encbench.kube.labels import TESTBED
from encbench.kube.secrets import entry
from encbench.ports import Reader, Unavailable
from encbench.reconcile.objects import belongs_to
from encbench.reconcile.pods import PodFacts, pod_facts
from encbench.tools import pod as client

Way = tuple[str, str]
"""Address of a sidecar and the token that it takes."""


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
    return _address(pod, database.AGENT_PORT), await token(cluster, namespace, testbed)


def recorder(pod: PodFacts) -> str:
    """The address of the recorder in a client's pod. Unavailable while there is none.

    It takes the token of the testbed, which is asked for once and not for each of the clients.
    """
    return _address(pod, client.RECORDER_PORT)


async def token(cluster: Reader, namespace: str, testbed: str) -> str:
    """The bearer token of a testbed; Unavailable while its Secret does not exist."""
    secret = await cluster.get(SECRET, namespace, credentials_name(testbed))
    found = None if secret is None else entry(secret, "token")
    if found is None:
        raise Unavailable(f"Secret {credentials_name(testbed)} is not there")
    return found


def _address(pod: PodFacts, port: int) -> str:
    """host:port of a sidecar; Unavailable before the pod has an address."""
    if not pod.ip:
        raise Unavailable(f"pod {pod.name} has no address yet")
    return f"{pod.ip}:{port}"
