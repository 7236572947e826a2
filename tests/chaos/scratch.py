"""A client's scratch that is full: what the tool writes to its output meets the end of a disk.

``/dev/full`` answers each write with the error of a full disk. It is put over the output's file in
the mount namespace of the tool's own container, before the tool has opened it.
"""

import subprocess
from pathlib import Path

from encbench.tools.pod import RUN


def fill(pid: int) -> bool:
    """Fill the scratch of a client by one of its processes; whether its tool had not begun."""
    root = Path(f"/proc/{pid}/root")
    run = root / RUN.lstrip("/")
    output = run / "output.log"
    try:
        if not (run / "ready").exists() or output.exists():
            return False
        output.touch()
        output.chmod(0o666)
    except OSError:  # the container ended
        return False
    inside = ("nsenter", f"--target={pid}", "--mount", "--")
    mount = ("mount", "--bind", "/dev/full", f"{RUN}/output.log")
    done = subprocess.run((*inside, *mount), capture_output=True, timeout=20, check=False)
    return done.returncode == 0
