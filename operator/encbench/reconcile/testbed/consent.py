"""What a person lets a testbed use, looked at again before it is copied or mounted."""

from encbench.api.kinds import Kind
from encbench.kube.use import unmarked
from encbench.ports import Body
from encbench.reconcile.deps import Reads


async def marked(
    read: Reads, kind: Kind, namespace: str, name: str, use: str
) -> tuple[Body | None, str]:
    """The object, or what its owner has to do first. It may be another one than was admitted."""
    body = await read.cluster.get(kind, namespace, name)
    if body is None:
        return None, f"there is no {kind.kind} {name} any more: create it again"
    why = unmarked(body, use)
    return (body, "") if why is None else (None, why)
