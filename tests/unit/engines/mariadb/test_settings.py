"""The option file: who wins, and that arms differ by the mode alone."""

from typing import Any

import pytest

from encbench.engines.mariadb.settings import POD, server_cnf, server_settings
from tests.support.testbeds import PLAINTEXT, TDE, TLS, TLS12, spec_of_testbed


def test_arms_differ_by_the_mode_alone() -> None:
    plain = server_settings(spec_of_testbed(PLAINTEXT), POD)
    tde = server_settings(spec_of_testbed(TDE), POD)
    assert {name: tde[name] for name in plain} == plain
    extra = set(tde) - set(plain)
    assert all("encrypt" in n or n.startswith(("file_key", "plugin_load")) for n in extra)


@pytest.mark.parametrize(
    ("mode", "version", "suite"),
    [
        (TLS, "TLSv1.3", "TLS_AES_128_GCM_SHA256"),
        (TLS12, "TLSv1.2", "ECDHE-ECDSA-AES128-GCM-SHA256"),
    ],
)
def test_tls_is_one_version_and_one_suite_for_everybody(
    mode: dict[str, Any], version: str, suite: str
) -> None:
    plain = server_settings(spec_of_testbed(PLAINTEXT), POD)
    tls = server_settings(spec_of_testbed(mode), POD)
    assert plain.pop("ssl") == "OFF"
    assert {name: tls.pop(name) for name in plain} == plain
    assert tls == {
        "ssl_ca": "/etc/encbench/tls/ca.crt",
        "ssl_cert": "/etc/encbench/tls/tls.crt",
        "ssl_key": "/etc/encbench/tls/tls.key",
        "tls_version": version,
        "ssl_cipher": suite,
        "require_secure_transport": "ON",
    }


def test_a_template_changes_defaults_and_nothing_that_is_owned() -> None:
    defaults = {"innodb_flush_log_at_trx_commit": "2", "sync_binlog": "0"}
    wanted = {**defaults, "port": "1", "log_bin": "0"}
    settings = server_settings(spec_of_testbed(TDE, settings=wanted), POD)
    assert {name: settings[name] for name in defaults} == defaults
    assert settings["port"] == "3306"
    assert settings["log_bin"] == "binlog"


def test_a_client_that_is_lost_is_missed_in_two_minutes() -> None:
    own = {"tcp_keepalive_time": "7200"}
    made = server_settings(spec_of_testbed(PLAINTEXT), POD)
    idle, interval, probes = (
        int(made[f"tcp_keepalive_{name}"]) for name in ("time", "interval", "probes")
    )
    assert idle + interval * probes == 120
    made = server_settings(spec_of_testbed(PLAINTEXT, settings=own), POD)
    assert made["tcp_keepalive_time"] == "7200"


@pytest.mark.parametrize("given", [{}, {"innodb_buffer_pool_size": "800M"}])
@pytest.mark.parametrize(("version", "is_one"), [("10.6", True), ("10.7.8", True), ("10.8", False)])
def test_before_10_8_the_pool_is_one_chunk(
    version: str, is_one: bool, given: dict[str, str]
) -> None:
    """Which the server would otherwise round up, to more than the memory was checked for."""
    memory = {"cpu": "1", "memory": "1600Mi"}
    spec = spec_of_testbed(version=version, resources=memory, settings=given)
    settings = server_settings(spec, POD)
    assert settings["innodb_buffer_pool_size"] == "800M"
    assert settings.get("innodb_buffer_pool_chunk_size") == ("800M" if is_one else None)


def test_the_pool_is_half_of_the_memory_and_connections_have_room() -> None:
    spec = spec_of_testbed(max_connections=100, resources={"cpu": "1", "memory": "1Gi"})
    settings = server_settings(spec, POD)
    assert settings["innodb_buffer_pool_size"] == "512M"
    assert settings["max_connections"] == "116"


@pytest.mark.parametrize(
    ("memory", "pool"),
    [("128Mi", "16M"), ("256Mi", "96M"), ("320Mi", "160M"), ("512Mi", "256M"), ("16Gi", "8192M")],
)
def test_a_small_server_keeps_room_for_itself(memory: str, pool: str) -> None:
    spec = spec_of_testbed(resources={"cpu": "1", "memory": memory})
    assert server_settings(spec, POD)["innodb_buffer_pool_size"] == pool


def test_the_file_has_one_group_and_one_line_each() -> None:
    lines = server_cnf(spec_of_testbed(TDE), POD).splitlines()
    assert lines[0] == "[mariadbd]"
    assert all(line.count("=") == 1 for line in lines[1:])


@pytest.mark.parametrize(
    ("version", "says"), [("10.11", None), ("11.3", None), ("11.4", "0"), ("11.8.3", "0")]
)
def test_from_11_4_on_binary_logs_go_without_a_replica(version: str, says: str | None) -> None:
    settings = server_settings(spec_of_testbed(version=version), POD)
    assert settings.get("loose_slave_connections_needed_for_purge") == says


@pytest.mark.parametrize(
    ("version", "says"), [("10.11", None), ("11.4.8", None), ("11.6", "OFF"), ("12.1.2", "OFF")]
)
def test_from_11_6_on_a_changed_row_is_no_error(version: str, says: str | None) -> None:
    settings = server_settings(spec_of_testbed(version=version), POD)
    assert settings.get("loose_innodb_snapshot_isolation") == says


def test_a_template_has_snapshots_isolated_all_the_same() -> None:
    """The server takes the later line, and `loose_` in front does not change that."""
    own = {"innodb_snapshot_isolation": "ON"}
    lines = server_cnf(spec_of_testbed(version="11.8.3", settings=own), POD).splitlines()
    ours = lines.index("loose_innodb_snapshot_isolation=OFF")
    assert ours < lines.index("innodb_snapshot_isolation=ON")
