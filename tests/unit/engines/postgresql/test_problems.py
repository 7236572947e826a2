"""What is wrong with a template or a mode, in sentences."""

from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.engines.postgresql.problems import SETTINGS
from encbench.engines.postgresql.settings import POD, parse_seconds, parse_size, server_settings
from encbench.engines.registry import engine
from encbench.engines.setting_names import known_settings
from tests.support.testbeds import GOCRYPTFS, PASS_THROUGH, TDE, TLS, TLS12, instance
from tests.unit.engines.postgresql.golden import INSTANCE, spec

SERIES = ["15", "16", "17", "18"]


def problems(mode: dict[str, Any] | None = None, **changes: Any) -> list[str]:
    template = InstanceTemplateSpec.model_validate(instance(**{**INSTANCE, **changes}))
    found = engine("postgresql").problems(template, EncryptionModeSpec.model_validate(mode or {}))
    return [problem.text for problem in found]


@pytest.mark.parametrize("version", [*SERIES, "15.18", "19"])
@pytest.mark.parametrize("mode", [{}, TLS, TLS12])
def test_a_plain_template_has_none(version: str, mode: dict[str, Any]) -> None:
    wanted = {"shared_buffers": "256MB", "wal_compression": "on", "checkpoint_timeout": "15min"}
    assert problems(mode, version=version, settings=wanted) == []


def test_a_volume_is_no_business_of_the_server() -> None:
    volume = {"method": "volume", "volume": {"storageClassName": "encrypted"}}
    assert problems({"atRest": volume}) == []


@pytest.mark.parametrize(
    "name",
    [
        "log_statement",
        "log_min_duration_statement",
        "log_min_duration_sample",
        "log_transaction_sample_rate",
        "log_parameter_max_length",
        "log_parameter_max_length_on_error",
        "debug_print_plan",
        "log_statement_stats",
        "log_parser_stats",
        "log_planner_stats",
        "log_executor_stats",
        "log_temp_files",
        "log_lock_waits",
    ],
)
def test_statements_in_the_container_s_log_are_refused_where_the_volume_is_encrypted(
    name: str,
) -> None:
    """That log lies on the node, in plaintext; MySQL and MariaDB refuse theirs in every mode."""
    assert name in known_settings("postgresql").names
    refused_at_rest_alone(name)


@pytest.mark.parametrize("name", ["log_lock_failures", "trace_sort"])
def test_so_are_those_that_not_every_version_lists(name: str) -> None:
    refused_at_rest_alone(name)


def refused_at_rest_alone(name: str) -> None:
    (problem,) = problems(GOCRYPTFS, settings={name: "1"})
    assert problem.startswith(f"settings.{name} belongs to the operator: leave it out, because")
    for mode in ({}, TLS, PASS_THROUGH):
        assert problems(mode, settings={name: "1"}) == []


@pytest.mark.parametrize(
    ("name", "value", "least"),
    [
        ("log_min_error_statement", "warning", "error"),
        ("log_min_error_statement", "debug5", "error"),
        ("log_min_messages", "notice", "warning"),
        ("log_min_messages", "DEBUG2", "warning"),
        ("log_min_messages", "warning, backend:debug2", "warning"),
    ],
)
def test_lower_levels_of_the_log_are_refused_where_the_volume_is_encrypted(
    name: str, value: str, least: str
) -> None:
    """At debug2 a message holds the statement, and to others the server adds it."""
    assert name in known_settings("postgresql").names
    (problem,) = problems(GOCRYPTFS, settings={name: value})
    start = f"settings.{name}: write {least} or a higher level, not {value}, because under a mode"
    assert problem.startswith(start)
    for mode in ({}, TLS, PASS_THROUGH):
        assert problems(mode, settings={name: value}) == []


@pytest.mark.parametrize("value", ["error", "LOG", "fatal", "panic"])
def test_no_higher_level_of_the_log_is_refused(value: str) -> None:
    for name in ("log_min_error_statement", "log_min_messages"):
        assert problems(GOCRYPTFS, settings={name: value}) == []
    assert problems(GOCRYPTFS, settings={"log_min_messages": "warning"}) == []


def test_other_words_of_the_log_may_be_chosen_in_every_mode() -> None:
    wanted = {"log_min_error_statement": "panic", "log_checkpoints": "on", "log_duration": "on"}
    assert problems(GOCRYPTFS, settings=wanted) == []


def test_encryption_at_rest_of_its_own_is_refused_with_the_way_that_there_is() -> None:
    (problem,) = problems(TDE)
    assert problem == (
        "PostgreSQL has no encryption at rest of its own, and pg_tde of Percona's distribution is "
        "not supported: write atRest.method: volume, or leave atRest out"
    )


