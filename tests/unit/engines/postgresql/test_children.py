"""The objects of a testbed: as the golden files show them, and what must hold of any."""

from typing import Any

import pytest

from encbench.database.children import config_map, keys_secret, stateful_set
from encbench.kube.secrets import entry
from tests.support.testbeds import ENCLAVE, PLAINTEXT, TLS, TLS12, counting_tokens, database_context
from tests.unit.engines import golden_files, rendering
from tests.unit.engines.postgresql import golden
from tests.unit.engines.rendering import assert_guaranteed_and_restricted, children, secrets_seen


def pod(mode: dict[str, Any], **changes: Any) -> dict[str, Any]:
    context = database_context(golden.spec(mode, **changes))
    spec: dict[str, Any] = stateful_set(context)["spec"]["template"]["spec"]
    return spec


def containers(mode: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return rendering.containers(pod(mode))


@pytest.mark.parametrize("name", golden.MODES)
def test_the_children_are_as_the_golden_files_show(name: str) -> None:
    expected = golden_files.expected(golden.FOLDER, name)
    assert golden.rendered(golden.MODES[name]) == expected, (
        "renew with: PYTHONPATH=operator:. python -m tests.unit.engines.postgresql.golden"
    )


@pytest.mark.parametrize("mode", golden.MODES.values())
def test_every_container_is_guaranteed_and_restricted(mode: dict[str, Any]) -> None:
    assert_guaranteed_and_restricted(pod(mode))


@pytest.mark.parametrize("mode", golden.MODES.values())
def test_each_container_sees_only_the_secrets_that_it_needs(mode: dict[str, Any]) -> None:
    seen = secrets_seen(pod(mode))
    key = ["mek"] if "columns" in mode else []
    assert seen == {
        "initialise": ["init.sql"],
        "server": ["ca.crt", "tls.crt", "tls.key"] if "inTransit" in mode else key,
        "agent": ["agent-password", "agent-tls.crt", "agent-tls.key", "agent-token", *key],
    }


def test_arms_differ_in_what_tls_needs_and_nothing_else() -> None:
    files = {
        name: config_map(database_context(golden.spec(mode)))["data"]
        for name, mode in golden.MODES.items()
    }
    plain, tls = files["plaintext"], files["tls"]
    assert {name for name in tls if tls[name] != plain.get(name)} == {
        "postgresql.conf",
        "pg_hba.conf",
        "openssl.cnf",
    }
    one, other = containers(PLAINTEXT), containers(TLS)
    assert one["initialise"] == other["initialise"]
    assert one["agent"] == other["agent"]
    assert one["server"]["command"] == other["server"]["command"]


def test_arms_with_encrypted_types_differ_in_settings_statements_and_key() -> None:
    plain, own = (
        config_map(database_context(golden.spec(mode)))["data"] for mode in (PLAINTEXT, ENCLAVE)
    )
    assert {name for name in own if own[name] != plain.get(name)} == {"postgresql.conf"}
    more = set(own["postgresql.conf"].splitlines()) - set(plain["postgresql.conf"].splitlines())
    assert more == {
        "session_preload_libraries = 'encbench_enclave'",
        "encbench_enclave.key_file = '/etc/encbench/mek/mek'",
        "encbench_enclave.transition_ns = '8000'",
        "encbench_enclave.value_ns = '1200'",
    }
    one, other = containers(PLAINTEXT), containers(ENCLAVE)
    assert one["initialise"] == other["initialise"]
    before, statements = (
        entry(next(c for c in children(golden.spec(mode)) if c["kind"] == "Secret"), "init.sql")
        for mode in (PLAINTEXT, ENCLAVE)
    )
    assert before is not None and "encbench_enclave" not in before
    assert statements is not None
    made, copied = "CREATE EXTENSION encbench_enclave;\n\n", "CREATE DATABASE"
    assert statements.index(made) < statements.index(copied), "the database has it from template1"


def test_the_suite_of_tls_1_3_is_pinned_where_the_server_has_no_setting_for_it() -> None:
    chacha = {"inTransit": {"cipherSuite": "TLS_CHACHA20_POLY1305_SHA256"}}
    context = database_context(golden.spec(chacha))
    assert config_map(context)["data"]["openssl.cnf"].splitlines()[-1] == (
        "Ciphersuites = TLS_CHACHA20_POLY1305_SHA256"
    )
    assert containers(chacha)["server"]["env"] == [
        {"name": "OPENSSL_CONF", "value": "/etc/encbench/server/openssl.cnf"}
    ]


def test_tls_1_2_leaves_the_image_its_openssl_configuration() -> None:
    """As with FIPS: the server has a setting for these suites."""
    assert "openssl.cnf" not in config_map(database_context(golden.spec(TLS12)))["data"]
    assert "env" not in containers(TLS12)["server"]


def test_no_mode_has_a_key_of_the_server_s_own() -> None:
    for mode in golden.MODES.values():
        assert keys_secret(database_context(golden.spec(mode)), counting_tokens()) is None


def test_a_restart_is_never_made_only_seen() -> None:
    for container in containers(TLS).values():
        assert "livenessProbe" not in container
        assert "startupProbe" not in container
    context = database_context(golden.spec(TLS))
    assert stateful_set(context)["spec"]["updateStrategy"] == {"type": "OnDelete"}


def test_the_agent_of_many_connections_has_the_cpu_to_count_them() -> None:
    limits = {}
    for connections in (1, 8, 256, 2048):
        spec = golden.spec(PLAINTEXT).model_copy(update={"max_connections": connections})
        agent = stateful_set(database_context(spec))["spec"]["template"]["spec"]
        (own,) = [one for one in agent["containers"] if one["name"] == "agent"]
        limits[connections] = own["resources"]["limits"]["cpu"]
    assert limits == {1: "50m", 8: "50m", 256: "75m", 2048: "254m"}
