"""What the server itself says about encryption: the statements that ask, and how to read the rows.

The agent imports this module: the standard library only. `judge` does the judging.

`INNODB_TABLESPACES_ENCRYPTION` has a row for each tablespace that was opened since the start. A
key version encrypts a page; `MIN_KEY_VERSION` 0 says that some page is still in plaintext
(MariaDB's manual, "Information Schema INNODB_TABLESPACES_ENCRYPTION Table"), so scheme 1 alone
proves nothing. The join begins at the list of all tablespaces: one that the encryption view does
not know counts as plaintext. That view never has the temporary tablespace; a variable decides it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from encbench.engines.innodb import tables
from encbench.engines.layout import kinds
from encbench.wire.agent import CatalogueRows, TablespaceRow

Row = Sequence[Any]

VARIABLES = (
    "aria_encrypt_tables encrypt_binlog encrypt_tmp_disk_tables encrypt_tmp_files "
    "file_key_management_encryption_algorithm have_ssl innodb_default_encryption_key_id "
    "innodb_encrypt_log innodb_encrypt_tables innodb_encrypt_temporary_tables "
    "innodb_encryption_threads log_bin require_secure_transport ssl_cipher tls_version"
)

SETTINGS = "SHOW GLOBAL VARIABLES"
ENCRYPTION_SETTINGS = SETTINGS + " WHERE Variable_name IN ({})".format(
    ", ".join(f"'{name}'" for name in VARIABLES.split())
)
VERSION = "SELECT VERSION()"
PLUGINS = (
    "SELECT PLUGIN_NAME, PLUGIN_STATUS FROM information_schema.PLUGINS "
    "WHERE PLUGIN_TYPE = 'ENCRYPTION'"
)
TABLESPACES = (
    "SELECT s.NAME, e.ENCRYPTION_SCHEME, e.MIN_KEY_VERSION, e.KEY_ROTATION_PAGE_NUMBER, "
    "e.ROTATING_OR_FLUSHING FROM information_schema.INNODB_SYS_TABLESPACES s "
    "LEFT JOIN information_schema.INNODB_TABLESPACES_ENCRYPTION e ON e.SPACE = s.SPACE "
    "WHERE s.NAME <> 'innodb_temporary' ORDER BY s.SPACE"
)


def catalogue(
    settings: Iterable[Row],
    plugins: Iterable[Row],
    tablespaces: Iterable[Row],
    other_tables: Iterable[Row],
) -> CatalogueRows:
    """The evidence's `catalogue` from the rows of the statements above."""
    return {
        "variables": {str(name): str(value) for name, value in settings},
        "plugins": {str(name): str(status) for name, status in plugins},
        "tablespaces": [_tablespace(row) for row in tablespaces],
        "otherTables": tables.engines(other_tables),
    }


def busy(tablespaces: Iterable[Row]) -> bool:
    """Whether the server is encrypting or decrypting pages right now."""
    return any(_tablespace(row)["busy"] for row in tablespaces)


def _tablespace(row: Row) -> TablespaceRow:
    name, scheme, least_key, rotating_page, flushing = row
    return {
        "name": str(name),
        "encrypted": bool(scheme) and bool(least_key),
        "busy": rotating_page is not None or bool(flushing),
    }


kind_of = kinds(
    (r"/ib_logfile\d+$", "redo"),
    (r"/undo\d+$", "undo"),
    (r"/(ibdata\d+|ibtmp\d+)$", "system"),
    (r"/#ib_.*dblwr$", "doublewrite"),
    (r"/aria_log\.\d+$", "aria-log"),
    (r"\.(MAI|MAD)$", "aria"),
    (r"/binlog\.(\d+)$", "binlog"),
    (r"\.ibd$", "table"),
)
