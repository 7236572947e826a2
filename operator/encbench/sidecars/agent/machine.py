"""Facts of the machine that belong to a figure's provenance."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Machine:
    """The kernel and the first processor, as the container sees them."""

    kernel: str
    cpu_model: str
    cpu_flags: tuple[str, ...]
    """Among them `aes` where the processor encrypts in hardware."""
    hostname: str


def read_machine(cpuinfo: Path = Path("/proc/cpuinfo")) -> Machine:
    """Read them; what the architecture does not tell is empty."""
    facts: dict[str, str] = {}
    with cpuinfo.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            name, colon, value = line.partition(":")
            if not colon:
                break
            facts[name.strip().lower()] = value.strip()
    names = os.uname()
    return Machine(
        kernel=names.release,
        cpu_model=facts.get("model name") or names.machine,
        cpu_flags=tuple((facts.get("flags") or facts.get("features") or "").split()),
        hostname=names.nodename,
    )
