"""What a script of an init container sees of its mounts, though a test mounts nothing."""

import shutil
from pathlib import Path

_GREP = """#!/bin/sh
for last; do :; done
[ "$last" != /proc/self/mounts ] || set -- "$1" "$2" "{mounts}"
exec "{grep}" "$@"
"""


def mounted(home: Path, kind: str) -> None:
    """Have scripts that find programs in `home`/bin first see `home`/volume as of that type."""
    grep = shutil.which("grep")
    assert grep is not None
    mounts = home / "mounts"
    mounts.write_text(
        f"beside {home}/volume-2 fuse.other rw 0 0\nbelow {home}/volume {kind} rw 0 0\n"
    )
    program = home / "bin/grep"
    program.write_text(_GREP.format(mounts=mounts, grep=grep))
    program.chmod(0o755)
