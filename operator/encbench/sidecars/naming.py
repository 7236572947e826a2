"""Names for files that fail while they are open."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the file in an OSError of its descriptor, as opening it does.

    Python knows no path for one that is already open, and a message without it helps no user.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise
