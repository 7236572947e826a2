"""What an init container leaves in its termination message when the server refuses its settings.

`engines/shared.sh` writes `{"refusedSettings": [names]}`: the names alone, because a server's own
text may hold anything.
"""

import re

from encbench.wire.foreign import said

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


def refused_settings(termination_message: str) -> tuple[str, ...]:
    """The settings that a server refuses; empty for any other message."""
    names = said(termination_message, "refusedSettings")
    whole = isinstance(names, list) and all(
        isinstance(name, str) and _NAME.fullmatch(name) for name in names
    )
    return tuple(names) if whole else ()
