"""What the server itself says about encryption: the statements to ask it, and how to read its rows.

The agent imports this module and pays for what it imports at a twentieth of a core: nothing but the
standard library here. The judging is `judge`'s.

PostgreSQL encrypts nothing at rest. What could is an extension with an access method for tables
(pg_tde's), so these are looked for, and tablespaces, which may lie where no proof looks. About
TLS it says what it would negotiate, and by which rules a client may connect.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from encbench.wire.agent import CatalogueRows

Row = Sequence[Any]

RULE = "pg_hba line "
"""The rules of access stand among the variables, by this and their line's number."""

VARIABLES = (
    "data_checksums",
    "default_table_access_method",
    "shared_preload_libraries",
    "ssl",
    "ssl_ciphers",
    "ssl_max_protocol_version",
    "ssl_min_protocol_version",
    "wal_level",
)

SETTINGS = "SELECT name, current_setting(name) FROM pg_settings"
# Both consist of constants alone.
ENCRYPTION_SETTINGS = (
    SETTINGS
    + " WHERE name IN ({})".format(", ".join(f"'{name}'" for name in VARIABLES))
    + f" UNION ALL SELECT '{RULE}' || line_number, coalesce(error, concat_ws(' ', type, "  # noqa: S608
    "array_to_string(database, ','), array_to_string(user_name, ','), address, auth_method)) "
    "FROM pg_hba_file_rules"
)
VERSION = "SELECT split_part(current_setting('server_version'), ' ', 1)"
"""Without what a distribution adds in brackets."""
PLUGINS = (
    "SELECT extname, 'extension' FROM pg_extension WHERE extname = 'pg_tde' "
    "UNION ALL SELECT amname, 'access method' FROM pg_am WHERE amtype = 't' AND amname <> 'heap'"
)
TABLESPACES = "SELECT spcname, pg_tablespace_location(oid) FROM pg_tablespace ORDER BY spcname"


def catalogue(
    settings: Iterable[Row], plugins: Iterable[Row], tablespaces: Iterable[Row]
) -> CatalogueRows:
    """The evidence's `catalogue` from the rows of the statements above."""
    return {
        "variables": {str(name): str(value) for name, value in settings},
        "plugins": {str(name): str(kind) for name, kind in plugins},
        "tablespaces": [
            {
                "name": f"{name} at {where}" if where else str(name),
                "encrypted": False,
                "busy": False,
            }
            for name, where in tablespaces
        ],
    }
