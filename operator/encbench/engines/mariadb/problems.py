"""What is wrong with a template or a mode for MariaDB, found before anything starts."""

from collections.abc import Iterator
from typing import get_args

from encbench.api.encryptionmode import EncryptionModeSpec, Scope
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import ENCRYPTION_MODE, INSTANCE_TEMPLATE
from encbench.core.problem import Problem, Reason
from encbench.core.session_memory import Sessions
from encbench.engines import setting_names
from encbench.engines.innodb import options, statements
from encbench.engines.mariadb.settings import POOL, is_before

OLDEST = (10, 6)
"""The first series whose binary logs expire by the second (`binlog_expire_logs_seconds`)."""

KEYS = (
    "leave it out, because encbench supports file_key_management alone: with atRest.keySecretRef "
    "of an EncryptionMode it takes a key from a Secret, which Vault or a KMS can fill"
)

# The brackets keep block_encryption_mode free, the cipher of AES_ENCRYPT() in statements.
_OWNED: setting_names.Owned = (
    (
        "datadir socket pid_file port extra_port bind_address tmpdir user basedir chroot init_file "
        "innodb_data_home_dir innodb_data_file_path innodb_log_group_home_dir innodb_tmpdir "
        "innodb_undo_directory innodb_temp_data_file_path aria_log_dir_path slave_load_tmpdir "
        "log_error secure_file_priv log_tc",
        setting_names.PLACES,
    ),
    ("encrypt* [!b]*encrypt* file_key_management*", setting_names.MODE),
    ("hashicorp_key_management* aws_key_management*", KEYS),
    ("ssl ssl_* tls_version require_secure_transport", setting_names.MODE),
    ("plugin_*", options.PLUGINS),
    ("log_bin log_bin_* log_basename server_id sql_log_bin", options.BINLOG),
    (
        "general_log* slow_query_log* log_slow_query* log_output innodb_status_* "
        "innodb_print_all_deadlocks",
        options.PLAINTEXT,
    ),
    ("max_connections back_log", setting_names.CONNECTIONS),
    ("innodb_file_per_table innodb_compression_default", options.FILES),
    ("default_storage_engine enforce_storage_engine", options.ENGINE),
    (
        "grant_tables networking bootstrap read_only innodb_read_only innodb_force_recovery",
        setting_names.SERVES,
    ),
    ("wsrep_* rpl_semi_sync_* replicate_* master_info_file relay_log*", setting_names.SINGLE),
)

OPTIONS = options.option_file("MariaDB", "mariadb", _OWNED, lambda _: POOL)


def room(instance: InstanceTemplateSpec, sessions: Sessions) -> Iterator[Problem]:
    """Whether the template has room for these connections and what they prepare."""
    yield from statements.problems(instance, sessions)
    yield from OPTIONS.room(instance, sessions)


def problems(instance: InstanceTemplateSpec, mode: EncryptionModeSpec) -> Iterator[Problem]:
    """What is wrong with the version, the mode's scope and the settings."""
    if is_before(instance.version, OLDEST):
        version = f"version {instance.version} of MariaDB"
        text = f"{version} is too old: write 10.6 or later, and an image of it"
        yield Problem(INSTANCE_TEMPLATE, Reason.VERSION_UNSUPPORTED, text)
    # Tables, system tablespace and undo log share one switch in MariaDB.
    scope = mode.tde.scope if mode.tde else None
    if scope is not None and set(get_args(Scope)) - set(scope):
        text = (
            "atRest.scope: leave it out, because MariaDB encrypts everything that it can or "
            "nothing; only MySQL and Percona Server can encrypt a part"
        )
        yield Problem(ENCRYPTION_MODE, Reason.MODE_UNSUPPORTED, text)
    yield from OPTIONS.problems(instance)
