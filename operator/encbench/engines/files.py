"""What kind of file a path is. The agent imports this module: the standard library only."""

import re
from collections.abc import Callable


def kinds(*patterns: tuple[str, str]) -> Callable[[str], str]:
    """A function that gives the kind of a path relative to the volume.

    The first pattern found in `/<path>` decides; `other` is for files that hold no rows.
    """
    compiled = tuple((re.compile(pattern), kind) for pattern, kind in patterns)
    return lambda path: next((kind for p, kind in compiled if p.search(f"/{path}")), "other")
