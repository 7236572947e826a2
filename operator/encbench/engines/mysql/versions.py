"""What a version of MySQL can do, from its number alone.

A number may be short: 8.0 means the last of its series. Each fact here names the first release that
has it; Percona Server follows MySQL's numbers.
"""

Number = tuple[int, ...]

LAST = 999
"""Stands for the parts that a short number leaves open."""

OLDEST: Number = (5, 7)
FIRST_TDE: Number = (8, 0, 23)
"""The first that encrypts the doublewrite buffer too. With an earlier one, encrypted tables leave
plaintext on the disk."""
FIRST_COMPONENT: Number = (8, 0, 24)
"""The first whose keyring is a component; before that it is a plugin, which 8.4 has dropped."""
FIRST_TLS_1_3: Number = (8, 0, 16)
FIRST_8: Number = (8, 0)
FIRST_8_4: Number = (8, 4)


def number(version: str) -> Number:
    """The version as three or more numbers; parts that are left out are as high as possible."""
    parts = tuple(int(part) for part in version.split("."))
    return (*parts, *(LAST,) * (3 - len(parts)))
