"""Where files are in the server's pod, whatever the engine.

The agent imports this module: the standard library only. Everything that a server writes lies under
`VOLUME`: data, temporary files, socket, pid file and keyring. With a FUSE file system the parent of
`VOLUME` is a mount of its own, so that the file system can come and go beneath it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from encbench.core.certificates import FOLDER

MOUNTS = "/var/lib/encbench"
VOLUME = f"{MOUNTS}/volume"
LOWER = "/var/lib/encbench-lower"
"""The disk under a FUSE file system; the server's own containers do not see it."""

CONFIG = "/etc/encbench/server"
"""The ConfigMap's files."""
CREDENTIALS = "/etc/encbench/credentials"
"""The entry `init.sql` of the credentials, for the container that runs it."""

GOLDEN = "golden"
"""Folder of the golden copy, beside the original. The agent does not search it, because no marker
is ever written there."""


@dataclass(frozen=True, kw_only=True)
class ServerLayout:
    """Paths as the server's container sees them; tests with a real server have others."""

    volume: str = VOLUME
    config: str = CONFIG
    credentials: str = CREDENTIALS
    tls: str = FOLDER
    port: int

    @property
    def data(self) -> str:
        """The data directory: a folder of the volume, which holds other files as well."""
        return f"{self.volume}/data"

    @property
    def initialise(self) -> str:
        """The script that makes the data directory."""
        return f"{self.config}/initialise.sh"

    @property
    def init_sql(self) -> str:
        """The statements that make users and the database."""
        return f"{self.credentials}/init.sql"


def kinds(*patterns: tuple[str, str]) -> Callable[[str], str]:
    """A function that gives the kind of a file by its path relative to the volume.

    The first pattern found in `/<path>` decides; `other` is for files that hold no rows.
    """
    compiled = tuple((re.compile(pattern), kind) for pattern, kind in patterns)
    return lambda path: next((kind for p, kind in compiled if p.search(f"/{path}")), "other")
