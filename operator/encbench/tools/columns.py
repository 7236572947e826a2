"""Our TPC-C client's report of rows that its own driver read: one line per table, twice.

    encbench-columns bmsql_item 5f0c…
    encbench-columns bmsql_new_order absent

The digest covers the values in plaintext, so it shows that the driver decrypted each of them to the
server's value. docs/design/0007-columns.md defines the rows and the digest.
"""

import re

Line = tuple[str, str]
"""Table, and the digest of its row, or `absent`."""

_LINE = re.compile(r"^encbench-columns (\S+) ([0-9a-f]{64}|absent)$", re.MULTILINE)


def lines(output: str) -> tuple[Line, ...]:
    """All reports of the client, in order; empty if there are none."""
    return tuple((table.lower(), digest) for table, digest in _LINE.findall(output))
