"""Where the bucket is: the operator's Deployment says it, so users need not."""

import argparse
import asyncio
import base64
import contextlib
import re
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from encbench.adapters.objectstore import ObjectStore
from encbench.api.kinds import SECRET, Kind
from encbench.cli.connection import kubectl
from encbench.cli.output import CommandError
from encbench.ports import Body, Cluster

DEPLOYMENT = Kind("apps/v1", "Deployment", "deployments")
OPERATOR = {"app.kubernetes.io/name": "encbench", "app.kubernetes.io/component": "operator"}
READER = "encbench.io/reader-secret"
"""Annotation of the Deployment: the Secret with credentials that cannot write."""
CREDENTIALS = ("access-key", "secret-key")
PATIENCE = 15.0
"""Seconds to wait until a port-forward listens."""


async def find(cluster: Cluster, namespace: str) -> tuple[Body, argparse.Namespace]:
    """The Deployment and options of the operator that watches the namespace, or CommandError."""
    for body in await cluster.list(DEPLOYMENT, None, OPERATOR):
        if namespace in (options := _options(body)).namespace:
            return body, options
    raise CommandError(
        f"no encbench operator watches namespace {namespace}: install the chart there, or add the "
        "namespace to watchNamespaces"
    )


def _options(body: Body) -> argparse.Namespace:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--s3-endpoint", default="")
    parser.add_argument("--s3-bucket", default="encbench")
    parser.add_argument("--s3-region", default="us-east-1")
    parser.add_argument("--namespace", action="append", default=[])
    args = body["spec"]["template"]["spec"]["containers"][0].get("args", [])
    return parser.parse_known_args(args)[0]


@contextlib.asynccontextmanager
async def store(cluster: Cluster, namespace: str) -> AsyncIterator[ObjectStore]:
    """The object store of the operator that watches the namespace."""
    operator, options = await find(cluster, namespace)
    own = operator["metadata"]["namespace"]
    name = _secret_name(operator)
    secret = await cluster.get(SECRET, own, name)
    if secret is None:
        raise CommandError(
            f"Secret {name} in namespace {own} does not exist, or you may not read it"
        )
    with TemporaryDirectory() as directory:
        for name in CREDENTIALS:
            path = Path(directory) / name
            path.touch(mode=0o600)
            path.write_bytes(base64.b64decode(secret["data"][name]))
        async with _reachable(options.s3_endpoint, own) as endpoint:
            yield ObjectStore(
                endpoint=endpoint,
                bucket=options.s3_bucket,
                region=options.s3_region,
                credentials=Path(directory),
            )


def _secret_name(operator: Body) -> str:
    """The Secret of a user who only reads; the operator's own where there is no such user."""
    reader = (operator["metadata"].get("annotations") or {}).get(READER)
    volumes = operator["spec"]["template"]["spec"].get("volumes", [])
    mounted = [volume["secret"]["secretName"] for volume in volumes if "secret" in volume]
    for name in (reader, *mounted):
        if name:
            return str(name)
    raise CommandError("the operator's Deployment mounts no Secret for the object store")


@contextlib.asynccontextmanager
async def _reachable(endpoint: str, namespace: str) -> AsyncIterator[str]:
    """The endpoint as this machine reaches it: a Service in the cluster by a port-forward."""
    parts = urlsplit(endpoint)
    host = parts.hostname or ""
    service = re.fullmatch(r"([^.]+)\.([^.]+)\.svc(\..+)?", host)
    if service is None and "." in host:
        yield endpoint
        return
    name, namespace = service.group(1, 2) if service else (host, namespace)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    process = await kubectl(
        "port-forward", f"--namespace={namespace}", f"service/{name}", f":{port}"
    )
    try:
        yield f"{parts.scheme}://127.0.0.1:{await _local_port(process)}"
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


async def _local_port(process: asyncio.subprocess.Process) -> int:
    if process.stdout is None or process.stderr is None:
        raise CommandError("kubectl port-forward gave no output")
    try:
        line = (await asyncio.wait_for(process.stdout.readline(), PATIENCE)).decode()
    except TimeoutError as error:
        raise CommandError(
            f"kubectl port-forward printed nothing for {PATIENCE:.0f} s: is the object store's pod "
            "running, and may you forward its port?"
        ) from error
    found = re.search(r"127\.0\.0\.1:(\d+) ->", line)
    if found is None:
        why = (await process.stderr.read()).decode().strip()
        raise CommandError(f"kubectl port-forward failed: {why or line}")
    return int(found[1])
