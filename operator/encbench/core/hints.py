"""Which name an author may have meant; bounded, because whoever writes names may write very many.

Comparing two names takes tens of microseconds. A campaign has thousands of unknown names at worst,
and each is looked at with everything that its object meets.
"""

import difflib
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

MOST_HINTS = 5
"""Unknown names of one object that get a hint."""
MOST_COMPARED = 200
"""Names that an unknown one is compared with: more than any schema or tool of ours has."""
_LONGEST = 100
"""Letters of such a name."""


def offered(names: Iterable[str]) -> tuple[str, ...]:
    """The names that a hint may come from."""
    return tuple(islice((name for name in names if len(name) <= _LONGEST), MOST_COMPARED))


def closest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name that is most like this one; None if none is."""
    return _closest(name, offered(known), cutoff)


@lru_cache(maxsize=512)
def _closest(name: str, known: tuple[str, ...], cutoff: float) -> str | None:
    found = difflib.get_close_matches(name, known, n=1, cutoff=cutoff)
    return found[0] if found else None
