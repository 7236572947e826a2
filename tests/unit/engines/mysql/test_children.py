"""The objects of a testbed: as the golden files show them, and what must hold of any."""

import json
from typing import Any

import pytest

from encbench.database.children import config_map, keys_secret, stateful_set
from tests.support.testbeds import PLAINTEXT, TLS, counting_tokens, database_context
from tests.unit.engines import golden_files, rendering
from tests.unit.engines.mysql import golden
from tests.unit.engines.mysql.golden import ALL, TABLES
from tests.unit.engines.rendering import assert_guaranteed_and_restricted, secrets_seen

MODES = [PLAINTEXT, ALL, TABLES, TLS, {**ALL, **TLS}]


def pod(mode: dict[str, Any], **changes: Any) -> dict[str, Any]:
    context = database_context(golden.spec(mode, **changes))
    spec: dict[str, Any] = stateful_set(context)["spec"]["template"]["spec"]
    return spec


def containers(mode: dict[str, Any], **changes: Any) -> dict[str, dict[str, Any]]:
    return rendering.containers(pod(mode, **changes))


@pytest.mark.parametrize("name", golden.CASES)
def test_the_children_are_as_the_golden_files_show(name: str) -> None:
    expected = golden_files.expected(golden.FOLDER, name)
    assert golden.rendered(name) == expected, (
        "renew with: PYTHONPATH=operator:. python -m tests.unit.engines.mysql.golden"
    )


@pytest.mark.parametrize("mode", MODES)
def test_every_container_is_guaranteed_and_restricted(mode: dict[str, Any]) -> None:
    assert_guaranteed_and_restricted(pod(mode))


@pytest.mark.parametrize("mode", MODES)
def test_each_container_sees_only_the_secrets_that_it_needs(mode: dict[str, Any]) -> None:
    seen = secrets_seen(pod(mode))
    own = ["ca.crt", "tls.crt", "tls.key"] if "inTransit" in mode else []
    assert seen == {
        "initialise": own,
        "server": sorted([*own, "init.sql"]),
        "agent": ["agent-password", "agent-tls.crt", "agent-tls.key", "agent-token"],
    }


@pytest.mark.parametrize("name", ["mysql", "percona"])
def test_the_server_makes_its_keys_itself(name: str) -> None:
    context = database_context(golden.spec(ALL, engine=name))
    assert keys_secret(context, counting_tokens()) is None


def test_the_keyring_is_configured_where_it_is_wanted_only() -> None:
    files = {"mysqld.my", "component_keyring_file.cnf"}
    for mode in MODES:
        data = config_map(database_context(golden.spec(mode)))["data"]
        assert (files & set(data)) == (files if "atRest" in mode else set())
    data = config_map(database_context(golden.spec(ALL)))["data"]
    assert json.loads(data["mysqld.my"]) == {"components": "file://component_keyring_file"}
    configuration = json.loads(data["component_keyring_file.cnf"])
    assert configuration["read_only"] is False
    volume = next(m for m in containers(ALL)["server"]["volumeMounts"] if m["name"] == "data")
    assert configuration["path"] == f"{volume['mountPath']}/keyring/keyring"


def test_the_agent_knows_the_flavour() -> None:
    for name in ("mysql", "percona"):
        environment = containers(PLAINTEXT, engine=name)["agent"]["env"]
        assert {"name": "ENCBENCH_ENGINE", "value": name} in environment
