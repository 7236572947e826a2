"""Where the bucket is and what is allowed: the operator's Deployment says it, so users need not."""

import argparse
import contextlib
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from encbench.adapters.kubectl import Kubectl, KubectlFailed
from encbench.admission import limits
from encbench.api.kinds import SECRET, SERVICE, Kind
from encbench.cli import output
from encbench.cli.output import CommandError
from encbench.kube.labels import COMPONENT, MANAGER, PART_OF
from encbench.kube.secrets import content
from encbench.ports import Body, Cluster, Rejected, Store, Unavailable

if TYPE_CHECKING:
    from encbench.adapters.objectstore import ObjectStore

DEPLOYMENT = Kind("apps/v1", "Deployment", "deployments")
OPERATOR = {PART_OF: MANAGER, COMPONENT: "operator"}
"""Not by the chart's name, which a parent chart may replace by an alias."""
READER = "encbench.io/reader-secret"
"""Annotation of the Deployment: the Secret with credentials that cannot write."""


async def find(
    cluster: Cluster, namespace: str, release: str | None
) -> tuple[Body, argparse.Namespace]:
    """The Deployment and options of the operator that watches the namespace, or CommandError.

    It is looked for in namespace `release`. Without one it is looked for in the whole cluster, or
    beside the campaign if the user may not see all that.
    """
    try:
        found = await cluster.list(DEPLOYMENT, release, OPERATOR)
        remedy = "install the chart there, or add the namespace to watchNamespaces"
    except Rejected as error:
        if release:
            raise CommandError(
                f"you may not list Deployments in namespace {release}: ask for that right"
            ) from error
        found = await _beside(cluster, namespace)
        remedy = (
            "you may not list the Deployments of the cluster, so name the namespace of the chart's "
            "release with --release-namespace"
        )
    watching = [
        (body, options) for body in found if namespace in (options := _options(body)).namespace
    ]
    if len(watching) == 1:
        return watching[0]
    if watching:
        # Whoever may make Deployments somewhere can make one that says so.
        metas = [body["metadata"] for body, _ in watching]
        names = sorted(f"{meta['namespace']}/{meta['name']}" for meta in metas)
        raise CommandError(
            f"several operators say that they watch namespace {namespace}: {', '.join(names)}. Ask "
            "your administrator which one does, and name its namespace with --release-namespace"
        )
    place = f" of namespace {release}" if release else ""
    raise CommandError(f"no encbench operator{place} watches namespace {namespace}: {remedy}")


async def _beside(cluster: Cluster, namespace: str) -> list[Body]:
    """The operators in that namespace; none where the user may not list them."""
    try:
        return await cluster.list(DEPLOYMENT, namespace, OPERATOR)
    except Rejected:
        return []


def known_options() -> argparse.ArgumentParser:
    """Those of the operator's own options that are read here; it takes all of them (`options`)."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--s3-endpoint", default="")
    parser.add_argument("--s3-external-endpoint", default="")
    parser.add_argument("--s3-bucket", default="encbench")
    parser.add_argument("--s3-region", default="us-east-1")
    parser.add_argument("--namespace", action="append", default=[])
    for own in ("image", "volume-image", "proxy-image", "turnstile-image"):
        parser.add_argument(f"--{own}", default="")
    for choice in ("server-image", "tool-image"):
        parser.add_argument(f"--{choice}", action="append", default=[], type=_choice)
    limits.add_options(parser)
    return parser


def _options(body: Body) -> argparse.Namespace:
    args = body["spec"]["template"]["spec"]["containers"][0].get("args", [])
    return known_options().parse_known_args(args)[0]


def _choice(text: str) -> tuple[str, str]:
    name, _, image = text.partition("=")
    return name, image


@contextlib.asynccontextmanager
async def store(
    kubectl: Kubectl, cluster: Cluster, namespace: str, release: str | None
) -> AsyncIterator["ObjectStore"]:
    """The object store of the operator that watches the namespace; `release` as in `find`.

    CommandError, from its use as well, where the store cannot be reached.
    """
    operator, options = await find(cluster, namespace, release)
    own = operator["metadata"]["namespace"]
    with TemporaryDirectory() as directory:
        endpoint = options.s3_external_endpoint or options.s3_endpoint
        await _credentials(cluster, operator, endpoint, Path(directory))
        async with _reachable(kubectl, cluster, endpoint, own) as reached:
            with _of_the_store():
                yield _opened(options, reached, Path(directory))


@contextlib.contextmanager
def _of_the_store() -> Iterator[None]:
    """What is away here is not the API server: a CommandError says what is."""
    try:
        yield
    except Unavailable as error:
        raise CommandError(str(error)) from error


def other_bucket(named: str, store: Store) -> str:
    """That a report names another bucket than the store's, as a clause; empty if it does not."""
    if named == store.bucket:
        return ""
    return f"the report names bucket {named}, the operator now uses {store.bucket}"


