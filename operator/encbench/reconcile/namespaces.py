"""Whether a namespace is being deleted: its Roles go first, so that most requests are forbidden."""

from encbench.api.kinds import NAMESPACE
from encbench.ports import Reader


async def is_ending(cluster: Reader, namespace: str) -> bool:
    """Whether the namespace is being deleted or is gone. A ClusterRole allows this question."""
    body = await cluster.get(NAMESPACE, "", namespace)
    return body is None or body["metadata"].get("deletionTimestamp") is not None
