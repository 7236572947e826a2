"""What a version of MySQL can do, from its number alone.

A number may be short: 8.0 is the last of its series. Every fact here names the release that brought
it; Percona Server follows MySQL's numbers.
"""

Number = tuple[int, ...]

LAST = 999
"""Stands for the parts that a short number leaves open."""

OLDEST: Number = (5, 7)
FIRST_TDE: Number = (8, 0, 23)
"""The first that encrypts the doublewrite buffer too: with an earlier one, encrypted tables leave
plaintext on the disk."""
FIRST_COMPONENT: Number = (8, 0, 24)
"""The first whose keyring is a component; before, it is a plugin, which 8.4 no longer has."""
FIRST_TLS_1_3: Number = (8, 0, 16)
FIRST_8: Number = (8, 0)
FIRST_8_4: Number = (8, 4)


def number(version: str) -> Number:
    """The version as three numbers or more, the parts that are left out as high as can be."""
    parts = tuple(int(part) for part in version.split("."))
    return (*parts, *(LAST,) * (3 - len(parts)))
