"""The root file system of one of our images, and programs run in it as the kubelet would.

For servers that this machine's own Debian does not have: what a test starts is what the image has.
"""

import json
import subprocess
import tarfile
import tempfile
from functools import cache as remembered
from pathlib import Path

from encbench.kube.pods import USER_ID
from tests.cluster import cache, images
from tests.cluster.console import Console
from tests.cluster.layout import Layout

_WHITEOUT = ".wh."

_INSIDE = """
set -eu
root=$1 folder=$2
shift 2
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t tmpfs tmpfs "$root/tmp"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mkdir -p "$root$folder"
mount --bind "$folder" "$root$folder"
exec chroot "$root" "$@"
"""
"""A read-only root with a writable /tmp, as in the pod, and the test's folder under its path."""


@remembered
def of_image(name: str) -> Path:
    """The image's files, unpacked into the cache; it is built now unless the cache has it."""
    layout, console = Layout.from_environment(), Console()
    with cache.exclusive(layout, console):
        if not (layout.cache / "buildah-run").exists():
            images.prepare(layout)
        archive = images.ensure(layout, console, name, None, pull=False)
        key = cache.content_key(images.image_id(archive))
        return cache.entry(layout, "rootfs", name, key, lambda made: _unpack(archive, made))


def inside(root: Path, folder: Path, *command: str) -> list[str]:
    """The command line that runs a program in it, as the pods' user; `folder` lies under /tmp.

    The process that is started becomes the program, and dies with its parent.
    """
    user = ["--reuid", str(USER_ID), "--regid", str(USER_ID), "--clear-groups"]
    program = ["setpriv", *user, "--no-new-privs", "--pdeathsig", "KILL", *command]
    namespace = ["unshare", "--mount", "--propagation", "private"]
    return [*namespace, "sh", "-c", _INSIDE, "sh", str(root), str(folder), *program]


def _unpack(archive: Path, made: Path) -> None:
    """Apply the image's layers in their order; a whiteout removes what an earlier one brought."""
    made.mkdir()
    with tempfile.TemporaryDirectory() as scratch:
        with tarfile.open(archive) as outer:
            manifest = outer.extractfile("manifest.json")
            assert manifest is not None
            layers = json.load(manifest)[0]["Layers"]
            outer.extractall(scratch, filter="tar")
        for layer in layers:
            unpack = ["tar", "-C", str(made), "--numeric-owner", "-xpf", f"{scratch}/{layer}"]
            subprocess.run(unpack, check=True)
            for mark in list(made.rglob(f"{_WHITEOUT}*")):
                cache.remove(mark.with_name(mark.name.removeprefix(_WHITEOUT)))
                mark.unlink()
