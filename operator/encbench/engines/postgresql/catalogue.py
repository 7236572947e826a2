"""What the server itself says about encryption: the statements that ask, and how to read the rows.

The agent imports this module: the standard library only. `judge` does the judging.

PostgreSQL encrypts nothing at rest. An extension with an access method for tables could (pg_tde's),
one with types of its own could (encbench's), and tablespaces may lie where no proof looks, so the
statements ask for all three. About TLS the server
says what it would negotiate, and by which rules a client may connect.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from encbench.engines.layout import kinds
from encbench.engines.postgresql.enclave import EXTENSION, TYPES
from encbench.wire.agent import CatalogueRows

Row = Sequence[Any]

RULE = "pg_hba line "
"""The access rules are among the variables, under this prefix and their line number."""
OVERRIDE = "setting of a database and a role "
"""So are the settings of single roles and databases, which other sessions have than the agent's:
under this prefix, the numbers of both in the catalogue and that of the setting."""

VARIABLES = (
    "data_checksums default_table_access_method session_preload_libraries "
    "shared_preload_libraries ssl ssl_ciphers ssl_max_protocol_version ssl_min_protocol_version "
    "wal_level"
)

SETTINGS = (
    # The agent's sessions have their own of both. No template may set another.
    "SELECT name, CASE WHEN name IN ('row_security', 'search_path') THEN boot_val "
    "ELSE current_setting(name) END FROM pg_settings"
)
# The text consists of constants alone.
ENCRYPTION_SETTINGS = (
    SETTINGS
    + " WHERE name IN ({})".format(", ".join(f"'{name}'" for name in VARIABLES.split()))
    + f" UNION ALL SELECT '{RULE}' || line_number, coalesce(error, concat_ws(' ', type, "  # noqa: S608
    "array_to_string(database, ','), array_to_string(user_name, ','), address, auth_method)) "
    "FROM pg_hba_file_rules"
    f" UNION ALL SELECT '{OVERRIDE}' || concat_ws(' ', setdatabase, setrole, place), setting "
    "FROM pg_db_role_setting, unnest(setconfig) WITH ORDINALITY AS own (setting, place)"
)
VERSION = "SELECT split_part(current_setting('server_version'), ' ', 1)"
"""Without the suffix in brackets that a distribution adds."""
PLUGINS = (
    "SELECT extname, 'extension' FROM pg_extension "  # noqa: S608 constants alone
    f"WHERE extname IN ('pg_tde', '{EXTENSION}') "
    f"UNION ALL SELECT typname, 'type' FROM pg_type WHERE typname IN {TYPES!r} "
    "UNION ALL SELECT amname, 'access method' FROM pg_am WHERE amtype = 't' AND amname <> 'heap'"
)
TABLESPACES = "SELECT spcname, pg_tablespace_location(oid) FROM pg_tablespace ORDER BY spcname"
SINCE_CHECKPOINT = (
    "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) FROM pg_control_checkpoint()"
)


def catalogue(
    settings: Iterable[Row], plugins: Iterable[Row], tablespaces: Iterable[Row]
) -> CatalogueRows:
    """The evidence's `catalogue` from the rows of the statements above."""
    return {
        "variables": {str(name): str(value) for name, value in settings},
        "plugins": {str(name): str(kind) for name, kind in plugins},
        "tablespaces": [
            {"name": f"{name} at {where}" if where else name, "encrypted": False, "busy": False}
            for name, where in tablespaces
        ],
    }


def redo_bytes(rows: Sequence[Row]) -> int | None:
    """Bytes of WAL that a recovery would apply, from the rows of `SINCE_CHECKPOINT`."""
    return int(rows[0][0]) if rows else None


kind_of = kinds(
    # Numbers of relations below 16384 are the catalogue's; 1, 4 and 5 are template databases.
    (r"/pg_wal/[0-9A-F]{24}$", "redo"),
    (r"/pgsql_tmp/", "temporary"),
    (r"/base/[145]/", "system"),
    (r"/base/\d+/\d{5,}(_\w+)?(\.\d+)?$", "table"),
    (r"/(base|global)/", "system"),
    (r"/pg_(xact|multixact|subtrans|commit_ts)/", "system"),
)
