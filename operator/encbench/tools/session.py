"""A client's reports of its own session and of what it read: lines of its output.

    encbench-session tls=TLSv1.3 cipher=TLS_AES_128_GCM_SHA256
    encbench-session tls=none cipher=none

The line is the same for every tool. It comes from a session of the measured run itself, which
queries the server's catalogue once, before its first transaction. Nothing else shows what was
measured: the server's settings only allow negotiations, and any other client has its own library
and options.

    encbench-columns bmsql_item 5f0c…
    encbench-columns bmsql_new_order absent

Our TPC-C client reports rows that its own driver read: one line per table, twice. The digest covers
the values in plaintext, so it shows that the driver decrypted each of them to the server's value.
docs/design/0007-columns.md defines the rows and the digest. `enclave.lua` does the same with one
row (docs/enclave.md).
"""

import re

from encbench.core.tls import TlsSession

_SESSION = re.compile(r"^encbench-session tls=(\S{1,64}) cipher=(\S{1,64})$", re.MULTILINE)
_ROW = re.compile(r"^encbench-columns (\S{1,80}) ([0-9a-f]{64}|absent)$", re.MULTILINE)


def sessions(output: str) -> tuple[TlsSession, ...]:
    """What the process's sessions negotiated, without repetition; empty if none reported."""
    found = (TlsSession(tls=tls, cipher=cipher) for tls, cipher in _SESSION.findall(output))
    return tuple(dict.fromkeys(found))


def session_count(output: str) -> int:
    """The number of sessions that reported, each at the cost of one query."""
    return len(_SESSION.findall(output))


def columns(output: str) -> tuple[tuple[str, str], ...]:
    """Table and digest of its row (or `absent`) in each report, in order."""
    return tuple((table.lower(), digest) for table, digest in _ROW.findall(output))
