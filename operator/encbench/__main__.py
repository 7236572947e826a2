"""The composition root: reads the arguments, builds the adapters, starts the loop with kopf."""

import argparse
import asyncio
import itertools
import json
import logging
import secrets
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, cast

import kopf

from encbench import __version__, handlers
from encbench.adapters.agent import HttpAgent
from encbench.adapters.certificates import EllipticCertificates
from encbench.adapters.kubeclient import ClientTransport, connect
from encbench.adapters.kubernetes import KubernetesCluster
from encbench.adapters.meter import MeteredTransport, PrometheusMeter
from encbench.adapters.meter_http import serving
from encbench.adapters.objectstore import ObjectStore
from encbench.adapters.prometheus import Prometheus
from encbench.adapters.recorder import HttpRecorder
from encbench.adapters.watchcache import WatchCache
from encbench.admission.gather import Allowed
from encbench.admission.images import SERVERS, TOOLS, Images
from encbench.api.kinds import CAMPAIGN, POLICY_BINDING
from encbench.kube import labels
from encbench.ports import Cluster, Meter, Reader, Rejected, Unavailable
from encbench.reconcile import farewell
from encbench.reconcile.background import Errands
from encbench.reconcile.deps import Deps, Settings
from encbench.reconcile.loop import Key, Loop
from encbench.reconcile.namespaces import is_ending
from encbench.reconcile.nodes import NodeLeases
from encbench.reconcile.reconcilers import reconcilers
from encbench.reconcile.services import services

log = logging.getLogger("encbench")

PARTING_ATTEMPTS = 5
"""A second apart, of the 30 that the kubelet gives a pod to end."""
IMAGES = {
    "image": "image of agent and recorder: the operator's",
    "volume-image": "image with gocryptfs; without it, modes that need a privileged container are "
    "refused",
    "proxy-image": "image of the confidential proxy; without it, modes with columns are refused",
    "turnstile-image": "image of the turnstile; without it, interleaved blocks are refused",
}


CHOICES = {
    "server-image": (
        SERVERS,
        "ENGINE=REPOSITORY: server of templates without an image, whose version is the tag",
    ),
    "tool-image": (TOOLS, "TOOL=IMAGE: client of workloads without an image"),
}
ALLOWED = {
    "allowed-image": "registry, folder or repository of images that campaigns may name; may be "
    "given several times; without it, all",
    "allowed-host": "host of external databases and of jars; *.example.com for all below it; may "
    "be given several times; without it, all",
    "allowed-node-label": "label that a nodeSelector may ask for, key or key=value; may be given "
    "several times; without it, all",
    "allowed-taint": "taint that pods may tolerate, key or key=value; may be given several times; "
    "without it, all",
    "allowed-storage-class": "StorageClass that may be named; may be given several times; without "
    "it, all",
}


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """An aware datetime in UTC."""
        return datetime.now(UTC)


