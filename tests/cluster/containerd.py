"""Handing image archives to the running containerd, in the namespace that the kubelet uses."""

import json
from pathlib import Path

from . import images
from .command import capture
from .components import CONTAINERD_SOCKET
from .console import ClusterError, Console
from .versions import image

_CTR = ("ctr", "--address", str(CONTAINERD_SOCKET), "--namespace", "k8s.io")


def answers() -> bool:
    """Whether containerd and its Kubernetes plugin serve requests."""
    try:
        plugins = capture([*_CTR, "plugins", "ls", "id==cri"], timeout=10)
    except ClusterError:
        return False
    return " ok" in plugins


def import_images(console: Console, archives: dict[str, Path]) -> None:
    """Import every archive whose very image is not there under its name."""
    present = _digests(capture([*_CTR, "images", "ls"]))
    for name, archive in archives.items():
        if not _is_of(present.get(image(name)), images.image_id(archive)):
            with console.step(f"import {name}", image(name)):
                capture([*_CTR, "images", "import", str(archive)], timeout=300)


def _is_of(digest: str | None, image_id: str) -> bool:
    """Whether a manifest is of that image.

    The plugin's own `sha256:` names do not tell: they are not renewed with an image.
    """
    if digest is None:
        return False
    manifest = json.loads(capture([*_CTR, "content", "get", digest]))
    return bool(manifest.get("config", {}).get("digest") == f"sha256:{image_id}")


def _digests(listing: str) -> dict[str, str]:
    """Reference → manifest digest, from ``ctr images ls``."""
    rows = (line.split() for line in listing.splitlines()[1:])
    return {row[0]: row[2] for row in rows if len(row) > 2}
