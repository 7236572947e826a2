"""The state of the machine that a cluster could leave traces in, read from the machine itself."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PLACES = ("/etc", "/opt", "/run", "/var/lib", "/var/log", "/usr/libexec")
"""Directories whose entries are listed, two levels deep."""
PASSING = ("/run/user", "/run/shm", "/var/lib/apt", "/run/udev")
"""What changes by itself."""
SYSCTLS = (
    "net/ipv4/ip_forward",
    "net/bridge/bridge-nf-call-iptables",
    "net/ipv4/conf/all/route_localnet",
    "kernel/panic",
    "vm/overcommit_memory",
)

State = dict[str, set[str]]


def take() -> State:
    """What there is now, by kind."""
    return {
        "process": _processes(),
        "mount": _mounts(),
        "link": {line.split(": ")[1].split("@")[0] for line in _output("ip", "-o", "link")},
        "route": set(_output("ip", "route", "show", "table", "all")),
        "network namespace": set(_output("ip", "netns", "list")),
        "daemon's namespace": _namespaces(),
        "firewall rule": _rules(),
        "control group": _cgroups(),
        "file": _files(),
        "setting": {f"{name}={_setting(name)}" for name in SYSCTLS},
    }


def difference(before: State, after: State) -> list[str]:
    """One line for everything that came or went; a program of others may come to its own end."""
    found = []
    for kind, old in before.items():
        found += [f"new {kind}: {entry}" for entry in sorted(after[kind] - old)]
        if kind not in ("process", "daemon's namespace"):
            found += [f"missing {kind}: {entry}" for entry in sorted(old - after[kind])]
    return found


def _processes() -> set[str]:
    """Daemons by name: programs whose parent is init, as those of a cluster are.

    What a shell starts while the tests run is a child of that shell and is not looked at.
    """
    return {name for _, name in _daemons()}


def _namespaces() -> set[str]:
    """Namespaces that daemons are in, such as `net:[4026531840]`: those of a node, if one runs."""
    found = set()
    for entry, _ in _daemons():
        with suppress(OSError):
            found |= {str((entry / "ns" / kind).readlink()) for kind in ("net", "mnt", "uts")}
    return found


def _daemons() -> Iterator[tuple[Path, str]]:
    """Their folders in /proc and their names."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parent = (entry / "status").read_text().split("PPid:")[1].split()[0]
            command = (entry / "cmdline").read_bytes().split(b"\0")[0].decode()
        except OSError:
            continue
        if parent == "1" and command and int(entry.name) != os.getpid():
            yield entry, Path(command).name


def _mounts() -> set[str]:
    """Those of other tests, which may run meanwhile, are in folders of their own."""
    passing = f"{tempfile.gettempdir()}/"
    points = {line.split()[4] for line in _lines("/proc/self/mountinfo")}
    return {point for point in points if not point.startswith(passing)}


def _rules() -> set[str]:
    lines = _output("iptables-save") if Path("/usr/sbin/iptables-save").exists() else []
    return {line for line in lines if line.startswith("-A") or (line[:1] == ":" and "-" in line)}


def _cgroups() -> set[str]:
    return {
        str(path)
        for top in Path("/sys/fs/cgroup").glob("*")
        if top.is_dir()
        for path in top.glob("*")
        if path.is_dir()
    }


def _files() -> set[str]:
    found = set()
    for place in PLACES:
        for path in [*Path(place).glob("*"), *Path(place).glob("*/*")]:
            if not str(path).startswith(PASSING):
                found.add(str(path))
    return found


def _setting(name: str) -> str:
    path = Path("/proc/sys") / name
    return path.read_text().strip() if path.exists() else "absent"


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines()


def _output(*command: str) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [line.strip() for line in done.stdout.splitlines()]
