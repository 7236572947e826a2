"""The composition root: builds the adapters from the options, starts the loop with kopf."""

import argparse
import asyncio
import logging
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime

from encbench import __version__, handlers
from encbench.adapters.agent import HttpAgent
from encbench.adapters.certificates import EllipticCertificates
from encbench.adapters.kubeclient import ClientTransport, connect
from encbench.adapters.kubernetes import KubernetesCluster
from encbench.adapters.kubernetes_http import FencedTransport, Transport
from encbench.adapters.meter import MeteredTransport, PrometheusMeter
from encbench.adapters.meter_http import alive, serving
from encbench.adapters.objectstore import ObjectStore
from encbench.adapters.prometheus import Prometheus
from encbench.adapters.recorder import HttpRecorder
from encbench.adapters.watchcache import WatchCache
from encbench.admission import limits
from encbench.api.kinds import CAMPAIGN, POLICY_BINDING
from encbench.core.naming import digest
from encbench.kube import labels
from encbench.kube.pods import Image, PodMarks, Programs
from encbench.logs import configure_logging
from encbench.options import arguments
from encbench.ports import Cluster, Meter, Reader, Rejected, Unavailable
from encbench.reconcile import farewell
from encbench.reconcile.background import Errands
from encbench.reconcile.deps import Deps, Settings
from encbench.reconcile.election import Contender, Deposed, Elector
from encbench.reconcile.failures import Failures
from encbench.reconcile.loop import Key, Loop
from encbench.reconcile.namespaces import is_ending
from encbench.reconcile.nodes import NodeLeases
from encbench.reconcile.reconcilers import reconcilers
from encbench.reconcile.services import services

log = logging.getLogger("encbench")

PARTING_ATTEMPTS = 5
"""A second apart, of the 30 that the kubelet gives a pod to end."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """An aware datetime in UTC."""
        return datetime.now(UTC)


async def run(args: argparse.Namespace) -> None:
    """Stand by until elected, then work until SIGTERM. Deposed when another process leads."""
    async with AsyncExitStack() as stack:
        meter = PrometheusMeter(__version__)
        way = await _way(stack, meter)
        cluster = KubernetesCluster(way)
        elector = Elector(cluster, SystemClock(), ticks, contender(args))
        meter.follow(elector.standing)
        fenced = FencedTransport(way, lambda: elector.leads)
        deps = _connect(
            args, stack, meter, KubernetesCluster(fenced), _store(args, lambda: elector.leads)
        )
        meter.depend(lambda: deps.services.up)
        if args.liveness:
            await stack.enter_async_context(alive(args.liveness))
        if args.metrics_port is not None:
            await stack.enter_async_context(serving(meter.exposition, args.metrics_port))
        stop = asyncio.Event()
        take_signals(stop)
        tasks = [
            asyncio.create_task(each)
            for each in (
                elector.run(),
                lead(args, deps, meter, elector, stop),
                deps.services.watch(),
                stop.wait(),
            )
        ]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        # What was begun ends as this waits for the API server, and watches may take longer.
        await elector.resign()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        if stop.is_set() and args.release_namespace:
            # Whether or not this process leads, because there may be no other any more.
            await part(cluster, args.release_namespace, args.namespace, installation(args))
        for result in results:
            if isinstance(result, Exception):
                raise result


def contender(args: argparse.Namespace) -> Contender:
    """This process, as it stands for election."""
    return Contender(
        namespace=args.release_namespace or args.namespace[0],
        election=args.election,
        identity=f"{args.pod or socket.gethostname()}_{secrets.token_hex(4)}",
        shards=args.shards,
        pod=args.pod,
    )


def installation(args: argparse.Namespace) -> str:
    """A label's value for this installation's campaigns; empty without a namespace of its own."""
    if not args.release_namespace:
        return ""
    # No name of Kubernetes' has an underscore, so no two installations have one value.
    whole = f"{args.release_namespace}_{args.election}"
    return whole if len(whole) <= 63 else digest(whole)[:63]


def ticks() -> float:
    """A clock in seconds that is never set, and that goes on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def take_signals(stop: asyncio.Event) -> None:
    """Have SIGTERM and SIGINT end this process by way of `run`."""
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)


