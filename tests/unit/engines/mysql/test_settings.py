"""The option file: who wins, that arms differ by the mode alone, and what each version is given."""

from typing import Any

import pytest

from encbench.database.children import generate
from encbench.engines.mysql.engine import init_sql
from encbench.engines.mysql.flavour import FLAVOURS
from encbench.engines.mysql.layout import POD
from encbench.engines.mysql.settings import server_cnf, server_settings
from encbench.engines.setting_names import known_settings
from tests.support.testbeds import PLAINTEXT, TLS, TLS12, counting_tokens
from tests.unit.engines.mysql.golden import ALL, TABLES, spec

VERSIONS = ["8.0.23", "8.0.28", "8.0", "8.4", "9.7"]


def settings(mode: dict[str, Any] = PLAINTEXT, **changes: Any) -> dict[str, str]:
    return server_settings(spec(mode, **changes), POD)


def statements(mode: dict[str, Any], engine: str = "mysql", **changes: Any) -> list[str]:
    made = spec(mode, engine=engine, **changes)
    return init_sql(FLAVOURS[engine], generate(counting_tokens()), made).splitlines()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("engine", ["mysql", "percona"])
def test_arms_differ_by_the_mode_alone(version: str, engine: str) -> None:
    plain = settings(version=version, engine=engine)
    tde = settings(ALL, version=version, engine=engine)
    assert {name: tde[name] for name in plain} == plain
    assert all(
        "encrypt" in name or "keyring" in name or name.startswith("early_plugin")
        for name in set(tde) - set(plain)
    )


@pytest.mark.parametrize(
    ("scope", "wanted"),
    [
        (["tables"], {"default_table_encryption", "table_encryption_privilege_check"}),
        (["system"], set()),
        (["redo"], {"innodb_redo_log_encrypt"}),
        (["undo"], {"innodb_undo_log_encrypt"}),
        (["binlog"], {"binlog_encryption"}),
    ],
)
def test_each_part_by_its_own_setting(scope: list[str], wanted: set[str]) -> None:
    mode = {"atRest": {"method": "engine", "scope": scope}}
    assert set(settings(mode)) - set(settings()) == wanted
    assert all(settings(mode)[name] == "ON" for name in wanted)


def test_percona_s_own_settings_are_for_percona_alone() -> None:
    quiet = {"loose_percona_telemetry_disable"}
    own = {
        "loose_innodb_sys_tablespace_encrypt",
        "loose_innodb_temp_tablespace_encrypt",
        "loose_encrypt_tmp_files",
    }
    assert set(settings(ALL, engine="percona")) - set(settings(ALL)) == own | quiet
    assert set(settings(TABLES, engine="percona")) - set(settings(TABLES)) == quiet
    assert set(settings(engine="percona")) - set(settings()) == quiet


def test_the_keyring_of_the_one_version_that_has_it_as_a_plugin() -> None:
    made = settings(ALL, version="8.0.23")
    assert made["early_plugin_load"] == "keyring_file.so"
    assert made["keyring_file_data"] == POD.keyring
    for version in ("8.0.24", "8.0", "8.4"):
        assert "early_plugin_load" not in settings(ALL, version=version)


@pytest.mark.parametrize(
    ("version", "off"),
    [("5.7", {"ssl": "OFF"}), ("8.0.28", {"ssl": "OFF"}), ("8.4", {"tls_version": ""})],
)
def test_without_tls_there_is_none(version: str, off: dict[str, str]) -> None:
    made = settings(version=version)
    about = {name: value for name, value in made.items() if name.startswith(("ssl", "tls"))}
    assert about == off
    assert made["auto_generate_certs"] == "OFF"


def test_with_tls_there_is_one_version_and_one_suite() -> None:
    made = settings(TLS)
    assert made["tls_version"] == "TLSv1.3"
    assert made["tls_ciphersuites"] == "TLS_AES_128_GCM_SHA256"
    assert "ssl_cipher" not in made
    made = settings(TLS12)
    assert made["tls_version"] == "TLSv1.2"
    assert made["ssl_cipher"] == "ECDHE-ECDSA-AES128-GCM-SHA256"
    assert "tls_ciphersuites" not in made
    assert made["require_secure_transport"] == "ON"


def test_a_template_changes_defaults_and_nothing_that_is_owned() -> None:
    wanted = {"innodb_flush_log_at_trx_commit": "2", "port": "1", "log_bin": "0"}
    made = settings(ALL, settings=wanted)
    assert made["innodb_flush_log_at_trx_commit"] == "2"
    assert made["port"] == "3306"
    assert made["log_bin"] == "binlog"