async def link(
    cluster: Cluster, namespace: str, release: str | None, key: str, seconds: int
) -> str:
    """A URL from which whoever has it can fetch the key; CommandError if it can lead nowhere."""
    operator, options = await find(cluster, namespace, release)
    endpoint = options.s3_external_endpoint or options.s3_endpoint
    if await _service(cluster, endpoint, operator["metadata"]["namespace"]):
        raise CommandError(
            f"a link to {endpoint} would work inside the cluster alone: fetch the file and pass it "
            "on, or, with a store of your own in place of the bundled MinIO, set "
            "objectStore.external.clientEndpoint to an address that others reach"
        )
    with TemporaryDirectory() as directory:
        if await _credentials(cluster, operator, endpoint, Path(directory)):
            secret = _secret_name(operator)
            output.say(
                f"note: Secret {secret} has temporary credentials, and the link ends with their "
                "session, which --expires does not prolong"
            )
        with _of_the_store():
            return await _opened(options, endpoint, Path(directory)).presign_get(key, seconds)


def _opened(options: argparse.Namespace, endpoint: str, credentials: Path) -> "ObjectStore":
    # This import takes half a second, which a table does not need.
    from encbench.adapters.objectstore import ObjectStore  # noqa: PLC0415

    return ObjectStore(
        endpoint=endpoint,
        bucket=options.s3_bucket,
        region=options.s3_region,
        credentials=credentials,
    )


async def _credentials(cluster: Cluster, operator: Body, endpoint: str, directory: Path) -> bool:
    """Write credentials into the directory, those that only read where there are any.

    Whether they are temporary.

    CommandError without the right to see them.
    """
    from encbench.adapters import s3  # noqa: PLC0415

    own, name = operator["metadata"]["namespace"], _secret_name(operator)
    try:
        secret = await cluster.get(SECRET, own, name)
    except Rejected:
        secret = None
    if secret is None:
        inside = await _service(cluster, endpoint, own)
        flags = "--output html --file report.html writes" if inside else "--link prints"
        raise CommandError(
            f"Secret {name} in namespace {own} does not exist, or you may not read it: "
            f"someone who may can pass on what kubectl encbench report {flags}"
        )
    for key in (s3.ACCESS_KEY_FILE, s3.SECRET_KEY_FILE, s3.SESSION_TOKEN_FILE):
        # S3Connection names a file that it misses, or that has no credential.
        if (value := content(secret, key)) is not None:
            path = directory / key
            path.touch(mode=0o600)
            path.write_bytes(value)
    # Only temporary credentials have a token.
    return bool((content(secret, s3.SESSION_TOKEN_FILE) or b"").strip())


async def _service(cluster: Cluster, endpoint: str, namespace: str) -> tuple[str, str] | None:
    """Name and namespace of the Service that an endpoint means; None outside of the cluster.

    Pods also find `name.namespace`, which may be a public name as well: the cluster says which.
    """
    host = urlsplit(endpoint).hostname or ""
    service = re.fullmatch(r"([^.]+)\.([^.]+)(\.svc(\..+)?)?", host)
    if service is not None and (service[3] or await _is_there(cluster, service[1], service[2])):
        return service[1], service[2]
    return None if "." in host or ":" in host else (host, namespace)


async def _is_there(cluster: Cluster, name: str, namespace: str) -> bool:
    """Whether there is such a Service; not where the user may not see it."""
    try:
        return await cluster.get(SERVICE, namespace, name) is not None
    except Rejected:
        return False


def _secret_name(operator: Body) -> str:
    """The Secret of a user who only reads; the operator's own where there is no such user."""
    reader = (operator["metadata"].get("annotations") or {}).get(READER)
    volumes = operator["spec"]["template"]["spec"].get("volumes", [])
    mounted = [volume["secret"]["secretName"] for volume in volumes if "secret" in volume]
    for name in (reader, *mounted):
        if name:
            return str(name)
    raise CommandError(
        "the operator's Deployment mounts no Secret for the object store: set the chart's "
        "objectStore.external.readerSecret"
    )


@contextlib.asynccontextmanager
async def _reachable(
    kubectl: Kubectl, cluster: Cluster, endpoint: str, namespace: str
) -> AsyncIterator[str]:
    """The endpoint as this machine reaches it: a Service in the cluster by a port-forward."""
    service = await _service(cluster, endpoint, namespace)
    if service is None:
        yield endpoint
        return
    name, space = service
    parts = urlsplit(endpoint)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    words = ("port-forward", f"--namespace={space}", f"service/{name}", f":{port}")
    try:
        async with kubectl.serving(*words) as line:
            found = re.search(r"127\.0\.0\.1:(\d+) ->", line)
            if found is None:
                raise CommandError(f"kubectl port-forward failed: {line.strip()}")
            yield f"{parts.scheme}://127.0.0.1:{found[1]}{parts.path}"
    except KubectlFailed as error:
        raise CommandError(
            f"{error}: is the object store's pod running, and may you forward its port?"
        ) from error
