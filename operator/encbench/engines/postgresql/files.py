"""What kind of file a path of the volume is. The agent imports it: the standard library only."""

import re

_KINDS: tuple[tuple[str, str], ...] = (
    (r"/pg_wal/[0-9A-F]{24}$", "redo"),
    (r"/pgsql_tmp/", "temporary"),
    (r"/base/[145]/", "system"),
    (r"/base/\d+/\d{5,}(_\w+)?(\.\d+)?$", "table"),
    (r"/(base|global)/", "system"),
    (r"/pg_(xact|multixact|subtrans|commit_ts)/", "system"),
)
"""Numbers of relations below 16384 are the catalogue's; 1, 4 and 5 are the template databases."""
_COMPILED = tuple((re.compile(pattern), kind) for pattern, kind in _KINDS)


def kind_of(path: str) -> str:
    """The kind, from a path relative to the volume; `other` for what holds no rows."""
    slashed = f"/{path}"
    return next((kind for pattern, kind in _COMPILED if pattern.search(slashed)), "other")
