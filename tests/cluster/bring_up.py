"""From whatever the machine is in to a Ready node, in steps that can each be repeated.

A cluster that once became ready is repaired in place: daemons that died are started again. One that
never did, or was started from other binaries or settings, is removed first; half of a start is not
worth understanding.
"""

import socket
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from . import (
    addons,
    artefacts,
    binaries,
    cache,
    cgroups,
    cleanup,
    containerd,
    images,
    mounts,
    network,
    packages,
    pki,
    preflight,
    processes,
    snapshot,
)
from .api import Api, condition, rolled_out
from .components import CONTAINERD_SOCKET, KUBELET_HEALTH_PORT, Daemon, daemons, kubeconfig_path
from .console import ClusterError, Console, wait_until
from .layout import Layout


def up(layout: Layout, console: Console, *, pull: bool) -> None:
    """Bring the cluster up; returns when the node is Ready and DNS and storage are available."""
    preflight.check_host()
    packages.ensure(layout, console)
    compiled, archives = artefacts.make(
        layout, console, binaries.CORE_PARTS, images.CORE_IMAGES, pull=pull
    )
    planned = daemons(layout)
    plan = _fingerprint(planned, compiled["kubernetes"])
    if _started_from(layout) != plan and (layout.state.exists() or cgroups.members()):
        console.say("the previous start did not finish, or was another version: removing it")
        cleanup.down(layout, console)

    preflight.check_free(planned)
    snapshot.take(layout)
    pki.ensure(layout)
    _link_binaries(layout, compiled.values())
    _write_files(layout, planned)
    mounts.share(layout.state)
    layout.volumes.mkdir(exist_ok=True)
    cgroups.create()
    network.create()

    _start(layout, console, planned, archives)
    with console.step("addons", "CoreDNS and the default StorageClass"):
        _await_addons(layout)
    layout.ready_marker.write_text(plan)


def import_images(layout: Layout, console: Console, archives: dict[str, Path]) -> None:
    """Hand every archive to containerd, if the cluster runs."""
    if not containerd.answers():
        console.say("the cluster is not running; images are built and will be imported by 'images'")
        return
    containerd.import_images(console, archives)


def _start(
    layout: Layout, console: Console, planned: list[Daemon], archives: dict[str, Path]
) -> None:
    """Start what does not run. The order lets slow starts overlap with what does not need them."""
    by_name = {daemon.name: daemon for daemon in planned}
    api = Api(layout)
    with console.step("control plane", "etcd, containerd, kube-apiserver"):
        for name in ("etcd", "containerd", "kube-apiserver"):
            _start_daemon(layout, by_name.pop(name))
        _await_daemon(layout, "containerd", containerd.answers, 30)
        import_images(layout, console, archives)
        _await_daemon(layout, "kube-apiserver", api.ready, 90)
    with console.step("node", ", ".join(by_name)):
        for daemon in by_name.values():
            _start_daemon(layout, daemon)
        for manifest in addons.manifests(layout):
            api.apply(manifest)
        _await_daemon(layout, "kubelet", partial(_node_ready, api), 90)


def _node_ready(api: Api) -> bool:
    """Whether the node is Ready and the kubelet that says so still lives."""
    if not _connects("127.0.0.1", KUBELET_HEALTH_PORT):
        return False
    return condition(api.get(f"/api/v1/nodes/{pki.node_name()}"), "Ready")


def _start_daemon(layout: Layout, daemon: Daemon) -> None:
    if processes.running(daemon.name, daemon.binary):
        return
    if daemon.name == "containerd":
        CONTAINERD_SOCKET.unlink(missing_ok=True)
    processes.start(daemon.name, daemon.argv, _log(layout, daemon.name))


def _await_daemon(layout: Layout, name: str, ready: Callable[[], bool], timeout: float) -> None:
    """Wait for a daemon; one that has ended will not become ready, so say so at once."""

    def ready_or_dead() -> bool:
        if ready():
            return True
        if not cgroups.members(name):
            raise ClusterError(f"{name} ended while starting", _log(layout, name))
        return False

    wait_until(name, ready_or_dead, timeout, _log(layout, name))


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


def _fingerprint(planned: list[Daemon], kubernetes: Path) -> str:
    """What the daemons are started from: the build of Kubernetes, every argument and setting."""
    settings: list[str] = []
    for daemon in planned:
        settings += daemon.argv
        for path, content in daemon.files.items():
            settings += [str(path), content]
    return cache.content_key(kubernetes.name, *settings)


def _started_from(layout: Layout) -> str | None:
    return layout.ready_marker.read_text() if layout.ready_marker.exists() else None


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
    """Write a private file, unless it says so already: somebody may be reading it."""
    if path.exists() and path.read_text() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(content)


def _log(layout: Layout, name: str) -> Path:
    return layout.logs / f"{name}.log"
