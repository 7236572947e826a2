"""What kind of file a path of the volume is. The agent imports it: the standard library only."""

import re
from collections.abc import Callable


def kinds(*patterns: tuple[str, str]) -> Callable[[str], str]:
    """The kind of a path relative to the volume: the first whose pattern is found in `/<path>`.

    `other` for what holds no rows.
    """
    compiled = tuple((re.compile(pattern), kind) for pattern, kind in patterns)
    return lambda path: next((kind for p, kind in compiled if p.search(f"/{path}")), "other")