class JsonFormatter(logging.Formatter):
    """One JSON object per line, for log collectors."""

    def format(self, record: logging.LogRecord) -> str:
        """The record's time, level, logger and text, with the traceback where there is one."""
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry)


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="encbench",
        description="Operator that measures what turning database encryption on costs.",
    )
    parser.add_argument(
        "command",
        nargs="?",
        choices=("run", "check", "let-go"),
        default="run",
        help="run: the operator; check: test that API server, object store and Prometheus answer; "
        "let-go: have no campaign wait for the operator, before it is uninstalled",
    )
    parser.add_argument(
        "--namespace",
        action="append",
        required=True,
        help="namespace to watch; may be given several times",
    )
    parser.add_argument(
        "--release-namespace",
        default="",
        help="the operator's own; when it is deleted, no campaign waits for the operator any more",
    )
    parser.add_argument(
        "--lease-namespace",
        default="",
        help="namespace of the leases of nodes, the same for all operators of a cluster; without "
        "it, the operator's own",
    )
    for name, help_text in IMAGES.items():
        parser.add_argument(f"--{name}", default="", help=help_text)
        parser.add_argument(
            f"--{name}-pull-policy",
            default="IfNotPresent",
            choices=("Always", "IfNotPresent", "Never"),
        )
    for name, (known, help_text) in CHOICES.items():
        parser.add_argument(
            f"--{name}", action="append", default=[], type=partial(_choice, known), help=help_text
        )
    parser.add_argument(
        "--image-pull-secret",
        action="append",
        default=[],
        help="Secret in each watched namespace by which every pod may pull its images; may be "
        "given several times",
    )
    parser.add_argument(
        "--admission-policy",
        action="append",
        default=[],
        help="binding of a ValidatingAdmissionPolicy of the chart; may be given several times",
    )
    for name, help_text in ALLOWED.items():
        parser.add_argument(f"--{name}", action="append", default=[], help=help_text)
    parser.add_argument(
        "--image-digests-only", action="store_true", help="refuse images without a digest"
    )
    parser.add_argument(
        "--namespace-trials",
        type=int,
        default=0,
        help="trials that the campaigns of a namespace may plan together; without it, any number",
    )
    parser.add_argument("--s3-endpoint", required=True, help="URL of the object store")
    parser.add_argument("--s3-external-endpoint", help="its URL for clients, if it differs")
    parser.add_argument("--s3-bucket", default="encbench", help="bucket for all artefacts")
    parser.add_argument("--s3-region", default="us-east-1")
    parser.add_argument(
        "--s3-credentials-dir",
        type=Path,
        help="directory with the files access-key, secret-key and, for temporary credentials, "
        "session-token; without it, the role of the service account is used",
    )
    parser.add_argument("--s3-ca-file", type=Path, help="CA certificates of the object store")
    parser.add_argument("--prometheus-url", required=True)
    parser.add_argument("--prometheus-ca-file", type=Path, help="CA certificates of Prometheus")
    parser.add_argument(
        "--metrics-port", type=int, help="serve the operator's own metrics there, at /metrics"
    )
    parser.add_argument("--liveness", help="URL to serve the liveness probe at")
    parser.add_argument("--log-format", choices=("text", "json"), default="text")
    parser.add_argument("--log-level", choices=("debug", "info", "warning"), default="info")
    return parser


