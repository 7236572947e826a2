"""The state of the machine that a cluster could leave traces in, read from the machine itself."""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PLACES = ("/etc", "/opt", "/run", "/var/lib", "/var/log", "/usr/libexec")
"""Directories whose entries are listed, two levels deep."""
PASSING = ("/run/user", "/run/shm", "/var/lib/apt", "/run/udev")
"""What changes by itself."""
LOGS = "/var/log/"
ROTATED = re.compile(r"(\.\d+|-\d{8,10})(\.(bz2|gz|xz|zst))?$")
"""What logrotate appends to a log's name."""
PROC, CGROUPS = Path("/proc"), Path("/sys/fs/cgroup")
UNITS = (".mount", ".scope", ".service", ".slice", ".socket")
"""Control groups of systemd's have such names. They come and go with services that are not ours."""
STRANGERS = ("chrome_crashpad_handler",)
"""Programs of other tests that stay for a while, as children of init."""
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
        "route": _routes(),
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
    for entry in PROC.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parent = (entry / "status").read_text().split("PPid:")[1].split()[0]
            command = (entry / "cmdline").read_bytes().split(b"\0")[0].decode()
        except OSError:
            continue
        name = Path(command).name
        if parent == "1" and name and name not in STRANGERS and int(entry.name) != os.getpid():
            yield entry, name


def _routes() -> set[str]:
    """Without the seconds that are left of what a router has advertised."""
    lines = _output("ip", "route", "show", "table", "all")
    return {re.sub(r" expires -?\d+sec", "", line) for line in lines}


def _mounts() -> set[str]:
    """Those of other tests, which may run meanwhile, are in folders of their own."""
    passing = f"{tempfile.gettempdir()}/"
    points = {line.split()[4] for line in _lines("/proc/self/mountinfo")}
    return {point for point in points if not point.startswith(passing)}


def _rules() -> set[str]:
    lines = _output("iptables-save") if Path("/usr/sbin/iptables-save").exists() else []
    return {line for line in lines if line.startswith("-A") or (line[:1] == ":" and "-" in line)}


def _cgroups() -> set[str]:
    """With version 1 the first level is that of the controllers."""
    return {
        str(path)
        for path in _listed(CGROUPS)
        if path.is_dir() and not any(part.endswith(UNITS) for part in path.parts)
    }


def _files() -> set[str]:
    """A log by its first name, however often it has been rotated."""
    found = set()
    for place in PLACES:
        for path in _listed(Path(place)):
            if not str(path).startswith(PASSING):
                log = str(path).startswith(LOGS)
                found.add(ROTATED.sub("", str(path)) if log else str(path))
    return found


def _listed(place: Path) -> list[Path]:
    """The entries of a directory, two levels deep; any of them may go away meanwhile."""
    first = _entries(place)
    return [*first, *(path for folder in first for path in _entries(folder))]


def _entries(place: Path) -> list[Path]:
    try:
        return list(place.iterdir())
    except OSError:
        return []


def _setting(name: str) -> str:
    path = Path("/proc/sys") / name
    return path.read_text().strip() if path.exists() else "absent"


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines()


def _output(*command: str) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [line.strip() for line in done.stdout.splitlines()]
