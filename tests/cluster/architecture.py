"""The machines that programs and images are made for, by the names that Go and registries use."""

import platform
from typing import Final

# By the names that the kernel uses.
_MACHINES: Final = {"amd64": "x86_64", "arm64": "aarch64"}

ARCHITECTURES: Final = tuple(_MACHINES)


def native() -> str:
    """This machine's own."""
    machine = platform.machine()
    return next((one for one, kernel in _MACHINES.items() if kernel == machine), machine)


def machine(architecture: str) -> str:
    """What the kernel of such a machine calls it."""
    return _MACHINES.get(architecture, architecture)


def folder(name: str, architecture: str) -> str:
    """A folder of the cache: this machine's own parts have the plain name."""
    return name if architecture == native() else f"{name}-{architecture}"
