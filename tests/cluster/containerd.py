"""Handing image archives to a node's containerd, in the namespace that the kubelet uses."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from . import images, namespaces
from .command import capture
from .console import ClusterError, Console
from .node_daemons import CONTAINERD_SOCKET
from .nodes import Node
from .versions import image

_AT_ONCE: Final = 2
"""Imports: each unpacks and hashes on one processor."""

_CTR = ("ctr", "--address", str(CONTAINERD_SOCKET), "--namespace", "k8s.io")


def answers(node: Node) -> bool:
    """Whether containerd and its Kubernetes plugin serve requests."""
    try:
        plugins = _ctr(node, "plugins", "ls", "id==cri", timeout=10)
    except ClusterError:
        return False
    return " ok" in plugins


def import_images(console: Console, node: Node, archives: dict[str, Path]) -> None:
    """Import every archive whose very image is not there under its name.

    A further node unpacks an image when a pod first needs it, because most are not needed there.
    """
    present = _digests(_ctr(node, "images", "ls"))
    where, how = ("", []) if node.is_machine else (f" on {node.name}", ["--no-unpack"])

    def bring(name: str) -> None:
        archive = archives[name]
        if not _is_of(node, present.get(image(name)), images.image_id(archive)):
            with console.step(f"import {name}{where}", image(name)):
                _ctr(node, "images", "import", *how, str(archive), timeout=300)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for done in [pool.submit(bring, name) for name in archives]:
            done.result()


def _is_of(node: Node, digest: str | None, image_id: str) -> bool:
    """Whether a manifest is of that image.

    The plugin's own `sha256:` names do not tell: they are not renewed with an image.
    """
    if digest is None:
        return False
    manifest = json.loads(_ctr(node, "content", "get", digest))
    return bool(manifest.get("config", {}).get("digest") == f"sha256:{image_id}")


def _ctr(node: Node, *arguments: str, timeout: float = 60) -> str:
    return capture([*namespaces.enter(node), *_CTR, *arguments], timeout=timeout)


def _digests(listing: str) -> dict[str, str]:
    """Reference → manifest digest, from ``ctr images ls``."""
    rows = (line.split() for line in listing.splitlines()[1:])
    return {row[0]: row[2] for row in rows if len(row) > 2}
