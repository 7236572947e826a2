"""What has to be true of the machine before anything is changed, said in a sentence each."""

import os
import platform
import socket
from collections.abc import Iterable

from . import network, processes
from .console import ClusterError
from .daemon import Daemon
from .node_daemons import CONTAINERD_SOCKET


def check_host() -> None:
    """For a cluster of one's own; one that is there already needs nothing of the machine."""
    if platform.system() != "Linux":
        raise ClusterError("the cluster needs Linux; use CLUSTER=existing with one you have")
    if os.geteuid() != 0:
        raise ClusterError("the cluster needs root; run it with sudo or use CLUSTER=existing")


def check_builder() -> None:
    """For a release, whose images are built with Debian's packages."""
    if platform.system() != "Linux":
        raise ClusterError("a release is built on Linux; use a Debian 12 machine, such as a VM")
    if os.geteuid() != 0:
        raise ClusterError("a release is built by root; run it with sudo")


def check_free(daemons: Iterable[Daemon]) -> None:
    """Refuse to start next to something that holds our ports, socket or address ranges.

    On further nodes there is nothing but what is ours.
    """
    network.check()
    for daemon in daemons:
        if not daemon.node.is_machine or processes.running(daemon.group, daemon.binary):
            continue
        for address, port in daemon.ports:
            if not _bindable(address, port):
                raise ClusterError(f"port {port}, which {daemon.name} needs, is in use")
        if daemon.name == "containerd" and _answers(CONTAINERD_SOCKET.as_posix()):
            raise ClusterError(f"another containerd serves {CONTAINERD_SOCKET}; stop it first")


def _bindable(address: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.setsockopt(socket.IPPROTO_IP, 15, 1)  # IP_FREEBIND: the address may come later
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True


def _answers(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except OSError:
            return False
    return True
