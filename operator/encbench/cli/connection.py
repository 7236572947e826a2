"""The cluster of the kubeconfig, and the namespace that it means."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from encbench.adapters.kubernetes import KubernetesCluster, NoConfiguration, connect
from encbench.cli.errors import CommandError


@contextlib.asynccontextmanager
async def connected(namespace: str | None) -> AsyncIterator[tuple[KubernetesCluster, str]]:
    """The cluster with the namespace asked for, else the kubeconfig's; CommandError without one."""
    try:
        client = await connect()
    except NoConfiguration as error:
        raise CommandError(f"no cluster to talk to: {error}") from error
    try:
        yield KubernetesCluster(client), namespace or await current_namespace()
    finally:
        await client.close()  # type: ignore[no-untyped-call]


async def current_namespace() -> str:
    """The namespace of the kubeconfig's current context; `default` where it names none."""
    try:
        process = await asyncio.create_subprocess_exec(
            "kubectl",
            "config",
            "view",
            "--minify",
            "--output=jsonpath={..namespace}",
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except FileNotFoundError as error:
        raise CommandError(
            "kubectl is not on the PATH: install it, or name the namespace with -n"
        ) from error
    said, _ = await process.communicate()
    return said.decode().strip() or "default"
