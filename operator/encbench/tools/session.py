"""What a client says of its own session: one line of the tool's output, the same for every tool.

    encbench-session tls=TLSv1.3 cipher=TLS_AES_128_GCM_SHA256
    encbench-session tls=none cipher=none

It comes from a session of the measured run itself, which asks the server's catalogue once, before
its first transaction. Nothing else shows what was measured: the server's settings say what it would
negotiate, and any other client has its own library and options.
"""

import re

from encbench.core.tls import TlsSession

_LINE = re.compile(r"^encbench-session tls=(\S+) cipher=(\S+)$", re.MULTILINE)


def sessions(output: str) -> tuple[TlsSession, ...]:
    """What the process's sessions negotiated, each once; empty where none has told."""
    found = (TlsSession(tls=tls, cipher=cipher) for tls, cipher in _LINE.findall(output))
    return tuple(dict.fromkeys(found))


def told(output: str) -> int:
    """How many sessions told, which is how many queries that cost."""
    return len(_LINE.findall(output))