@pytest.mark.parametrize(
    ("version", "memory", "given", "pool"),
    [
        ("8.4", "1Gi", {}, "464M"),
        ("8.0", "1Gi", {}, "512M"),
        ("8.4", "1Gi", {"performance_schema": "OFF"}, "512M"),
        ("8.4", "512Mi", {"performance_schema": "OFF"}, "208M"),
        ("8.4", "512Mi", {"performance_schema": "off", "innodb_log_buffer_size": "16M"}, "256M"),
        ("8.4", "16Gi", {}, "8192M"),
    ],
)
def test_the_pool_leaves_room_for_the_rest(
    version: str, memory: str, given: dict[str, str], pool: str
) -> None:
    made = settings(version=version, resources={"cpu": "1", "memory": memory}, settings=given)
    assert made["innodb_buffer_pool_size"] == made["innodb_buffer_pool_chunk_size"] == pool


def test_the_queue_of_5_7_is_for_all_clients() -> None:
    """By default it is for 900 at most."""
    made = settings(version="5.7", max_connections=4000)
    assert made["back_log"] == made["max_connections"] == "4016"
    assert settings(version="5.7", settings={"back_log": "80"})["back_log"] == "80"
    for version in VERSIONS:
        assert "back_log" not in settings(version=version)


def test_the_pool_is_not_rounded_up_to_whole_chunks() -> None:
    made = settings(settings={"innodb_buffer_pool_size": "400M"})
    assert made["innodb_buffer_pool_chunk_size"] == "400M"
    own = {"innodb_buffer_pool_size": "400M", "innodb_buffer_pool_chunk_size": "1M"}
    assert settings(settings=own)["innodb_buffer_pool_chunk_size"] == "1M"


@pytest.mark.parametrize(
    ("version", "cpu", "pool", "instances"),
    [
        ("8.4", "16", "1023M", None),
        ("8.4", "16", "1G", "4"),
        ("8.4", "64", "1G", "4"),
        ("9.7", "32", "16G", "8"),
        ("9.7", "7500m", "16G", "1"),
        ("8.4", "2", "16G", "1"),
        ("8.4", "512", "64G", "64"),
        ("8.0", "64", "16G", None),
    ],
)
def test_a_large_pool_has_the_instances_that_chunks_of_128m_would_give_it(
    version: str, cpu: str, pool: str, instances: str | None
) -> None:
    resources, size = {"cpu": cpu, "memory": "128Gi"}, {"innodb_buffer_pool_size": pool}
    made = settings(version=version, resources=resources, settings=size)
    assert made.get("innodb_buffer_pool_instances") == instances
    own = {**size, "innodb_buffer_pool_chunk_size": "1G"}
    made = settings(version=version, resources=resources, settings=own)
    assert "innodb_buffer_pool_instances" not in made, "8 of 1G would make a pool of 10G 16G"
    own = {**size, "innodb_buffer_pool_instances": "3"}
    made = settings(version=version, resources=resources, settings=own)
    assert made["innodb_buffer_pool_instances"] == "3"


def test_what_the_operator_writes_is_known_to_the_server() -> None:
    known = known_settings("mysql").names
    for mode in (PLAINTEXT, ALL, TLS, TLS12):
        assert set(settings(mode, version="9.7")) <= known


def test_the_file_has_one_group_one_line_each_and_what_the_image_knows() -> None:
    lines = server_cnf(spec(ALL), POD).splitlines()
    assert lines[0] == "[mysqld]"
    assert lines[-1] == f"!include {POD.program}/places.cnf"
    assert all(line.count("=") == 1 for line in lines[1:-1])


def test_statements_at_start_may_run_again_and_stand_on_a_line_each() -> None:
    for mode in (PLAINTEXT, ALL, TLS):
        lines = statements(mode)
        assert all(line.endswith(";") and line.count(";") == 1 for line in lines)
        assert all("IF NOT EXISTS" in line for line in lines if line.startswith("CREATE"))
        assert lines[0].startswith("SET SESSION sql_log_bin=0")
        user = next(line for line in lines if "'encbench'@'%' IDENTIFIED" in line)
        assert user.endswith("REQUIRE SSL;" if mode is TLS else "REQUIRE NONE;")


@pytest.mark.parametrize("version", ["5.7", *VERSIONS])
def test_the_agent_may_end_sessions_with_no_more_rights_than_it_takes(version: str) -> None:
    (line,) = (one for one in statements(PLAINTEXT, version=version) if "RELOAD" in one)
    assert ("SUPER" in line) is (version == "5.7")
    assert ("CONNECTION_ADMIN" in line) is (version != "5.7")


def test_what_no_setting_encrypts_is_encrypted_by_statements() -> None:
    """`default_table_encryption` does not reach a database that is made here."""
    database = "CREATE DATABASE IF NOT EXISTS sbtest"
    assert f"{database};" in statements(PLAINTEXT)
    assert f"{database} DEFAULT ENCRYPTION='Y';" in statements(TABLES)
    assert not [line for line in statements(TABLES) if line.startswith("ALTER TABLE")]
    assert [line for line in statements(ALL) if line.startswith("ALTER TABLE")] == [
        "ALTER TABLESPACE mysql ENCRYPTION='Y';",
        "ALTER TABLE sys.sys_config ENCRYPTION='Y';",
    ]
    system = {"atRest": {"method": "engine", "scope": ["system"]}}
    assert f"{database};" in statements(system)
