"""The extension with encrypted column types, as the server's catalogue shows it.

The agent imports this module: the standard library only.
"""

from encbench.core.columns.sealed import HEADERS
from encbench.core.connection import SCHEMAS

EXTENSION = "encbench_enclave"
TYPES: tuple[str, ...] = tuple(HEADERS)
SCHEMA = SCHEMAS["pgsql"]
"""Where the extension has its types, functions and operators, and sysbench its tables. A session
that looks in the server's own schema alone names it everywhere."""
OWN = {EXTENSION: "extension", **dict.fromkeys(TYPES, "type")}
"""What a database with the extension has, by kind."""
