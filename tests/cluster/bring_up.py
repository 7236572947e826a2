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
from .components import CONTAINERD_SOCKET, Daemon, daemons, kubeconfig_path
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

    snapshot.take(layout)
    pki.ensure(layout)
    _link_binaries(layout, compiled.values())
    preflight.check_free(planned)
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
    for name, archive in archives.items():
        containerd.import_image(console, name, archive)


def is_running(layout: Layout) -> bool:
    """Whether the API server of a cluster of ours answers."""
    return layout.pki.exists() and Api(layout).ready()


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
        node = f"/api/v1/nodes/{pki.node_name()}"
        _await_daemon(layout, "kubelet", lambda: condition(api.get(node), "Ready"), 90)


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
    wait_until("the DNS service", _dns_answers, 30, _log(layout, "kube-proxy"))


def _dns_answers() -> bool:
    """Whether CoreDNS can be reached through its service address, by way of kube-proxy's rules."""
    try:
        socket.create_connection((network.DNS_ADDRESS, 53), timeout=1).close()
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
            cache.remove(link)
            link.symlink_to(binary)


def _write_files(layout: Layout, planned: list[Daemon]) -> None:
    for daemon in planned:
        for path, content in daemon.files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        if daemon.client:
            _write_kubeconfig(layout, daemon.name, kubeconfig_path(layout, daemon.name))
    _write_kubeconfig(layout, "admin", layout.kubeconfig)


def _write_kubeconfig(layout: Layout, name: str, path: Path) -> None:
    path.touch(mode=0o600)
    path.write_text(pki.kubeconfig(layout, name))


def _log(layout: Layout, name: str) -> Path:
    return layout.logs / f"{name}.log"
