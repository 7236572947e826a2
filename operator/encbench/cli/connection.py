"""The ways to a cluster: the API server of the kubeconfig's current context, and kubectl."""

import asyncio
import contextlib
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator

from encbench.adapters import kubernetes
from encbench.cli.output import CommandError


@contextlib.asynccontextmanager
async def connected(
    namespace: str | None,
) -> AsyncIterator[tuple[kubernetes.KubernetesCluster, str]]:
    """The cluster, and the namespace given or else the kubeconfig's; CommandError without one."""
    try:
        client = await kubernetes.connect()
    except kubernetes.NoConfiguration as error:
        raise CommandError(f"no cluster to talk to: {error}") from error
    try:
        yield kubernetes.KubernetesCluster(client), namespace or kubernetes.current_namespace()
    finally:
        await client.close()  # type: ignore[no-untyped-call]


async def kubectl(command: str, *arguments: str) -> Process:
    """The process, with both outputs piped; CommandError if kubectl is not installed."""
    try:
        return await asyncio.create_subprocess_exec(
            "kubectl", command, *arguments, stdout=PIPE, stderr=PIPE
        )
    except FileNotFoundError as error:
        raise CommandError(
            f"kubectl is not on the PATH: install it, because this needs kubectl {command}"
        ) from error
