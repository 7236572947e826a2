"""What kind of file a path of the volume is. The agent imports it: the standard library only."""

import re

_KINDS: tuple[tuple[str, str], ...] = (
    (r"(^|/)#ib_redo\d+(_tmp)?$", "redo"),
    (r"(^|/)ib_logfile\d+$", "redo"),
    (r"(^|/)undo_?\d+$", "undo"),
    (r"\.ibu$", "undo"),
    (r"(^|/)(ibtmp\d+|#innodb_temp/.*\.ibt)$", "temporary"),
    (r"(^|/)ibdata\d+$", "system"),
    (r"(^|/)data/mysql\.ibd$", "system"),
    (r"(^|/)#ib_.*dblwr$", "doublewrite"),
    (r"(^|/)binlog\.\d+$", "binlog"),
    (r"\.ibd$", "table"),
)
_COMPILED = tuple((re.compile(pattern), kind) for pattern, kind in _KINDS)


def kind_of(path: str) -> str:
    """The kind, from a path relative to the volume; `other` for what holds no rows."""
    return next((kind for pattern, kind in _COMPILED if pattern.search(path)), "other")
