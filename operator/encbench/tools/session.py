"""A client's report of its own session: one line of the output, the same for every tool.

    encbench-session tls=TLSv1.3 cipher=TLS_AES_128_GCM_SHA256
    encbench-session tls=none cipher=none

The line comes from a session of the measured run itself, which queries the server's catalogue once,
before its first transaction. Nothing else shows what was measured: the server's settings only allow
negotiations, and any other client has its own library and options.
"""

import re

from encbench.core.tls import TlsSession

_LINE = re.compile(r"^encbench-session tls=(\S+) cipher=(\S+)$", re.MULTILINE)


def sessions(output: str) -> tuple[TlsSession, ...]:
    """What the process's sessions negotiated, without repetition; empty if none reported."""
    found = (TlsSession(tls=tls, cipher=cipher) for tls, cipher in _LINE.findall(output))
    return tuple(dict.fromkeys(found))


def session_count(output: str) -> int:
    """The number of sessions that reported, each at the cost of one query."""
    return len(_LINE.findall(output))
