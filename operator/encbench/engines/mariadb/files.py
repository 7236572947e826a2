"""What kind of file a path of the volume is. The agent imports it: the standard library only."""

import re

_KINDS: tuple[tuple[str, str], ...] = (
    (r"(^|/)ib_logfile\d+$", "redo"),
    (r"(^|/)undo\d+$", "undo"),
    (r"(^|/)(ibdata\d+|ibtmp\d+)$", "system"),
    (r"(^|/)#ib_.*dblwr$", "doublewrite"),
    (r"(^|/)aria_log\.\d+$", "aria-log"),
    (r"\.(MAI|MAD)$", "aria"),
    (r"(^|/)binlog\.(\d+)$", "binlog"),
    (r"\.ibd$", "table"),
)
_COMPILED = tuple((re.compile(pattern), kind) for pattern, kind in _KINDS)


def kind_of(path: str) -> str:
    """The kind, from a path relative to the volume; `other` for what holds no rows."""
    return next((kind for pattern, kind in _COMPILED if pattern.search(path)), "other")
