"""From whatever the machine is in to Ready nodes, in steps that can each be repeated.

A cluster that once became ready is repaired in place: daemons that died are started again, and a
further node that lost its namespaces boots anew. Further nodes join it while it runs. A cluster
that never became ready, or was started from other binaries or settings or with more nodes, is
removed first; half of a start is not worth understanding, and neither is half of a join.
"""

import socket
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from . import (
    addons,
    artefacts,
    binaries,
    cache,
    cgroups,
    cleanup,
    components,
    containerd,
    firewall,
    images,
    mounts,
    namespaces,
    network,
    nodes,
    packages,
    pki,
    policies,
    preflight,
    processes,
    snapshot,
)
from .api import Api, condition, rolled_out
from .console import ClusterError, Console, wait_until
from .daemon import Daemon, kubeconfig_path
from .layout import Layout
from .node_daemons import CONTAINERD_SOCKET, KUBELET_PORT
from .nodes import Node


def up(
    layout: Layout, console: Console, count: int, further: Iterable[str] = (), *, pull: bool
) -> None:
    """Bring a cluster of so many nodes up; returns when they and the addons are ready.

    It gets the `further` images while it waits for the addons, or as they are built where there are
    compilers to wait for.
    """
    preflight.check_host()
    packages.ensure(layout, console)
    parts = {part: binaries.place(layout, part) for part in binaries.core_parts()}
    members = nodes.planned(count)
    planned = components.daemons(layout, members, judged=policies.wanted())
    daemons = (binaries.kubernetes(), policies.NAME)
    plan = plan_of(planned, [parts[part] for part in daemons if part in parts])
    started = _started_from(layout)
    if not may_go_on(started, plan) and (layout.state.exists() or cgroups.members()):
        console.say(
            "the previous start did not finish, or was another version or had more nodes: "
            "removing it"
        )
        cleanup.down(layout, console)
    elif started != plan:
        layout.ready_marker.unlink(missing_ok=True)

    preflight.check_free(planned)
    snapshot.take(layout)
    pki.ensure(layout, members)
    _write_files(layout, planned)
    mounts.share(layout.state)
    layout.volumes.mkdir(exist_ok=True)
    cgroups.create(components.branches(members))
    for node in members:
        _boot(layout, node)
    _start_runtimes(layout, planned)

    def bring(name: str, archive: Path) -> None:
        """Only while something has to be compiled: otherwise the addons start first."""
        if not all(place.exists() for place in parts.values()):
            import_images(layout, console, {name: archive})

    names = dict.fromkeys((*images.CORE_IMAGES, *further))
    compiled, archives = artefacts.make(layout, console, parts, names, pull=pull, then=bring)
    _link_binaries(layout, compiled.values())
    core = {name: archives.pop(name) for name in images.CORE_IMAGES}
    _start(layout, console, members, planned, core)
    with ThreadPoolExecutor(1) as pool:
        brought = pool.submit(import_images, layout, console, archives)
        with console.step("addons", "CoreDNS and the default StorageClass"):
            _await_addons(layout)
        brought.result()
    layout.ready_marker.write_text("\n".join(sorted(plan)))


def import_images(layout: Layout, console: Console, archives: dict[str, Path]) -> None:
    """Hand every archive to the containerd of each node that runs."""
    running = [node for node in nodes.existing(layout) if containerd.answers(node)]
    if not running:
        console.say("the cluster is not running; images are built and will be imported by 'images'")
    for node in running:
        containerd.import_images(console, node, archives)


def _boot(layout: Layout, node: Node) -> None:
    """Have the node's network, and first the namespaces of one that has its own."""
    if node.is_machine:
        network.create()
        return
    holder = namespaces.holder(layout, node)
    held = partial(processes.running, holder.group, holder.binary)
    if not held():
        # What still runs is in namespaces that no new daemon can enter.
        processes.end_all(node.branch)
        start_daemon(layout, holder)
        _await_daemon(layout, holder, held, 10)
    inside = namespaces.enter(node)
    network.create(node.address, inside)
    network.connect(node.number, namespaces.process(node), inside)


def _start_runtimes(layout: Layout, planned: Iterable[Daemon]) -> None:
    """Start containerd on every node. It comes from Debian, so it need not wait for a compiler."""
    runtimes = [one for one in planned if one.name == one.node.own("containerd")]
    for daemon in runtimes:
        start_daemon(layout, daemon)
    for daemon in runtimes:
        _await_daemon(layout, daemon, partial(containerd.answers, daemon.node), 30)