def _choice(known: Mapping[str, str], text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if name not in known or not value:
        raise argparse.ArgumentTypeError(f"write one of {', '.join(known)}, = and a reference")
    return name, value


def configure_logging(level: str, style: str) -> None:
    """Log to stderr. kopf logs warnings only, because at debug level it logs whole bodies."""
    handler = logging.StreamHandler()
    text = logging.Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s")
    handler.setFormatter(JsonFormatter() if style == "json" else text)
    logging.basicConfig(level=level.upper(), handlers=[handler])
    for noisy in ("kopf", "kubernetes", "aiohttp.access", "botocore", "urllib3"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


class EndlessBackoffs:
    """Seconds between kopf's attempts at a request, without an end.

    kopf ends when a list or a watch is refused more often than there are entries here, and takes
    the watches of all namespaces along. Only one of them may be forbidden: its Role goes first when
    a namespace is deleted.
    """

    def __iter__(self) -> Iterator[float]:
        """The seconds, anew for each request."""
        yield from (1, 2, 3, 5, 8, 13, 20)
        yield from itertools.repeat(30)


def kopf_settings() -> kopf.OperatorSettings:
    """Settings of a mere listener: no scanning, no peering, no events, no annotations."""
    settings = kopf.OperatorSettings()
    settings.watching.chunk_size = 500
    settings.watching.connect_timeout = 10
    settings.watching.server_timeout = 600
    settings.networking.request_timeout = 30
    settings.networking.error_backoffs = EndlessBackoffs()
    settings.networking.enforce_retry_after = True
    settings.queueing.error_delays = (1, 2, 5, 10, 20, 40, 60)
    settings.posting.enabled = False
    settings.scanning.disabled = True
    settings.peering.standalone = True
    settings.persistence.finalizer = f"{labels.CAMPAIGN.split('/')[0]}/kopf"
    handlers.select(settings)
    return settings


async def run(args: argparse.Namespace) -> None:
    """Run until SIGTERM."""
    async with AsyncExitStack() as stack:
        meter = PrometheusMeter(__version__)
        deps, store = await _connect(args, stack, meter)
        background = Errands(lambda one: loop.wake(Key(one.kind, one.namespace, one.name)))
        space = args.lease_namespace or args.release_namespace or args.namespace[0]
        nodes = NodeLeases(deps.cluster, deps.clock, space, time.monotonic)
        # Passes read what watches have brought; sweeps and leases ask the API server.
        cache = WatchCache(deps.cluster, time.monotonic)
        passes = reconcilers(replace(deps, cluster=cache), background, nodes)
        loop = Loop(deps.cluster, passes, args.namespace, meter)
        meter.watch(loop.lanes, lambda: background.under_way)
        if args.metrics_port is not None:
            await stack.enter_async_context(serving(meter.exposition, args.metrics_port))
        registry = kopf.OperatorRegistry()
        handlers.register(registry, loop, cache)
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        work = asyncio.create_task(loop.run())
        tending = asyncio.create_task(nodes.keep())
        bucket = asyncio.create_task(_ensure_bucket(store))
        log.info("encbench %s watches %s", deps.settings.version, ", ".join(args.namespace))
        rules = asyncio.create_task(_log_rules(deps.cluster, args.admission_policy))
        away = asyncio.create_task(deps.services.watch())
        forgotten = asyncio.create_task(
            farewell.let_forgotten_go(deps.cluster, deps.clock, args.namespace)
        )
        watch = asyncio.create_task(
            kopf.operator(
                registry=registry,
                settings=kopf_settings(),
                namespaces=args.namespace,
                liveness_endpoint=args.liveness,
                # Without it kopf looks up a user name that an image may lack.
                identity=cast(Any, "encbench"),
                stop_flag=stop,
            )
        )
        # Without its watches or its loop the operator is useless: end and be restarted.
        await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
        tasks = (work, tending, bucket, watch, rules, away, forgotten)
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        if args.release_namespace:
            await part(deps.cluster, args.release_namespace, args.namespace)
        for result in results:
            if isinstance(result, Exception):
                raise result


async def part(cluster: Cluster, own: str, watched: Sequence[str]) -> None:
    """Let all campaigns go, if the operator ends because its own namespace is being deleted."""
    for _ in range(PARTING_ATTEMPTS):
        try:
            if await is_ending(cluster, own):
                await farewell.let_go(cluster, watched)
        except (Unavailable, Rejected) as error:
            log.warning("whether campaigns can be deleted without the operator: %s", error)
            await asyncio.sleep(1.0)
        else:
            return


async def let_go(args: argparse.Namespace) -> None:
    """Let all campaigns go. Unavailable when the API server is away."""
    async with AsyncExitStack() as stack:
        client = await connect()
        stack.push_async_callback(client.close)
        await farewell.let_go(KubernetesCluster(ClientTransport(client)), args.namespace)


async def check(args: argparse.Namespace) -> bool:
    """Print one line for each service that the operator needs; True when all of them answer."""
    async with AsyncExitStack() as stack:
        deps, store = await _connect(args, stack, Meter())
        good = True
        for name, probe in (
            ("API server and CRDs", deps.cluster.list(CAMPAIGN, args.namespace[0])),
            ("object store", store.check()),
            ("Prometheus", deps.metrics.raw("up", 0, 1)),
        ):
            try:
                await probe
                print(f"ok      {name}")
            except Exception as error:
                good = False
                print(f"failed  {name}: {error}")
        print(f"        {await admission_rules(deps.cluster, args.admission_policy)}")
        return good


async def admission_rules(cluster: Reader, policies: Sequence[str]) -> str:
    """What holds authors to their own rights and to the administrator's lists, in a sentence."""
    always = (
        f"the operator checks the chart's lists and the label {labels.USE} when it accepts a "
        "campaign"
    )
    if not policies:
        return (
            f"{always}; no ValidatingAdmissionPolicy asks whether authors may read what they name"
        )
    try:
        missing = [one for one in policies if await cluster.get(POLICY_BINDING, "", one) is None]
    except (Unavailable, Rejected) as error:
        return f"{always}; whether the ValidatingAdmissionPolicies are in force is unknown: {error}"
    there = ", ".join(one for one in policies if one not in missing) or "none"
    gone = f"; missing: {', '.join(missing)}" if missing else ""
    return f"{always}; ValidatingAdmissionPolicies in force: {there}{gone}"


async def _log_rules(cluster: Reader, policies: Sequence[str]) -> None:
    log.info("%s", await admission_rules(cluster, policies))


async def _connect(
    args: argparse.Namespace, stack: AsyncExitStack, meter: Meter
) -> tuple[Deps, ObjectStore]:
    client = await connect()
    stack.push_async_callback(client.close)
    cluster = KubernetesCluster(MeteredTransport(ClientTransport(client), meter))
    metrics = Prometheus(args.prometheus_url, ca_file=args.prometheus_ca_file)
    agent, recorder = HttpAgent(), HttpRecorder()
    for adapter in (metrics, agent, recorder):
        stack.push_async_callback(adapter.aclose)
    store = ObjectStore(
        endpoint=args.s3_endpoint,
        external_endpoint=args.s3_external_endpoint,
        bucket=args.s3_bucket,
        region=args.s3_region,
        credentials=args.s3_credentials_dir,
        ca_file=args.s3_ca_file,
    )
    settings = Settings(
        operator_image=args.image,
        image_pull_policy=args.image_pull_policy,
        version=__version__,
        random_token=secrets.token_hex,
        store=store.url,
        store_authority=store.authority,
        volume_image=args.volume_image,
        volume_pull_policy=args.volume_image_pull_policy,
        proxy_image=args.proxy_image,
        proxy_pull_policy=args.proxy_image_pull_policy,
        turnstile_image=args.turnstile_image,
        turnstile_pull_policy=args.turnstile_image_pull_policy,
        images=Images.chosen(args.server_image, args.tool_image),
        pull_secrets=tuple(args.image_pull_secret),
        namespace_trials=args.namespace_trials,
        allowed=Allowed(
            images=tuple(one.rstrip("/") for one in args.allowed_image),
            digests_only=args.image_digests_only,
            hosts=tuple(one.lower() for one in args.allowed_host),
            node_labels=tuple(args.allowed_node_label),
            taints=tuple(args.allowed_taint),
            storage_classes=tuple(args.allowed_storage_class),
        ),
    )
    deps = Deps(
        cluster=cluster,
        store=store,
        metrics=metrics,
        agent=agent,
        recorder=recorder,
        certificates=EllipticCertificates(),
        clock=SystemClock(),
        meter=meter,
        settings=settings,
        services=services(store, metrics),
    )
    return deps, store


async def _ensure_bucket(store: ObjectStore) -> None:
    """Create the bucket as soon as the store answers."""
    while True:
        try:
            await store.ensure_bucket()
        except Unavailable as error:
            log.warning("the object store is not ready: %s", error)
            await asyncio.sleep(5)
        else:
            return


def main() -> int:
    """Entry point; the exit code."""
    args = arguments().parse_args()
    configure_logging(args.log_level, args.log_format)
    if args.command == "check":
        return 0 if asyncio.run(check(args)) else 1
    if args.command == "let-go":
        asyncio.run(let_go(args))
        return 0
    asyncio.run(run(args))
    return 0


if __name__ == "__main__":
    sys.exit(main())
