"""What is wrong with a template or a mode for MySQL, found before anything starts."""

from collections.abc import Iterable, Iterator

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import ENCRYPTION_MODE, INSTANCE_TEMPLATE
from encbench.core.problem import Problem, Reason
from encbench.core.session_memory import Sessions
from encbench.engines import setting_names
from encbench.engines.innodb import options, statements
from encbench.engines.mysql.flavour import (
    FIRST_8,
    FIRST_TDE,
    FIRST_THAT_REPORTS,
    FIRST_TLS_1_3,
    OLDEST,
    Flavour,
    number,
)
from encbench.engines.mysql.settings import pool

CHANGES = (
    "leave it out, because the change buffer would hold rows in ibdata1, which MySQL cannot encrypt"
)

KEYRING = (
    "leave it out, because encbench supports one keyring alone, a file on the testbed's volume "
    "that the server makes under an EncryptionMode with atRest.method: engine"
)

# The brackets keep two names free: innodb_doublewrite, which would count as a beginning of that
# pattern, and block_encryption_mode, which is the cipher of AES_ENCRYPT() in statements.
_OWNED: setting_names.Owned = (
    (
        "datadir socket pid_file port extra_port admin_address admin_port "
        "create_admin_listener_thread bind_address tmpdir user basedir chroot init_file daemonize "
        "innodb_data_home_dir innodb_data_file_path innodb_log_group_home_dir innodb_tmpdir "
        "innodb_undo_directory innodb_temp_data_file_path innodb_temp_tablespaces_dir "
        "[i]nnodb_doublewrite_d* "
        "innodb_directories innodb_redo_log_archive_dirs replica_load_tmpdir slave_load_tmpdir "
        "log_error log_error_services secure_file_priv log_tc mysqlx mysqlx_*",
        setting_names.PLACES,
    ),
    (
        "encrypt* [!b]*encrypt* binlog_*encrypt* default_table_encryption "
        "table_encryption_privilege_check binlog_encryption "
        "innodb_redo_log_encrypt innodb_undo_log_encrypt innodb_sys_tablespace_encrypt "
        "innodb_temp_tablespace_encrypt",
        setting_names.MODE,
    ),
    ("keyring_* early_plugin_load", KEYRING),
    (
        "ssl ssl_* admin_ssl* admin_tls* tls_* require_secure_transport auto_generate_certs "
        "caching_sha2_password_* sha256_password_* default_authentication_plugin "
        "authentication_policy",
        setting_names.MODE,
    ),
    ("plugin_*", options.PLUGINS),
    ("log_bin log_bin_* server_id sql_log_bin", options.BINLOG),
    (
        "general_log* slow_query_log* log_slow_* log_output log_raw innodb_status_* "
        "innodb_print_all_deadlocks",
        options.PLAINTEXT,
    ),
    ("max_connections max_user_connections", setting_names.CONNECTIONS),
    ("innodb_file_per_table binlog_transaction_compression", options.FILES),
    ("default_storage_engine enforce_storage_engine", options.ENGINE),
    ("innodb_change_buffering", CHANGES),
    (
        "grant_tables networking read_only super_read_only innodb_read_only innodb_force_recovery "
        "initialize initialize_insecure help version verbose gdb upgrade validate_config "
        "offline_mode "
        "innodb_dedicated_server innodb_redo_log_enabled percona_telemetry_disable",
        setting_names.SERVES,
    ),
    (
        "group_replication* rpl_semi_sync_* replicate_* relay_log* report_* ndb* replica_start "
        "slave_start",
        setting_names.SINGLE,
    ),
)


def option_file(flavour: Flavour) -> setting_names.SettingsFile:
    """What one flavour's option file may hold."""
    return options.option_file(flavour.facts.title, "mysql", _OWNED, pool)


def room(flavour: Flavour, instance: InstanceTemplateSpec, sessions: Sessions) -> Iterable[Problem]:
    """Whether the template has room for these connections; empty for an unsupported version."""
    if _unsupported(flavour, instance.version):
        return ()
    room = pool(instance).room(instance, sessions)
    return (*statements.problems(instance, sessions), *room)


def problems(
    flavour: Flavour, instance: InstanceTemplateSpec, mode: EncryptionModeSpec
) -> Iterator[Problem]:
    """What is wrong with the version, or else with the mode and the settings."""
    version = _unsupported(flavour, instance.version)
    if version is not None:
        yield Problem(INSTANCE_TEMPLATE, Reason.VERSION_UNSUPPORTED, version)
        return
    for text in _lacking(flavour, instance, mode):
        yield Problem(ENCRYPTION_MODE, Reason.MODE_UNSUPPORTED, text)
    yield from option_file(flavour).problems(instance)


def _unsupported(flavour: Flavour, version: str) -> str | None:
    title, parts = flavour.facts.title, tuple(int(part) for part in version.split("."))
    if parts == (8,):
        return f"version 8 of {title} may be 8.0 or 8.4: write which one"
    if parts < OLDEST and parts != (5,):
        return f"version {version} of {title} is too old: write 5.7 or later, and an image of it"
    if parts == (5,) or (5, 8) <= parts < (8,):
        return f"there is no version {version} of {title}: write 5.7, 8.0 or 8.4"
    if FIRST_8 <= number(version) < FIRST_THAT_REPORTS:
        return (
            f"version {version} of {title} does not report which tablespace is encrypted, so that "
            "no mode can be proven: write 8.0.13 or later, and an image of it"
        )
    return None


def _lacking(
    flavour: Flavour, instance: InstanceTemplateSpec, mode: EncryptionModeSpec
) -> Iterator[str]:
    """What the mode asks for and the server lacks."""
    name, version = flavour.facts.title, number(instance.version)
    server = f"{name} {instance.version}"
    at_rest, in_transit = mode.tde, mode.in_transit
    if at_rest is not None:
        if version < FIRST_TDE:
            yield (
                f"{server} cannot encrypt everything that it writes of a table: leave atRest out "
                "of the mode, or write version 8.0.23 or later and an image of it"
            )
        if at_rest.algorithm is not None:
            yield (
                "atRest.algorithm is only for MariaDB: leave it out, because the algorithm of "
                f"{name} is fixed (AES-256 in CBC mode for tables)"
            )
        if at_rest.key_secret_ref is not None:
            yield (
                f"atRest.keySecretRef: leave it out, because {name} makes its master keys "
                "itself, in a keyring on the testbed's volume"
            )
        lacking = [part for part in at_rest.scope or () if part not in flavour.scopes]
        if lacking:
            yield (
                f"atRest.scope: leave {', '.join(lacking)} out, because {name} can encrypt "
                f"only {', '.join(flavour.scopes)}"
            )
    if in_transit is not None and in_transit.version == "TLSv1.3" and version < FIRST_TLS_1_3:
        yield (
            f"{server} has no TLS 1.3: write inTransit.version: TLSv1.2 in the mode, or in one of "
            "its own in a matrix entry of its own"
        )
