"""Running another architecture's programs: QEMU, by the kernel's own switch for it.

The switch holds for the whole machine, so that it is set for as long as images are built, and set
back then. Where it is set already, it stays as it is.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.cluster import packages
from tests.cluster.architecture import machine
from tests.cluster.console import Console
from tests.cluster.layout import Layout

_SWITCH: Final = Path("/proc/sys/fs/binfmt_misc")
_FILE_SYSTEMS: Final = Path("/proc/filesystems")
# By the name of the machine: the first bytes of its programs, and which bits of them count.
_MAGIC: Final = {
    "aarch64": (
        r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00",
        r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff",
    ),
    "x86_64": (
        r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00",
        r"\xff\xff\xff\xff\xff\xfe\xfe\xfc\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff",
    ),
}


@contextmanager
def of(layout: Layout, console: Console, architecture: str) -> Iterator[str]:
    """Let this machine run such programs; the reason why it cannot, which is empty if it can."""
    name = machine(architecture)
    entry, mounted = _SWITCH / f"qemu-{name}", False
    if entry.exists():
        yield ""
        return
    if "binfmt_misc" not in _FILE_SYSTEMS.read_text():
        yield f"the kernel has no binfmt_misc, without which nothing runs programs for {name}"
        return
    packages.ensure(layout, console, {"qemu-user-static": f"qemu-{name}-static"})
    if not (_SWITCH / "register").exists():
        subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", _SWITCH], check=True)
        mounted = True
    try:
        if not entry.exists():
            magic, mask = _MAGIC[name]
            # F: the kernel opens the emulator now, so that it need not be in the image.
            line = f":{entry.name}:M::{magic}:{mask}:/usr/bin/qemu-{name}-static:F"
            (_SWITCH / "register").write_text(line)
        yield ""
    finally:
        if entry.exists():
            entry.write_text("-1")
        if mounted:
            subprocess.run(["umount", _SWITCH], check=True)
