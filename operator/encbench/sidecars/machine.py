"""What a container sees of its machine."""

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

from encbench.wire.agent import MachineRows

GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def read_machine(cpuinfo: Path = Path("/proc/cpuinfo"), governor: Path = GOVERNOR) -> MachineRows:
    """Facts of the machine; one that the architecture does not report is empty."""
    facts: dict[str, str] = {}
    with cpuinfo.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            name, colon, value = line.partition(":")
            if not colon:
                break
            facts[name.strip().lower()] = value.strip()
    names = os.uname()
    found = MachineRows(
        kernel=names.release,
        cpuModel=facts.get("model name") or _by_numbers(names.machine, facts),
        cpuFlags=(facts.get("flags") or facts.get("features") or "").split(),
        hostname=names.nodename,
    )
    # One that is not there, or that the machine does not show.
    with contextlib.suppress(OSError):
        found["cpuGovernor"] = governor.read_text(encoding="utf-8", errors="replace").strip()
    return found


def _by_numbers(architecture: str, facts: Mapping[str, str]) -> str:
    """What ARM's Linux reports instead of a model's name, so that unlike CPUs differ."""
    known = ("implementer", "part", "variant")
    numbers = [f"{name} {found}" for name in known if (found := facts.get(f"cpu {name}"))]
    return ", ".join((architecture, *numbers))
