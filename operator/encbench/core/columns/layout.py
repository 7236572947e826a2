"""Where the parts of column encryption find each other, and what the key looks like.

The agent imports this module: the standard library only. The master encryption key (MEK) is written
as 32 hex digits; a line end may follow them.
"""

import re

PORT = 3307
"""The confidential proxy's port on the pod's address; the server keeps its own."""
PROCESS = "confidential-proxy"
"""The proxy's program."""

SOCKET_FOLDER = "/run/encbench/socket"
"""Shared by server, agent and proxy where the proxy reaches the server by its socket; it is all of
the server's that the proxy sees."""
SOCKET = f"{SOCKET_FOLDER}/server.sock"

MEK = "mek"
"""The key: entry of the testbed's credentials, and name of the file in every container."""
MEK_FOLDER = "/etc/encbench/mek"
MEK_FILE = f"{MEK_FOLDER}/{MEK}"

LIST = "columns"
"""The columns to encrypt: entry of the testbed's ConfigMap, and name of the file."""
LIST_FOLDER = "/etc/encbench/columns"
LIST_FILE = f"{LIST_FOLDER}/{LIST}"

MEK_DIGITS = 32
"""128 bits in hex."""
_WELL_FORMED = re.compile(f"[0-9a-fA-F]{{{MEK_DIGITS}}}\\r?\\n?")


def key_of(text: str) -> bytes:
    """The 16 bytes of a key; ValueError for any other text, which it does not repeat."""
    if unfit(text) is not None:
        raise ValueError("the key is not 32 hex digits")
    return bytes.fromhex(text.strip())


def unfit(text: str) -> str | None:
    """Why a text is not a key, in words that do not repeat it; None for a key."""
    if _WELL_FORMED.fullmatch(text):
        return None
    bare = text.removesuffix("\n").removesuffix("\r")
    if re.fullmatch("[0-9a-fA-F]*", bare):
        return f"has {len(bare)} hex digits: write {MEK_DIGITS}, which are 128 bits"
    return f"is not written in hex digits: write {MEK_DIGITS} of 0-9 and a-f, and nothing else"
