"""Where a server of a test finds what a pod would mount, whichever engine's it is."""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from encbench.core.certificates import Issued
from encbench.wire import sidecar
from tests.support import certified
from tests.support.daemon import free_port


class Layout(Protocol):
    """What the layouts of all engines have."""

    @property
    def volume(self) -> str: ...
    @property
    def credentials(self) -> str: ...
    @property
    def tls(self) -> str: ...


def places(folder: Path) -> dict[str, Any]:
    """Fields of a layout: folders in this one, and a port of its own."""
    names = ("volume", "config", "credentials", "tls")
    return {**{name: str(folder / name) for name in names}, "port": free_port()}


def texts(secret: Mapping[str, Any]) -> dict[str, str]:
    """The entries of a Secret."""
    return {key: base64.b64decode(value).decode() for key, value in secret["data"].items()}


def mounted(layout: Layout, credentials: Mapping[str, str], made: Issued) -> dict[str, str]:
    """Text by path: what the agent has of the Secret, and the server of its certificates."""
    own = {"agent-password": "agent-password", **sidecar.mounted("agent")}
    return {
        **{f"{layout.credentials}/{path}": credentials[name] for name, path in own.items()},
        **certified.server_files(layout.tls, made),
    }


def write(layout: Layout, files: Mapping[str, str]) -> None:
    """Make the volume and these files, text by path."""
    Path(layout.volume).mkdir()
    for path, text in files.items():
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")
