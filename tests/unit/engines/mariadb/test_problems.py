"""What is wrong with a template, in sentences."""

from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.engines.innodb.settings import parse_size
from encbench.engines.mariadb.problems import OPTIONS
from encbench.engines.mariadb.settings import POD, server_settings
from encbench.engines.registry import engine
from encbench.engines.setting_names import known_settings
from tests.support.testbeds import TDE, instance, spec_of_testbed


def problems(**changes: Any) -> list[str]:
    template = InstanceTemplateSpec.model_validate(instance(**changes))
    found = engine("mariadb").problems(template, EncryptionModeSpec())
    return [problem.text for problem in found]


def test_a_plain_template_has_none() -> None:
    assert problems() == []
    assert problems(settings={"innodb_buffer_pool_size": "256M", "sql_mode": "ANSI"}) == []


@pytest.mark.parametrize(
    "name",
    [
        "datadir",
        "socket",
        "port",
        "user",
        "pid_file",
        "log_bin",
        "plugin_load",
        "plugin_load_add",
        "innodb_encrypt_tables",
        "encrypt_binlog",
        "innodb_encryption_threads",
        "file_key_management_filename",
        "ssl_cert",
        "max_connections",
        "back_log",
        "general_log",
        "innodb_print_all_deadlocks",
        "innodb_status_file",
        "innodb_status_output",
        "innodb_status_output_locks",
        "innodb_file_per_table",
        "default_storage_engine",
        "enforce_storage_engine",
        "skip_log_bin",
        "loose_innodb_encrypt_log",
        "disable_log_bin",
        "skip_grant_tables",
        "skip_networking",
        "datadi",
        "innodb_encrypt_ta",
        "maximum_max_connections",
    ],
)
@pytest.mark.parametrize("version", ["10.11", "11.4"])
def test_what_belongs_to_the_operator_is_refused(name: str, version: str) -> None:
    (problem,) = problems(version=version, settings={name: "1"})
    assert problem.startswith(f"settings.{name} belongs to the operator: leave it out")


@pytest.mark.parametrize(
    "name", ["hashicorp_key_management_vault_url", "aws_key_management_region"]
)
def test_of_key_plugins_it_says_which_one_there_is(name: str) -> None:
    (problem,) = problems(settings={name: "1"})
    assert "encbench supports file_key_management alone: with atRest.keySecretRef" in problem


def test_the_cipher_of_a_function_is_no_encryption_of_the_server() -> None:
    assert problems(version="11.4", settings={"block_encryption_mode": "aes-256-cbc"}) == []


def test_an_unknown_name_is_for_the_server_to_refuse() -> None:
    assert problems(settings={"innodb_bufer_pool_size": "256M", "xyzzy": "1"}) == []


def test_a_beginning_must_be_written_in_full() -> None:
    (problem,) = problems(settings={"innodb_buffer_pool_siz": "256M"})
    assert problem.startswith("settings.innodb_buffer_pool_siz: write innodb_buffer_pool_size in ")
    (problem,) = problems(settings={"loose_xyzzy": "1"})
    assert problem.startswith("settings.loose_xyzzy: leave loose_ out")
    for twice in ("loose_skip_networking", "skip_loose_max_connections"):
        (problem,) = problems(settings={twice: "1"})
        assert problem.startswith(f"settings.{twice} belongs to the operator")


@pytest.mark.parametrize(
    ("size", "memory", "right"),
    [("512M", "512Mi", "400M"), ("1G", "1Gi", "819M"), ("200000000", "256Mi", "144M")],
)
def test_a_pool_that_fills_the_memory_is_refused_with_a_number(
    size: str, memory: str, right: str
) -> None:
    (problem,) = problems(
        resources={"cpu": "1", "memory": memory}, settings={"innodb_buffer_pool_size": size}
    )
    assert f"write {right} or less" in problem
    assert (
        problems(
            resources={"cpu": "1", "memory": memory}, settings={"innodb_buffer_pool_size": right}
        )
        == []
    )


def test_sizes_of_kubernetes_and_no_sizes_are_refused() -> None:
    assert problems(settings={"innodb_buffer_pool_size": "256Mi"}) == [
        "settings.innodb_buffer_pool_size: write 256M, as MariaDB does, instead of 256Mi"
    ]
    assert problems(settings={"innodb_log_file_size": "1Gi"}) == [
        "settings.innodb_log_file_size: write 1G, as MariaDB does, instead of 1Gi"
    ]
    (problem,) = problems(settings={"innodb_buffer_pool_size": "80%"})
    assert problem.endswith("write a size such as 256M")


@pytest.mark.parametrize("value", ["1\n[mariadbd]\ninnodb_encrypt_tables=OFF", "1\r", "1 # x"])
def test_a_value_cannot_leave_its_line(value: str) -> None:
    (problem,) = problems(settings={"innodb_io_capacity": value})
    assert "write one plain line" in problem


@pytest.mark.parametrize("version", ["5", "9", "5.5", "10.4", "10.5", "10.5.29"])
def test_an_old_version_is_refused(version: str) -> None:
    (problem,) = problems(version=version)
    assert f"version {version} of MariaDB is too old: write 10.6 or later" in problem


@pytest.mark.parametrize("version", ["10", "10.6", "10.6.22", "11", "11.8"])
def test_a_version_that_is_not_too_old(version: str) -> None:
    assert problems(version=version) == []


@pytest.mark.parametrize(
    ("text", "size"),
    [("256M", 2**28), ("1g", 2**30), ("64k", 65536), ("1000", 1000), ("1.5G", None), ("", None)],
)
def test_sizes(text: str, size: int | None) -> None:
    assert parse_size(text) == size


def test_what_the_operator_writes_is_known_to_the_server() -> None:
    known = known_settings("mariadb").names
    plugins = {"file_key_management_filename", "file_key_management_encryption_algorithm"}
    written = set(server_settings(spec_of_testbed(TDE), POD)) - plugins
    assert written - known == {"plugin_load_add"} - known


def test_a_beginning_counts_only_where_it_is_no_setting_of_its_own() -> None:
    """Otherwise a setting that a template may well want would be refused by accident."""
    known = known_settings("mariadb").names
    free = {name for name in known if OPTIONS.owned(name) is None}
    assert {
        "innodb_buffer_pool_size",
        "innodb_log_file_size",
        "innodb_flush_log_at_trx_commit",
        "sync_binlog",
        "skip_name_resolve",
        "binlog_expire_logs_seconds",
        "thread_handling",
        "tmp_table_size",
        "performance_schema",
    } <= free
    assert len(free) > 450


def test_a_part_of_what_mariadb_encrypts_is_refused() -> None:
    template = InstanceTemplateSpec.model_validate(instance())
    all_of_it = ["tables", "system", "redo", "undo", "temporary", "binlog"]
    for scope in (all_of_it[:1], all_of_it[1:], all_of_it):
        mode = {"atRest": {"method": "engine", "scope": scope}}
        found = engine("mariadb").problems(template, EncryptionModeSpec.model_validate(mode))
        assert [problem.text.split(",")[0] for problem in found] == (
            [] if scope == all_of_it else ["atRest.scope: leave it out"]
        )
