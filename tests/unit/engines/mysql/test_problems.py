"""What is wrong with a template or a mode, in sentences."""

import re
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.core.session_memory import Sessions
from encbench.engines.mysql.flavour import MYSQL
from encbench.engines.mysql.problems import option_file
from encbench.engines.registry import engine
from encbench.engines.setting_names import known_settings
from tests.support.testbeds import PLAINTEXT, TLS, TLS12, instance
from tests.unit.engines.mysql.golden import ALL, TABLES

ROOM = {"cpu": "1", "memory": "2Gi"}


def problems(
    mode: dict[str, Any] = PLAINTEXT, engine_: str = "mysql", version: str = "8.4", **changes: Any
) -> list[str]:
    body = instance(engine=engine_, version=version, **{"resources": ROOM, **changes})
    template = InstanceTemplateSpec.model_validate(body)
    found = engine(engine_).problems(template, EncryptionModeSpec.model_validate(mode))
    return [problem.text for problem in found]


@pytest.mark.parametrize("version", ["8.0.23", "8.0", "8.0.28", "8.4", "8.4.3", "9.7", "9"])
@pytest.mark.parametrize("name", ["mysql", "percona"])
@pytest.mark.parametrize("mode", [PLAINTEXT, ALL, TABLES, TLS, TLS12])
def test_what_is_right(version: str, name: str, mode: dict[str, Any]) -> None:
    settings = {"innodb_buffer_pool_size": "512M", "innodb_io_capacity": "2000", "sql_mode": "ANSI"}
    assert problems(mode, name, version, settings=settings) == []


@pytest.mark.parametrize(
    "name",
    [
        "datadir",
        "socket",
        "port",
        "user",
        "pid_file",
        "log_bin",
        "skip_log_bin",
        "disable_log_bin",
        "plugin_load",
        "plugin_load_add",
        "plugin_dir",
        "early_plugin_load",
        "keyring_file_data",
        "default_table_encryption",
        "binlog_encryption",
        "binlog_rotate_encryption_master_key_at_startup",
        "binlog_encr",
        "innodb_redo_log_encrypt",
        "loose_innodb_redo_log_encrypt",
        "table_encryption_privilege_check",
        "encrypt_tmp_files",
        "ssl_cert",
        "skip_ssl",
        "tls_version",
        "tls_ciphersuites",
        "require_secure_transport",
        "max_connections",
        "maximum_max_connections",
        "general_log",
        "innodb_print_all_deadlocks",
        "innodb_status_file",
        "innodb_status_output",
        "innodb_status_output_locks",
        "slow_query_log",
        "innodb_file_per_table",
        "default_storage_engine",
        "innodb_change_buffering",
        "skip_grant_tables",
        "skip_networking",
        "datadi",
        "default_table_encr",
        "mysqlx_port",
        "innodb_undo_directory",
        "innodb_doublewrite_dir",
        "basedir",
        "init_file",
    ],
)
@pytest.mark.parametrize("engine_", ["mysql", "percona"])
def test_what_belongs_to_the_operator_is_refused(name: str, engine_: str) -> None:
    (problem,) = problems(engine_=engine_, settings={name: "1"})
    assert problem.startswith(f"settings.{name} belongs to the operator: leave it out")


@pytest.mark.parametrize("name", ["keyring_vault_config", "early_plugin_load"])
def test_of_keyrings_it_says_which_one_there_is(name: str) -> None:
    (problem,) = problems(settings={name: "1"})
    assert "supports one keyring alone, a file on the testbed's volume" in problem


def test_the_cipher_of_a_function_is_no_encryption_of_the_server() -> None:
    assert problems(settings={"block_encryption_mode": "aes-256-cbc"}) == []


@pytest.mark.parametrize("name", ["mysql", "percona"])
def test_an_unknown_name_is_for_the_server_to_refuse(name: str) -> None:
    unknown = {"innodb_bufer_pool_size": "256M", "thread_pool_oversubscribe": "3"}
    assert problems(engine_=name, settings=unknown) == []


