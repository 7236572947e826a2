"""What a container sees of its machine."""

import os
from pathlib import Path

from encbench.wire.agent import MachineRows


def read_machine(cpuinfo: Path = Path("/proc/cpuinfo")) -> MachineRows:
    """Facts of the machine; one that the architecture does not report is empty."""
    facts: dict[str, str] = {}
    with cpuinfo.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            name, colon, value = line.partition(":")
            if not colon:
                break
            facts[name.strip().lower()] = value.strip()
    names = os.uname()
    return MachineRows(
        kernel=names.release,
        cpuModel=facts.get("model name") or names.machine,
        cpuFlags=(facts.get("flags") or facts.get("features") or "").split(),
        hostname=names.nodename,
    )
