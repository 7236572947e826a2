"""CPU and memory of the processes of a measurement: the children of this one, by their names."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
OWN = "stand-ins"
NAMES = {
    "etcd": "etcd",
    "kube-apiserver": "API server",
    "kube-controller-manager": "controllers",
    "kube-scheduler": "scheduler",
    "kwok": "KWOK",
    "minio": "object store",
    "encbench": "operator",
}
"""What a process is called here, by a word of its command."""


@dataclass(frozen=True)
class Used:
    """Of one process, so far."""

    cpu: float
    """Seconds."""
    resident: float
    """MiB now."""
    most: float
    """MiB at most."""


def now() -> dict[str, Used]:
    """By name."""
    return dict(_all())


def _all() -> Iterator[tuple[str, Used]]:
    own = os.getpid()
    yield OWN, _used(Path(f"/proc/{own}"))
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if int(_stat(folder)[1]) != own:
                continue
            words = (folder / "cmdline").read_bytes().decode().split("\0")
            used = _used(folder)
        except OSError:
            continue
        for word in (Path(words[0]).name, *words[1:3]):
            if word in NAMES:
                yield NAMES[word], used


def _stat(folder: Path) -> list[str]:
    """The fields after the command, which may hold blanks (proc(5))."""
    return (folder / "stat").read_text().rpartition(") ")[2].split()


def _used(folder: Path) -> Used:
    words, memory = _stat(folder), dict[str, float]()
    for line in (folder / "status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name in ("VmRSS", "VmHWM"):
            memory[name] = int(value.split()[0]) / 1024
    cpu = (int(words[11]) + int(words[12])) / TICKS
    return Used(cpu, memory["VmRSS"], memory["VmHWM"])
