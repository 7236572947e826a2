"""The way to a cluster and to a campaign in it: kubectl, as the user's flags ask for it."""

import argparse
import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from encbench.adapters.kubectl import Kubectl, KubectlFailed
from encbench.adapters.kubernetes import KubernetesCluster
from encbench.api.kinds import CAMPAIGN
from encbench.cli.output import CommandError
from encbench.kube import labels
from encbench.ports import Body, Cluster, NotServed, Rejected

_NAMESPACE = ("view", "--minify", "--output=jsonpath={..namespace}")
_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def kubectl(args: argparse.Namespace) -> Kubectl:
    """Kubectl as `--context` and `--kubeconfig` ask for it."""
    return Kubectl(args.context, args.kubeconfig)


@contextlib.asynccontextmanager
async def connected(
    args: argparse.Namespace, namespace: str | None = None
) -> AsyncIterator[tuple[KubernetesCluster, str]]:
    """The cluster, and the namespace given, or that of `-n`, or else the kubeconfig's.

    CommandError without a cluster.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise CommandError(
            "on this system kubectl encbench cannot ask a cluster: run it on Linux, on macOS, or "
            "in WSL"
        )
    chosen = kubectl(args)
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(_ended_by_signals())
        try:
            # Both at once, because each takes as long as kubectl's start.
            asked = asyncio.create_task(_context_namespace(chosen))
            try:
                transport = await stack.enter_async_context(chosen.proxy())
            except asyncio.CancelledError:
                asked.cancel()
                raise
            finally:
                own = await asked
        except KubectlFailed as error:
            raise CommandError(f"no cluster to talk to: {error}") from error
        yield KubernetesCluster(transport), namespace or args.namespace or own


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP cancel the task, or kubectl and credentials on disk would outlive it."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    if task is None:
        raise RuntimeError("only a task can be ended by a signal")
    received: list[int] = []

    def end(number: int) -> None:
        received.append(number)
        task.cancel()

    # nohup has SIGHUP ignored, and of two connections the outer one ends the task.
    own = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) is signal.SIG_DFL]
    for number in own:
        loop.add_signal_handler(number, end, number)
    try:
        yield
    except asyncio.CancelledError:
        if received:
            raise SystemExit(128 + received[0]) from None
        raise
    finally:
        for number in own:
            loop.remove_signal_handler(number)


async def campaign(
    cluster: Cluster, namespace: str, name: str, remedy: str = "name another namespace with -n"
) -> Body:
    """The campaign as it was read; CommandError, with what to do, if there is none."""
    body = await cluster.get(CAMPAIGN, namespace, name)
    if body is None:
        await check_served(cluster, namespace)
        raise CommandError(f"there is no campaign {name} in namespace {namespace}: {remedy}")
    return body


async def check_served(cluster: Cluster, namespace: str) -> None:
    """NotServed in a cluster without encbench, where no namespace has what is looked for.

    To a read of one object the API server answers 404 there, as for an object that is missing.
    """
    try:
        # No object has this label, so the answer is short.
        await cluster.list(CAMPAIGN, namespace, {labels.ACTIVE: "never"})
    except NotServed:
        raise
    except Rejected:
        return  # Not every user may list them.


async def _context_namespace(chosen: Kubectl) -> str:
    """The namespace of the context; if it names none, `default` or that of the pod around it."""
    try:
        named = (await chosen.ask("config", *_NAMESPACE)).strip()
    except KubectlFailed:
        # Inside a pod there is no kubeconfig, and kubectl goes by the service account.
        if "KUBERNETES_SERVICE_HOST" in os.environ:
            return _pod_namespace()
        raise
    return named or (_pod_namespace() if _is_in_pod() else "default")


def _is_in_pod() -> bool:
    """Whether kubectl could go by the service account, and so takes the account's namespace.

    As client-go's `inClusterClientConfig.Possible`.
    """
    host, port = (os.environ.get(f"KUBERNETES_SERVICE_{part}") for part in ("HOST", "PORT"))
    return bool(host and port) and (_ACCOUNT / "token").is_file()


def _pod_namespace() -> str:
    """The namespace that kubectl takes in a pod: client-go's `inClusterClientConfig.Namespace`."""
    if named := os.environ.get("POD_NAMESPACE"):
        return named
    try:
        return (_ACCOUNT / "namespace").read_text(encoding="utf-8").strip() or "default"
    except OSError:
        return "default"
