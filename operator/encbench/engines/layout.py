"""Where a server's volume is in its pod, whatever the engine. Text alone: the agent imports it.

Everything that a server writes lies under `VOLUME`: data, temporary files, socket, pid file and
keyring. Its parent is a mount of its own where a FUSE file system stands in between, so that the
mount can come and go beneath it.
"""

MOUNTS = "/var/lib/encbench"
VOLUME = f"{MOUNTS}/volume"
LOWER = "/var/lib/encbench-lower"
"""The disk under a FUSE file system; the server's own containers do not see it."""

GOLDEN = "golden"
"""Folder of the golden copy, beside what it is a copy of. The agent searches past it: no marker is
ever written there."""
