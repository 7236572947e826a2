"""What the server itself says about encryption: the statements that ask, and how to read the rows.

The agent imports this module: the standard library only. `judge` does the judging.

One text serves every version, because a server skips a comment with a later version number than its
own. 5.7 has no TDE in encbench, and no columns that would report it.

InnoDB's list of tablespaces leaves out the system tablespace (ibdata1), which MySQL cannot encrypt
(`innodb_change_buffering` keeps rows out of it); these statements leave out `innodb_temporary`,
because settings decide it. The marker reaches undo log and system tables in the buffer pool first.
While pages are dirty the files are not up to date, and the column `busy` says so.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from encbench.engines.innodb import tables
from encbench.engines.layout import kinds
from encbench.wire.agent import CatalogueRows

Row = Sequence[Any]

VARIABLES = (
    "admin_port binlog_encryption default_table_encryption encrypt_tmp_files have_ssl "
    "innodb_change_buffering innodb_doublewrite innodb_redo_log_encrypt "
    "innodb_sys_tablespace_encrypt innodb_temp_tablespace_encrypt innodb_undo_log_encrypt "
    "log_bin performance_schema require_secure_transport ssl_ca ssl_cert ssl_cipher ssl_key "
    "table_encryption_privilege_check tls_ciphersuites tls_version version"
)
CERTIFICATE_EXPIRY = "Ssl_server_not_after"
"""When the certificate in use expires; listed among the variables. It is empty while the server
does no TLS, whatever its settings say: a server that cannot read its certificate starts all the
same."""

SETTINGS = "SHOW GLOBAL VARIABLES"
ENCRYPTION_SETTINGS = SETTINGS + " WHERE Variable_name IN ({})".format(
    ", ".join(f"'{name}'" for name in VARIABLES.split())
)
VERSION = "SELECT VERSION()"
PLUGINS = (
    "SELECT PLUGIN_NAME, PLUGIN_STATUS FROM information_schema.PLUGINS "
    "WHERE PLUGIN_TYPE = 'KEYRING' "
    "/*!80024 UNION ALL SELECT "
    "MAX(IF(STATUS_KEY = 'Component_name', STATUS_VALUE, NULL)), "
    "UPPER(MAX(IF(STATUS_KEY = 'Component_status', STATUS_VALUE, NULL))) "
    "FROM performance_schema.keyring_component_status HAVING COUNT(*) > 0 */"
)
TABLESPACES = (
    "SELECT '', '', 0 FROM DUAL WHERE FALSE "
    "/*!80013 UNION ALL SELECT NAME, ENCRYPTION, "
    "(SELECT VARIABLE_VALUE FROM performance_schema.global_status "
    "WHERE VARIABLE_NAME = 'Innodb_buffer_pool_pages_dirty') "
    "FROM information_schema.INNODB_TABLESPACES WHERE NAME <> 'innodb_temporary' */"
)
BINARY_LOGS = "SHOW BINARY LOGS"
STATUS = f"SHOW GLOBAL STATUS WHERE Variable_name = '{CERTIFICATE_EXPIRY}'"


def catalogue(
    settings: Iterable[Row],
    plugins: Iterable[Row],
    tablespaces: Iterable[Row],
    binary_logs: Iterable[Row],
    status: Iterable[Row],
    other_tables: Iterable[Row],
) -> CatalogueRows:
    """The evidence's `catalogue` from the rows of the statements above."""
    return {
        "variables": {str(name): str(value) for name, value in (*settings, *status)},
        "plugins": {str(name): str(status) for name, status in plugins},
        "tablespaces": [
            {"name": str(name), "encrypted": encryption == "Y", "busy": int(dirty) > 0}
            for name, encryption, dirty in tablespaces
        ],
        # 5.7 neither encrypts them nor has a column for it.
        "binaryLogs": [
            {"name": str(row[0]), "encrypted": len(row) > 2 and row[2] == "Yes"}
            for row in binary_logs
        ],
        "otherTables": tables.engines(other_tables),
    }


def busy(tablespaces: Iterable[Row]) -> bool:
    """Whether pages are still to be written."""
    return any(int(row[2]) > 0 for row in tablespaces)


kind_of = kinds(
    (r"/#ib_redo\d+(_tmp)?$", "redo"),
    (r"/ib_logfile\d+$", "redo"),
    (r"/undo_?\d+$", "undo"),
    (r"\.ibu$", "undo"),
    (r"/(ibtmp\d+|#innodb_temp/.*\.ibt)$", "temporary"),
    (r"/ibdata\d+$", "system"),
    (r"/data/mysql\.ibd$", "system"),
    (r"/#ib_.*dblwr$", "doublewrite"),
    (r"/binlog\.\d+$", "binlog"),
    (r"\.ibd$", "table"),
)