def _start(
    layout: Layout,
    console: Console,
    members: Sequence[Node],
    planned: list[Daemon],
    archives: dict[str, Path],
) -> None:
    """Start what does not run. The order lets slow starts overlap with what does not need them."""
    by_name = {daemon.name: daemon for daemon in planned if not daemon.through}
    for node in members:
        del by_name[node.own("containerd")]
    api = Api(layout)
    with console.step("control plane", "etcd, kube-apiserver"):
        server = by_name.pop("kube-apiserver")
        for daemon in (by_name.pop("etcd"), server):
            start_daemon(layout, daemon)
        import_images(layout, console, archives)
        _await_daemon(layout, server, api.ready, 90)
    with console.step("node" if len(members) == 1 else "nodes", ", ".join(by_name)):
        for daemon in by_name.values():
            start_daemon(layout, daemon)
        for manifest in addons.manifests(layout, judged=policies.wanted()):
            api.apply(manifest)
        for node in members:
            kubelet = by_name[node.own("kubelet")]
            _await_daemon(layout, kubelet, partial(_node_ready, api, node), 90)
    for node in members:
        if judge := by_name.get(node.own(policies.NAME)):
            _await_daemon(layout, judge, partial(policies.judges, node), 90)
            firewall.judge(network.BRIDGE, policies.QUEUE, namespaces.enter(node))


def _node_ready(api: Api, node: Node) -> bool:
    """Whether the node is Ready and the kubelet that says so still lives."""
    if not _connects(node.address, KUBELET_PORT):
        return False
    return condition(api.get(f"/api/v1/nodes/{node.name}"), "Ready")


def start_daemon(layout: Layout, daemon: Daemon) -> None:
    """Start a daemon of a node that is up, unless it runs."""
    if processes.running(daemon.group, daemon.binary):
        return
    if daemon.name == "containerd":
        CONTAINERD_SOCKET.unlink(missing_ok=True)
    inside = [] if daemon.through else namespaces.enter(daemon.node)
    processes.start(daemon.group, [*inside, *daemon.argv], _log(layout, daemon.name))


def _await_daemon(
    layout: Layout, daemon: Daemon, ready: Callable[[], bool], timeout: float
) -> None:
    """Wait for a daemon; one that has ended will not become ready, so say so at once."""
    log = _log(layout, daemon.name)

    def ready_or_dead() -> bool:
        if ready():
            return True
        if not cgroups.members(daemon.group):
            raise ClusterError(f"{daemon.name} ended while starting", log)
        return False

    wait_until(daemon.name, ready_or_dead, timeout, log)


def _await_addons(layout: Layout) -> None:
    api = Api(layout)

    def available(namespace: str, name: str) -> bool:
        path = f"/apis/apps/v1/namespaces/{namespace}/deployments/{name}"
        return rolled_out(api.get(path))

    for namespace, name in addons.DEPLOYMENTS:
        wait_until(name, partial(available, namespace, name), 120)
    # Through its service address, so that kube-proxy is part of the proof.
    dns = partial(_connects, network.DNS_ADDRESS, 53)
    wait_until("the DNS service", dns, 30, _log(layout, "kube-proxy"))


def _connects(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), timeout=1).close()
    except OSError:
        return False
    return True


def plan_of(planned: Iterable[Daemon], builds: Iterable[Path]) -> frozenset[str]:
    """A line for each node: its number and what it is started from, as a digest.

    That is the builds that run, and every argument and setting of its daemons.
    """
    names = [build.name for build in builds]
    settings: dict[Node, list[str]] = {}
    for daemon in planned:
        own = settings.setdefault(daemon.node, [*names])
        own += daemon.argv
        for path, content in daemon.files.items():
            own += [str(path), content]
    return frozenset(f"{node.number} {cache.content_key(*own)}" for node, own in settings.items())


def may_go_on(started: frozenset[str] | None, plan: frozenset[str]) -> bool:
    """Whether what was started is a part of the plan: then the rest of it joins."""
    return started is not None and started <= plan


def _started_from(layout: Layout) -> frozenset[str] | None:
    if not layout.ready_marker.exists():
        return None
    return frozenset(layout.ready_marker.read_text().splitlines())


def _link_binaries(layout: Layout, directories: Iterable[Path]) -> None:
    layout.bin.mkdir(exist_ok=True)
    for directory in directories:
        for binary in directory.iterdir():
            link = layout.bin / binary.name
            if not link.is_symlink() or link.readlink() != binary:
                cache.remove(link)
                link.symlink_to(binary)


def _write_files(layout: Layout, planned: list[Daemon]) -> None:
    for daemon in planned:
        for path, content in daemon.files.items():
            _write(path, content)
        if daemon.client:
            config = kubeconfig_path(layout, daemon.name)
            _write(config, pki.kubeconfig(layout, daemon.name))
    _write(layout.kubeconfig, pki.kubeconfig(layout, "admin"))


def _write(path: Path, content: str) -> None:
    """Write a private file, unless it says so already: a daemon may be reading it."""
    if path.exists() and path.read_text() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(content)


def _log(layout: Layout, name: str) -> Path:
    return layout.logs / f"{name}.log"
