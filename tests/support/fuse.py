"""The real gocryptfs and the real pass-through under a real MariaDB on this machine.

The image's own script mounts them with the binaries that the image gets. Here they run as root,
because a machine's /dev/fuse may be root's alone and its fuse.conf is not ours to change; the
end-to-end tests run them as the pod does.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache as remembered
from pathlib import Path
from typing import Any

from encbench.database.golden import CIPHERTEXT, STOPPED
from encbench.kube.pods import USER_ID
from tests.cluster import binaries
from tests.support import mariadb
from tests.support.certified import issued
from tests.support.daemon import ending_with_us
from tests.support.mariadb import MariaDB
from tests.support.testbeds import spec_of_testbed

SCRIPT = Path(__file__).resolve().parents[2] / "images" / "gocryptfs" / "mount-volume.sh"


@remembered
def programs() -> Path:
    """The folder with both programs; they are compiled now unless the cache has them."""
    return binaries.compiled("volumes")


@dataclass
class Mount:
    """A file system over a folder; `start` and `stop` may be repeated."""

    cipher: str
    lower: Path
    point: Path
    password: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def mounted(self) -> bool:
        """Whether something is mounted there."""
        lines = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
        return any(line.split()[1] == str(self.point) for line in lines)

    @property
    def stopped(self) -> bool:
        """Whether it says that it and the server ended by themselves."""
        return (self.lower / STOPPED).exists()

    def start(self) -> None:
        """Mount, as the sidecar does."""
        words = [self.cipher, str(self.lower), str(self.point), str(self.password)]
        path = f"{programs()}:{os.environ['PATH']}"
        # By the signal after which it unmounts.
        command = ending_with_us("sh", str(SCRIPT), *words, by="TERM")
        self.process = subprocess.Popen(command, env={"PATH": path})
        deadline = time.monotonic() + 20
        while not self.mounted or self.program is None:
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError(f"{self.cipher} was not mounted")
            time.sleep(0.02)
        for made in (self.point, *self.lower.rglob("*")):
            os.chown(made, USER_ID, USER_ID, follow_symlinks=False)

    @property
    def program(self) -> int | None:
        """The process that serves the file system."""
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        wanted = "passthrough" if self.cipher == "none" else "gocryptfs"
        for child in children.read_text(encoding="ascii").split():
            if Path("/proc", child, "comm").read_text(encoding="utf-8").strip() == wanted:
                return int(child)
        return None

    def stop(self) -> None:
        """End it as the kubelet does."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)

    def kill(self) -> None:
        """Kill everything; the mount stays and answers nothing."""
        program = self.program
        assert self.process is not None
        assert program is not None
        self.process.kill()
        self.process.wait()
        os.kill(program, signal.SIGKILL)

    def clear(self) -> None:
        """Leave nothing behind."""
        self.stop()
        subprocess.run(["umount", "-l", str(self.point)], check=False, capture_output=True)


@dataclass
class Pod:
    """A server on its mount."""

    server: MariaDB
    mount: Mount

    @property
    def disk(self) -> Path:
        """What the agent sees of the disk."""
        return self.mount.lower / CIPHERTEXT

    @property
    def proc(self) -> Path:
        """A view of `/proc` with the server and the file system, as the pod's namespace shows."""
        view = self.server.proc
        program = self.mount.program
        assert program is not None
        (view / str(program)).symlink_to(Path("/proc", str(program)))
        return view

    def up(self) -> None:
        """As a pod starts."""
        self.mount.start()
        self.server.initialise()
        self.server.start()

    def down(self) -> None:
        """As a pod ends: the sidecar after the server."""
        self.server.stop()
        self.mount.stop()


@contextmanager
def running(mode: dict[str, Any], cipher: str) -> Iterator[Pod]:
    """A freshly initialised MariaDB on a file system of that cipher. Needs root and /dev/fuse."""
    mariadb.install()
    folder = Path(tempfile.mkdtemp(prefix="encbench-fuse-", dir="/tmp"))
    spec = spec_of_testbed(mode, settings={"innodb_buffer_pool_size": "64M"})
    server = mariadb._prepare(folder, spec, {}, issued())
    lower, password = folder / "lower", folder / "password"
    lower.mkdir()
    os.chown(lower, USER_ID, USER_ID)
    password.write_text(os.urandom(32).hex(), encoding="ascii")
    mount = Mount(cipher, lower, Path(server.layout.volume), password)
    pod = Pod(server, mount)
    try:
        pod.up()
        yield pod
    finally:
        server.stop()
        mount.clear()
        shutil.rmtree(folder, ignore_errors=True)
