"""The file of settings: who wins, that arms differ by the mode alone, that values stay values."""

from typing import Any

import pytest

from encbench.database.children import generate, sysbench_conf
from encbench.engines.postgresql.engine import host_rules, init_sql
from encbench.engines.postgresql.settings import POD, server_conf, server_settings
from tests.support.testbeds import PLAINTEXT, TLS, TLS12, counting_tokens
from tests.unit.engines.postgresql.golden import spec


@pytest.mark.parametrize(
    ("mode", "version", "further"),
    [(TLS, "TLSv1.3", {}), (TLS12, "TLSv1.2", {"ssl_ciphers": "ECDHE-ECDSA-AES128-GCM-SHA256"})],
)
def test_tls_is_one_version_for_everybody_and_else_off(
    mode: dict[str, Any], version: str, further: dict[str, str]
) -> None:
    plain, tls = server_settings(spec(PLAINTEXT), POD), server_settings(spec(mode), POD)
    assert plain.pop("ssl") == "off"
    assert {name: tls.pop(name) for name in plain} == plain
    assert tls == {
        "ssl": "on",
        "ssl_cert_file": "/etc/encbench/tls/tls.crt",
        "ssl_key_file": "/etc/encbench/tls/tls.key",
        "ssl_min_protocol_version": version,
        "ssl_max_protocol_version": version,
        **further,
    }


def test_a_template_changes_defaults_and_nothing_that_is_owned() -> None:
    wanted = {"synchronous_commit": "off", "port": "1", "restart_after_crash": "on", "ssl": "on"}
    settings = server_settings(spec(PLAINTEXT, settings=wanted), POD)
    assert settings["synchronous_commit"] == "off"
    assert settings["port"] == "5432"
    assert settings["restart_after_crash"] == "off"
    assert settings["ssl"] == "off"


def test_a_client_that_is_lost_is_missed_in_two_minutes() -> None:
    made = server_settings(spec(PLAINTEXT), POD)
    idle, interval, count = (
        int(made[f"tcp_keepalives_{name}"]) for name in ("idle", "interval", "count")
    )
    assert idle + interval * count == 120
    assert "tcp_user_timeout" not in made, "it would end a client that is stopped between turns"
    made = server_settings(spec(PLAINTEXT, settings={"tcp_keepalives_idle": "7200"}), POD)
    assert made["tcp_keepalives_idle"] == "7200"


def test_the_log_is_in_the_language_that_its_reader_knows() -> None:
    assert server_settings(spec(TLS), POD)["lc_messages"] == "C"


@pytest.mark.parametrize(
    ("memory", "buffers"), [("128Mi", "32MB"), ("512Mi", "128MB"), ("16Gi", "4096MB")]
)
def test_buffers_are_a_quarter_of_the_memory(memory: str, buffers: str) -> None:
    made = spec(PLAINTEXT, resources={"cpu": "1", "memory": memory})
    assert server_settings(made, POD)["shared_buffers"] == buffers


def test_connections_of_which_each_is_a_process_come_before_buffers() -> None:
    made = spec(PLAINTEXT, resources={"cpu": "1", "memory": "1Gi"})
    found = {}
    for connections in (8, 240, 256, 2048):
        many = made.model_copy(update={"max_connections": connections})
        found[connections] = server_settings(many, POD)["shared_buffers"]
    assert found == {8: "256MB", 240: "147MB", 256: "115MB", 2048: "16MB"}


@pytest.mark.parametrize(
    ("size", "log"), [("256Mi", "80MB"), ("2Gi", "512MB"), ("10Gi", "1024MB"), ("1Ti", "1024MB")]
)
def test_the_log_leaves_room_on_a_small_volume(size: str, log: str) -> None:
    made = spec(PLAINTEXT, storage={"size": size})
    assert server_settings(made, POD)["max_wal_size"] == log


def test_connections_have_room() -> None:
    made = spec(PLAINTEXT).model_copy(update={"max_connections": 100})
    assert server_settings(made, POD)["max_connections"] == "116"


def test_a_value_stays_within_its_quotes() -> None:
    made = spec(PLAINTEXT, settings={"cluster_name": "it's \\' fsync = off"})
    (line,) = [x for x in server_conf(made, POD).splitlines() if x.startswith("cluster_name")]
    assert line == r"cluster_name = 'it''s \\'' fsync = off'"


def test_under_tls_no_rule_does_without_it() -> None:
    assert host_rules(tls=False).splitlines() == [
        "local sbtest encbench_agent scram-sha-256",
        "host sbtest encbench all scram-sha-256",
    ]
    assert host_rules(tls=True).splitlines() == [
        "local sbtest encbench_agent scram-sha-256",
        "hostssl sbtest encbench all scram-sha-256",
    ]


def test_statements_end_as_the_single_user_server_wants_it() -> None:
    made = generate(counting_tokens())
    *statements, rest = init_sql(made, spec(PLAINTEXT)).split(";\n\n")
    assert rest == ""
    assert all("\n" not in statement for statement in statements)
    assert sum(made.password in statement for statement in statements) == 1
    assert sum(made.agent_password in statement for statement in statements) == 1


def test_what_clients_read() -> None:
    made = generate(counting_tokens())
    assert sysbench_conf(made, "pgsql") == f"pgsql-user=encbench\npgsql-password={made.password}\n"
