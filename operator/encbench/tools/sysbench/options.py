"""The options file that tells sysbench who it is, so that no password stands on a command line.

sysbench 1.0.20 reads `name=value` lines (`--config-file`) and quotes nothing: tried with real
logins, it loses blanks, quotes, commas and a leading `#`, and cuts lines near 256 bytes.
"""

import re

FILE_NAME = "sysbench.conf"
"""Entry of the credentials Secret."""

_PLAIN = re.compile(r"[A-Za-z0-9_.~+/=-]{1,200}")


def options_file(user: str, password: str, database: str) -> str:
    """Content of the options file. ValueError for a value that sysbench would not read back."""
    values = {"mysql-user": user, "mysql-password": password, "mysql-db": database}
    for name, value in values.items():
        if not _PLAIN.fullmatch(value):
            raise ValueError(
                f"{name}: sysbench's options file takes 1 to 200 letters, digits and _ . ~ + / = -"
            )
    return "".join(f"{name}={value}\n" for name, value in values.items())
