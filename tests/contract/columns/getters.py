"""How much two drivers are compared, getter by getter, by the test program for it."""

GETTERS = 51
"""That are there at least, each by number and by label."""
TYPES = 37
"""That MariaDB has; MySQL has JSON besides."""


def compared(said: str, types: int = TYPES) -> None:
    """What the program said last: how much was compared, and that it was encrypted at all."""
    _, comparisons, _, sealed = said.split()
    rows, protocols, forms = 4, 2, 2
    assert int(comparisons) >= types * rows * protocols * forms * GETTERS, said
    # One of the rows is nothing but NULLs.
    assert int(sealed) == types * (rows - 1), said
