"""What the server itself says about encryption: the statements to ask it, and how to read its rows.

The agent imports this module and pays for what it imports at a twentieth of a core: nothing but the
standard library here. The judging is `judge`'s.

`INNODB_TABLESPACES_ENCRYPTION` has a row for each tablespace that was opened since the start. A
page is encrypted by a key version; `MIN_KEY_VERSION` 0 says that some page still is not (MariaDB's
manual, "Information Schema INNODB_TABLESPACES_ENCRYPTION Table"), so that scheme 1 alone proves
nothing. The join begins at the list of all tablespaces: one that the encryption view does not know
counts as plaintext. The temporary tablespace is never in that view; a variable decides about it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from encbench.wire.agent import CatalogueRows, TablespaceRow

Row = Sequence[Any]

VARIABLES = (
    "aria_encrypt_tables",
    "encrypt_binlog",
    "encrypt_tmp_disk_tables",
    "encrypt_tmp_files",
    "file_key_management_encryption_algorithm",
    "have_ssl",
    "innodb_default_encryption_key_id",
    "innodb_encrypt_log",
    "innodb_encrypt_tables",
    "innodb_encrypt_temporary_tables",
    "innodb_encryption_threads",
    "log_bin",
    "require_secure_transport",
    "ssl_cipher",
    "tls_version",
)

SETTINGS = "SHOW GLOBAL VARIABLES"
ENCRYPTION_SETTINGS = SETTINGS + " WHERE Variable_name IN ({})".format(
    ", ".join(f"'{name}'" for name in VARIABLES)
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
    settings: Iterable[Row], plugins: Iterable[Row], tablespaces: Iterable[Row]
) -> CatalogueRows:
    """The evidence's `catalogue` from the rows of the statements above."""
    return {
        "variables": {str(name): str(value) for name, value in settings},
        "plugins": {str(name): str(status) for name, status in plugins},
        "tablespaces": [_tablespace(row) for row in tablespaces],
    }


def busy(tablespaces: Iterable[Row]) -> bool:
    """Whether pages are being encrypted or decrypted right now."""
    return any(_tablespace(row)["busy"] for row in tablespaces)


def _tablespace(row: Row) -> TablespaceRow:
    name, scheme, least_key, rotating_page, flushing = row
    return {
        "name": str(name),
        "encrypted": bool(scheme) and bool(least_key),
        "busy": rotating_page is not None or bool(flushing),
    }
