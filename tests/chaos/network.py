"""A pod's network made worse, by rules in the network namespace of the pod itself.

Delay is made by a narrow link, on which packets wait for each other: the kernels that the tests run
on need not have netem. Loopback is spared, because a pod's containers are neighbours.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tests.cluster import cgroups

MARK = "encbench-chaos"
"""The comment of every rule of ours."""
NARROW = ("rate", "2mbit", "burst", "4kb", "latency", "400ms")

LOSS = ("-m", "statistic", "--mode", "random", "--probability", "0.25")
ALL: tuple[str, ...] = ()


def drop(pid: int, what: tuple[str, ...]) -> None:
    """Drop packets in both directions in the network namespace of a process."""
    for chain, device in (("INPUT", "-i"), ("OUTPUT", "-o")):
        own = ("!", device, "lo", *what, "-m", "comment", "--comment", MARK, "-j", "DROP")
        run(pid, "iptables", "--wait=5", "-I", chain, *own)


def narrow(pid: int) -> None:
    """Make the pod's link narrow."""
    run(pid, "tc", "qdisc", "replace", "dev", "eth0", "root", "tbf", *NARROW)


def restore(pid: int) -> list[str]:
    """Take back what is ours in the network namespace of a process; what there was."""
    found = []
    for line in run(pid, "iptables-save", "-t", "filter").splitlines():
        if line.startswith("-A") and MARK in line:
            run(pid, "iptables", "--wait=5", "-D", *_words(line)[1:])
            found.append(line)
    for line in run(pid, "tc", "qdisc", "show").splitlines():
        if " tbf " in line and " dev eth0 " in line:
            run(pid, "tc", "qdisc", "del", "dev", "eth0", "root")
            found.append(line)
    return found


def restore_all() -> list[str]:
    """Take back what is ours in all pods; what there was."""
    found = []
    for pid in namespaces():
        with suppress(subprocess.CalledProcessError):  # the pod has ended, and its network with it
            found += restore(pid)
    return found


def namespaces() -> Iterator[int]:
    """A process in each network namespace of the cluster's pods."""
    seen = {_namespace(os.getpid())}
    for pid in sorted(cgroups.members()):
        namespace = _namespace(pid)
        if namespace and namespace not in seen:
            seen.add(namespace)
            yield pid


def _namespace(pid: int) -> str | None:
    try:
        return str(Path(f"/proc/{pid}/ns/net").readlink())
    except OSError:
        return None


def _words(rule: str) -> list[str]:
    return [word.strip('"') for word in rule.split()]


def run(pid: int, *command: str) -> str:
    """Run a command in the network namespace of a process."""
    inside = ("nsenter", f"--target={pid}", "--net", "--", *command)
    return subprocess.run(inside, capture_output=True, text=True, check=True, timeout=20).stdout
