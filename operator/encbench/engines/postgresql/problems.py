"""What is wrong with a template or a mode for PostgreSQL, found before anything starts."""

import re
from collections.abc import Iterator
from dataclasses import replace

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.kinds import ENCRYPTION_MODE, INSTANCE_TEMPLATE
from encbench.core.problem import Problem, Reason
from encbench.engines import setting_names
from encbench.engines.postgresql import load_memory

OLDEST = 15
"""The first series with the agent's two roles: to read settings, and to request checkpoints."""

_LOGS = "leave it out, because the operator reads the server's log from its container"
_LIBRARIES = "leave it out, because only encryption modes decide what the server loads"
_TRUE = "leave it out, because a damaged page must be an error, not part of a figure"

_OWNED: setting_names.Owned = (
    (
        "data_directory config_file hba_file ident_file external_pid_file port listen_addresses "
        "unix_socket_* bonjour* default_tablespace temp_tablespaces dynamic_shared_memory_type "
        "shared_memory_type allow_in_place_tablespaces include include_dir include_if_exists",
        setting_names.PLACES,
    ),
    (
        "logging_collector log_destination log_directory log_filename log_file_mode "
        "log_rotation_* log_truncate_on_rotation log_line_prefix lc_messages syslog_* "
        "event_source",
        _LOGS,
    ),
    (
        "ssl ssl_* password_encryption scram_iterations krb_* gss_* oauth_* db_user_namespace",
        setting_names.MODE,
    ),
    (
        "*_preload_libraries dynamic_library_path extension_*path extension_destdir jit_provider "
        "archive_library default_table_access_method",
        _LIBRARIES,
    ),
    (
        "max_connections superuser_reserved_connections reserved_connections",
        setting_names.CONNECTIONS,
    ),
    (
        "restart_after_crash",
        "leave it out, because a server that restarts by itself would hide its crash",
    ),
    (
        "default_transaction_read_only transaction_read_only transaction_isolation "
        "transaction_deferrable transaction_timeout exit_on_error allow_system_table_mods "
        "post_auth_delay pre_auth_delay row_security search_path session_replication_role "
        "ignore_system_indexes allow_alter_system",
        setting_names.SERVES,
    ),
    ("ignore_checksum_failure ignore_invalid_pages zero_damaged_pages", _TRUE),
    (
        "archive_* restore_command recovery_target* recovery_end_command recovery_min_apply_delay "
        "primary_* promote_trigger_file hot_standby* synchronous_standby_names "
        "synchronized_standby_slots sync_replication_slots",
        setting_names.SINGLE,
    ),
)

_IN_PLAINTEXT = (
    "because under a mode with atRest it would write statements in plaintext to the container's "
    "log, which is not on the encrypted volume"
)
_STATEMENTS: setting_names.Owned = (
    (
        "log_statement log_min_duration_statement log_min_duration_sample "
        "log_transaction_sample_rate log_parameter_max_length* debug_print_* log_statement_stats "
        "log_parser_stats log_planner_stats log_executor_stats log_temp_files log_lock_waits "
        "log_lock_failures trace_sort",
        f"leave it out, {_IN_PLAINTEXT}",
    ),
)
"""What no search for the marker can see, and no such mode can accept.

To a message of its level LOG the server adds the statement that caused it.
"""
_HIGH = ("error", "log", "fatal", "panic")
_LEVELS = {"log_min_messages": ("warning", *_HIGH), "log_min_error_statement": _HIGH}
"""The levels under such a mode, the server's default first. Messages of debug2 and below hold
statements. To those of `log_min_error_statement` and above the server adds the statement.
"""

_FOREIGN_SIZE = re.compile(r"([0-9]+)([KkMGT])i?")
_BAD_VALUE = re.compile(r"[\x00-\x1f\x7f]")


def problems(instance: InstanceTemplateSpec, mode: EncryptionModeSpec) -> Iterator[Problem]:
    """What is wrong with the version, the mode and the settings."""
    if int(instance.version.split(".")[0]) < OLDEST:
        version = f"version {instance.version} of PostgreSQL"
        text = f"{version} is too old: write {OLDEST} or later, and an image of it"
        yield Problem(INSTANCE_TEMPLATE, Reason.VERSION_UNSUPPORTED, text)
    if mode.tde is not None:
        text = (
            "PostgreSQL has no encryption at rest of its own, and pg_tde of Percona's distribution "
            "is not supported: write atRest.method: volume, or leave atRest out"
        )
        yield Problem(ENCRYPTION_MODE, Reason.MODE_UNSUPPORTED, text)
    yield from (SETTINGS_AT_REST if mode.encrypts_at_rest else SETTINGS).problems(instance)
    yield from load_memory.problems(instance)


def _wrong(name: str, value: str) -> str | None:
    if _BAD_VALUE.search(value):
        return (
            f"settings.{name} has a line break or a control character, which would end or change "
            "the configuration file: write one plain line"
        )
    size = _FOREIGN_SIZE.fullmatch(value)
    if size is not None:
        right = f"{size[1]}{'k' if size[2] in 'Kk' else size[2]}B"
        return f"settings.{name}: write {right}, as PostgreSQL does, instead of {value}"
    return None


def _wrong_at_rest(name: str, value: str) -> str | None:
    problem, levels = _wrong(name, value), _LEVELS.get(name)
    if problem is not None or levels is None or value.lower() in levels:
        return problem
    return f"settings.{name}: write {levels[0]} or a higher level, not {value}, {_IN_PLAINTEXT}"


SETTINGS = setting_names.SettingsFile(belong=_OWNED, wrong=_wrong, pool=load_memory.pool_of)
SETTINGS_AT_REST = replace(SETTINGS, belong=(*_OWNED, *_STATEMENTS), wrong=_wrong_at_rest)
