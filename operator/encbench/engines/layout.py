"""Where files are in the server's pod, whatever the engine. Text alone: the agent imports it.

Everything that a server writes lies under `VOLUME`: data, temporary files, socket, pid file and
keyring. Its parent is a mount of its own where a FUSE file system stands in between, so that the
mount can come and go beneath it.
"""

MOUNTS = "/var/lib/encbench"
VOLUME = f"{MOUNTS}/volume"
LOWER = "/var/lib/encbench-lower"
"""The disk under a FUSE file system; the server's own containers do not see it."""

CONFIG = "/etc/encbench/server"
"""The ConfigMap's files."""
CREDENTIALS = "/etc/encbench/credentials"
"""The entry `init.sql` of the credentials, for the container that runs it."""

GOLDEN = "golden"
"""Folder of the golden copy, beside what it is a copy of. The agent searches past it: no marker is
ever written there."""
