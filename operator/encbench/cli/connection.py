"""The cluster and the namespace of the kubeconfig's current context."""

import contextlib
from collections.abc import AsyncIterator

from encbench.adapters.kubernetes import (
    KubernetesCluster,
    NoConfiguration,
    connect,
    current_namespace,
)
from encbench.cli.errors import CommandError


@contextlib.asynccontextmanager
async def connected(namespace: str | None) -> AsyncIterator[tuple[KubernetesCluster, str]]:
    """The cluster, and the namespace given or else the kubeconfig's; CommandError without one."""
    try:
        client = await connect()
    except NoConfiguration as error:
        raise CommandError(f"no cluster to talk to: {error}") from error
    try:
        yield KubernetesCluster(client), namespace or current_namespace()
    finally:
        await client.close()  # type: ignore[no-untyped-call]
