"""What our TPC-C client says of rows that its own driver read: one line a table, twice.

    encbench-columns bmsql_item 5f0c…
    encbench-columns bmsql_new_order absent

The digest is over the values in plaintext, so it shows that the driver decrypted each of them to
what the server has. docs/design/0007-columns.md says which rows, and what the digest is made of.
"""

import re

Line = tuple[str, str]
"""Table, and the digest of its row or `absent`."""

_LINE = re.compile(r"^encbench-columns (\S+) ([0-9a-f]{64}|absent)$", re.MULTILINE)


def lines(output: str) -> tuple[Line, ...]:
    """All that the client told, in its order; empty where it told nothing."""
    return tuple((table.lower(), digest) for table, digest in _LINE.findall(output))