@pytest.mark.parametrize(
    "name",
    [
        "data_directory",
        "hba_file",
        "port",
        "listen_addresses",
        "unix_socket_directories",
        "temp_tablespaces",
        "logging_collector",
        "log_directory",
        "lc_messages",
        "ssl",
        "ssl_ciphers",
        "password_encryption",
        "shared_preload_libraries",
        "session_preload_libraries",
        "default_table_access_method",
        "max_connections",
        "superuser_reserved_connections",
        "restart_after_crash",
        "default_transaction_read_only",
        "zero_damaged_pages",
        "archive_mode",
        "synchronous_standby_names",
    ],
)
@pytest.mark.parametrize("version", ["15", "19"])
def test_what_belongs_to_the_operator_is_refused(name: str, version: str) -> None:
    (problem,) = problems(version=version, settings={name: "1"})
    assert problem.startswith(f"settings.{name} belongs to the operator: leave it out")


def test_an_unknown_name_is_for_the_server_to_refuse() -> None:
    assert problems(settings={"shared_bufers": "256MB", "io_combine_limit": "16"}) == []


@pytest.mark.parametrize("name", ["include", "include_dir", "include_if_exists"])
def test_another_file_of_settings_is_refused(name: str) -> None:
    (problem,) = problems(settings={name: "/tmp/more.conf"})
    assert problem.startswith(f"settings.{name} belongs to the operator")


@pytest.mark.parametrize(
    ("size", "memory", "right"),
    [("512MB", "512Mi", "409MB"), ("1GB", "1Gi", "819MB"), ("32768", "256Mi", "169MB")],
)
def test_buffers_that_fill_the_memory_are_refused_with_a_number(
    size: str, memory: str, right: str
) -> None:
    resources = {"cpu": "1", "memory": memory}
    (problem,) = problems(resources=resources, settings={"shared_buffers": size})
    assert f"write {right} or less" in problem
    assert problems(resources=resources, settings={"shared_buffers": right}) == []


@pytest.mark.parametrize(
    ("text", "right"), [("256M", "256MB"), ("256Mi", "256MB"), ("1Gi", "1GB"), ("64K", "64kB")]
)
@pytest.mark.parametrize("name", ["shared_buffers", "work_mem"])
def test_sizes_as_others_write_them_are_refused(name: str, text: str, right: str) -> None:
    (problem,) = problems(settings={name: text})
    assert problem == f"settings.{name}: write {right}, as PostgreSQL does, instead of {text}"


def test_a_size_that_is_none_is_refused() -> None:
    (problem,) = problems(settings={"shared_buffers": "80%"})
    assert problem.endswith("write a size such as 128MB")


@pytest.mark.parametrize("value", ["1\nssl = on", "1\r", "a\x00b"])
def test_a_value_cannot_leave_its_line(value: str) -> None:
    (problem,) = problems(settings={"work_mem": value})
    assert "write one plain line" in problem


def test_an_old_version_is_refused() -> None:
    (problem,) = problems(version="14.9")
    assert "write 15 or later" in problem


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("256MB", 2**28),
        ("1GB", 2**30),
        ("1.5GB", 3 * 2**29),
        ("64kB", 65536),
        ("16384", 2**27),
        ("64 kB", 65536),
        ("1gb", None),
        ("", None),
    ],
)
def test_sizes(text: str, size: int | None) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("500ms", 0.5), ("30s", 30), ("5min", 300), ("1h", 3600), ("1d", 86400), ("", None)],
)
def test_times_as_the_server_says_them(text: str, seconds: float | None) -> None:
    assert parse_seconds(text) == seconds


def test_what_the_operator_writes_is_known_to_the_server() -> None:
    known = known_settings("postgresql").names
    for mode in ({}, TLS, TLS12):
        assert set(server_settings(spec(mode), POD)) <= known
    assert {name for name in server_settings(spec({}), POD) if SETTINGS.owned(name) is None} == {
        "shared_buffers",
        "fsync",
        "synchronous_commit",
        "max_wal_size",
        "huge_pages",
        "tcp_keepalives_idle",
        "tcp_keepalives_interval",
        "tcp_keepalives_count",
    }


def test_what_is_worth_setting_is_free() -> None:
    known = known_settings("postgresql").names
    free = {name for name in known if SETTINGS.owned(name) is None}
    assert {
        "shared_buffers",
        "work_mem",
        "max_wal_size",
        "checkpoint_timeout",
        "full_page_writes",
        "wal_compression",
        "wal_level",
        "autovacuum",
        "jit",
        "huge_pages",
        "effective_io_concurrency",
        "log_checkpoints",
        "plan_cache_mode",
        "track_io_timing",
    } <= free
    assert len(free) > 220