def test_a_beginning_counts_only_where_it_is_no_setting_of_its_own() -> None:
    """Otherwise a setting that a template may well want would be refused by accident."""
    owned = option_file(MYSQL).owned
    free = {name for name in known_settings("mysql").names if owned(name) is None}
    assert {
        "innodb_buffer_pool_size",
        "innodb_flush_log_at_trx_commit",
        "innodb_io_capacity",
        "innodb_doublewrite",
        "innodb_log_buffer_size",
        "performance_schema",
        "skip_name_resolve",
        "sync_binlog",
        "thread_cache_size",
        "tmp_table_size",
        "log_error_verbosity",
        "back_log",
        "open_files_limit",
    } <= free
    assert len(free) > 380


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("5.6", "is too old: write 5.7 or later"),
        ("8", "may be 8.0 or 8.4: write which one"),
        ("6.0", "there is no version 6.0 of MySQL: write 5.7, 8.0 or 8.4"),
        ("7.4", "there is no version 7.4 of MySQL"),
        ("5", "there is no version 5 of MySQL"),
        ("8.0.12", "does not report which tablespace is encrypted"),
    ],
)
def test_versions_that_are_none(version: str, words: str) -> None:
    (problem,) = problems(ALL, version=version, settings={"xyzzy": "1"})
    assert words in problem


@pytest.mark.parametrize("version", ["5.7", "5.7.44", "8.0.13", "8.0.22"])
def test_no_tde_before_the_doublewrite_buffer_is_encrypted_too(version: str) -> None:
    (problem,) = problems(ALL, version=version)
    assert problem.startswith(
        f"MySQL {version} cannot encrypt everything that it writes of a table"
    )
    assert "leave atRest out of the mode, or write version 8.0.23 or later" in problem
    assert problems(PLAINTEXT, version=version) == []


def test_tls_1_3_is_not_for_every_version() -> None:
    for version in ("5.7", "8.0.15"):
        (problem,) = problems(TLS, version=version)
        assert "write inTransit.version: TLSv1.2 in the mode, or in one of its own" in problem
        assert problems(TLS12, version=version) == []


@pytest.mark.parametrize("pool", [None, "128M", "3G", "1", "many"])
def test_memory_that_is_named_holds_the_pool_and_a_connection(pool: str | None) -> None:
    settings = {} if pool is None else {"innodb_buffer_pool_size": pool}
    problem = problems(resources={"cpu": "1", "memory": "256Mi"}, settings=settings)[-1]
    found = re.search(r"write ([0-9]+)Mi or more", problem)
    assert found
    enough = instance(
        engine="mysql",
        version="8.4",
        settings=settings,
        resources={"cpu": "1", "memory": f"{found[1]}Mi"},
    )
    template = InstanceTemplateSpec.model_validate(enough)
    assert not [*engine("mysql").room(template, Sessions(1, 0))]
    said = [p.text for p in engine("mysql").problems(template, EncryptionModeSpec())]
    assert not [text for text in said if "memory" in text]


def test_temporary_tables_are_percona_s_alone() -> None:
    mode = {"atRest": {"method": "engine", "scope": ["tables", "temporary"]}}
    assert problems(mode) == [
        "atRest.scope: leave temporary out, because MySQL can encrypt only tables, system, redo, "
        "undo, binlog"
    ]
    assert problems(mode, "percona") == []


def test_algorithm_and_key_are_mariadb_s() -> None:
    (problem,) = problems({"atRest": {"method": "engine", "algorithm": "AES_CTR"}})
    assert problem.startswith("atRest.algorithm is only for MariaDB: leave it out")
    (problem,) = problems({"atRest": {"method": "engine", "keySecretRef": {"name": "mine"}}})
    assert problem.startswith(
        "atRest.keySecretRef: leave it out, because MySQL makes its master keys"
    )


def test_a_server_without_room_is_refused_with_numbers() -> None:
    assert problems(resources={"cpu": "1", "memory": "512Mi"}) == [
        "resources.memory of 512Mi is too little for MySQL with these settings: write 529Mi or more"
    ]
    small = {"cpu": "1", "memory": "528Mi"}
    assert problems(resources=small) == []
    (problem,) = problems(resources=small, settings={"innodb_buffer_pool_size": "128M"})
    assert "write 16M or less, or raise resources.memory" in problem
    assert (
        problems(resources={"cpu": "1", "memory": "512Mi"}, settings={"performance_schema": "OFF"})
        == []
    )