async def lead(
    args: argparse.Namespace,
    deps: Deps,
    meter: PrometheusMeter,
    elector: Elector,
    stop: asyncio.Event,
) -> None:
    """Act for a shard, once this process leads it, until cancelled."""
    deps = replace(deps, shard=await elector.elected(), presence=elector)
    background = Errands(
        lambda one: loop.wake(Key(one.kind, one.namespace, one.name)),
        faults=Failures(deps.cluster),
        meter=meter,
    )
    space = args.lease_namespace or args.release_namespace or args.namespace[0]
    nodes = NodeLeases(deps.cluster, deps.clock, space, ticks)
    # Passes read what watches have brought; sweeps and leases ask the API server.
    cache = WatchCache(deps.cluster, ticks)
    passes = reconcilers(replace(deps, cluster=cache), background, nodes)
    loop = Loop(deps.cluster, passes, args.namespace, deps.clock, meter, deps.shard)
    meter.watch(loop.lanes, lambda: background.under_way)
    log.info("encbench %s watches %s", deps.settings.version, ", ".join(args.namespace))
    essential = (
        loop.run(),
        # kopf takes the signals, and would be in no hurry.
        handlers.watch(loop, cache, args.namespace, lambda: take_signals(stop)),
    )
    others = (
        nodes.keep(),
        _log_rules(deps.cluster, args.admission_policy),
        farewell.let_forgotten_go(deps.cluster, deps.clock, args.namespace, deps.shard),
        farewell.claim(deps.cluster, args.namespace, deps.shard, deps.settings.installation),
    )
    tasks = [asyncio.create_task(each) for each in (*essential, *others)]
    for task in tasks[len(essential) :]:
        task.add_done_callback(_log_fault)
    try:
        # Without its watches or its loop the operator is useless: end and be restarted.
        await asyncio.wait(tasks[: len(essential)], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await background.end()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception):
            raise result


def _log_fault(task: asyncio.Task[None]) -> None:
    """Say at once that the operator goes on without this one."""
    if not task.cancelled() and (fault := task.exception()) is not None:
        log.error("a task beside the loop has ended by a fault", exc_info=fault)


async def part(cluster: Cluster, own: str, watched: Sequence[str], mine: str) -> None:
    """Let all campaigns go, if the operator ends because its own namespace is being deleted."""
    for _ in range(PARTING_ATTEMPTS):
        try:
            if await is_ending(cluster, own):
                await farewell.let_go(cluster, watched, mine)
        except (Unavailable, Rejected) as error:
            log.warning("whether campaigns can be deleted without the operator: %s", error)
            await asyncio.sleep(1.0)
        else:
            return


async def let_go(args: argparse.Namespace) -> None:
    """Let all campaigns go. Unavailable when the API server is away."""
    async with AsyncExitStack() as stack:
        cluster = KubernetesCluster(await _way(stack, Meter()))
        await farewell.let_go(cluster, args.namespace, installation(args))


async def check(args: argparse.Namespace) -> bool:
    """Print one line for each service that the operator needs; True when all of them answer."""
    async with AsyncExitStack() as stack:
        cluster = KubernetesCluster(await _way(stack, Meter()))
        store = _store(args)
        deps = _connect(args, stack, Meter(), cluster, store)
        good = True
        for name, probe in (
            ("API server and CRDs", deps.cluster.list(CAMPAIGN, args.namespace[0])),
            ("object store", store.check()),
            ("Prometheus", deps.metrics.check()),
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


async def _way(stack: AsyncExitStack, meter: Meter) -> Transport:
    """To the API server."""
    client = await connect()
    stack.push_async_callback(client.close)
    return MeteredTransport(ClientTransport(client), meter)


def _store(args: argparse.Namespace, may_write: Callable[[], bool] = lambda: True) -> ObjectStore:
    return ObjectStore(
        endpoint=args.s3_endpoint,
        external_endpoint=args.s3_external_endpoint,
        bucket=args.s3_bucket,
        region=args.s3_region,
        credentials=args.s3_credentials_dir,
        ca_file=args.s3_ca_file,
        may_write=may_write,
    )


def _programs(args: argparse.Namespace) -> Programs:
    return Programs(
        operator=Image(args.image, args.image_pull_policy),
        volume=Image(args.volume_image, args.volume_image_pull_policy),
        proxy=Image(args.proxy_image, args.proxy_image_pull_policy),
        turnstile=Image(args.turnstile_image, args.turnstile_image_pull_policy),
        pull_secrets=tuple(args.image_pull_secret),
        marks=PodMarks(dict(args.pod_label), dict(args.pod_annotation), args.pod_priority_class),
    )


def _connect(
    args: argparse.Namespace,
    stack: AsyncExitStack,
    meter: Meter,
    cluster: Cluster,
    store: ObjectStore,
) -> Deps:
    metrics = Prometheus(args.prometheus_url, ca_file=args.prometheus_ca_file)
    agent, recorder = HttpAgent(), HttpRecorder()
    for adapter in (metrics, agent, recorder):
        stack.push_async_callback(adapter.aclose)
    settings = Settings(
        installation=installation(args),
        programs=_programs(args),
        version=__version__,
        random_token=secrets.token_hex,
        store=store.url,
        store_authority=store.authority,
        installed=limits.installed(args),
    )
    return Deps(
        cluster=cluster,
        direct=cluster,
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


def main() -> int:
    """Entry point; the exit code."""
    args = arguments().parse_args()
    configure_logging(args.log_level, args.log_format)
    if args.command == "check":
        return 0 if asyncio.run(check(args)) else 1
    if args.command == "let-go":
        asyncio.run(let_go(args))
        return 0
    try:
        asyncio.run(run(args))
    except Deposed as error:
        log.error("another process takes over: %s", error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
