"""The script that mounts a file system over a disk, with a program that only looks around."""

import subprocess
from pathlib import Path

from encbench.wire.environment import CGROUP

SCRIPT = Path(__file__).parents[3] / "images" / "gocryptfs" / "mount-volume.sh"


def test_the_file_system_gets_its_control_group_on_a_disk_that_is_synced(tmp_path: Path) -> None:
    """The agent finds its CPU limit by that, because a privileged container sees all groups."""
    programs, seen = tmp_path / "bin", tmp_path / "seen"
    programs.mkdir()
    synced = f'echo "$*" >>{tmp_path}/synced'
    for name, body in (("passthrough", f"env >{seen}"), ("umount", ":"), ("sync", synced)):
        (programs / name).write_text(f"#!/bin/sh\n{body}\n")
        (programs / name).chmod(0o755)
    (tmp_path / "lower").mkdir()
    words = ["none", str(tmp_path / "lower"), str(tmp_path / "point")]
    path = {"PATH": f"{programs}:/usr/bin:/bin"}
    subprocess.run(["sh", str(SCRIPT), *words], env=path, check=True, timeout=30)
    ours = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    unified = [line.removeprefix("0::") for line in ours if line.startswith("0::")]
    assert f"{CGROUP}={''.join(unified)}" in seen.read_text(encoding="utf-8").splitlines()
    assert (tmp_path / "synced").read_text() == f"-f {tmp_path}/lower\n", "no other disk's files"
