"""The confidential proxy beside a database: pod, files, Service, and what it does not go with."""

from typing import Any

import pytest

from encbench.admission.external import beyond
from encbench.admission.modes import speaks
from encbench.api.columns import DriverJar, JdbcDriver
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.testbed import TestbedSpec
from encbench.core.columns import layout
from encbench.core.connection import SecretEntry
from encbench.database import proxy
from encbench.database.children import config_map, service, stateful_set
from encbench.database.connection import connection, loading
from encbench.ports import Body
from tests.support.testbeds import (
    GOCRYPTFS,
    PLAINTEXT,
    TDE,
    counting_tokens,
    database_context,
    instance,
    spec_of_external,
    spec_of_testbed,
)

COLUMNS: dict[str, Any] = {"columns": {"method": "confidential", "ratio": 100}}
ENGINES = ["mariadb", "mysql", "percona"]


def columns(**changes: Any) -> dict[str, Any]:
    return {"columns": {**COLUMNS["columns"], **changes}}


def spec_of(mode: dict[str, Any] = COLUMNS, name: str = "mariadb") -> TestbedSpec:
    version = "10.11" if name == "mariadb" else "8.4"
    return spec_of_testbed(mode, engine=name, version=version)


def pod(mode: dict[str, Any] = COLUMNS, name: str = "mariadb") -> Body:
    made = stateful_set(database_context(spec_of(mode, name)))
    found: Body = made["spec"]["template"]["spec"]
    return found


def container(spec: Body, name: str) -> Body:
    (found,) = [one for one in spec["containers"] if one["name"] == name]
    return dict(found)


def volume(spec: Body, name: str) -> Body:
    (found,) = [one for one in spec["volumes"] if one["name"] == name]
    return dict(found)


def test_a_driver_s_own_url_may_name_the_proxy_s_port() -> None:
    """The API says the port itself, because it imports nothing above it."""
    own = next(rule for rule in EncryptionModeSpec.rules if "{port}" in rule.message)
    assert f"contains(':{layout.PORT}')" in own.cel
    for port, holds in ((layout.PORT, True), (3306, False)):
        mode = EncryptionModeSpec.model_validate(COLUMNS)
        url = f"jdbc:mysql://{{host}}:{port}/"
        jar = DriverJar.model_construct(class_name="org.example.Driver", url_template=url)
        driver = JdbcDriver.model_construct(jar=jar)
        assert own.holds(mode.model_copy(update={"driver": driver})) is holds


@pytest.mark.parametrize("name", ENGINES)
def test_the_proxy_stands_beside_the_server(name: str) -> None:
    own = columns(algorithm="SM4_128_GCM", resources={"cpu": "2", "memory": "128Mi"})
    made = container(pod(own, name), "proxy")
    assert made["image"] == "registry.example.com/confidential-proxy:1.0"
    assert made["command"] == [
        "confidential-proxy",
        *("--listen", "[::]:3307"),
        *("--upstream", "127.0.0.1:3306"),
        *("--mek-file", "/etc/encbench/mek/mek"),
        *("--algorithm", "SM4_128_GCM"),
        *("--columns", "/etc/encbench/columns/columns"),
        *("--row-memory", str(64 << 20)),
    ]
    amounts = {"cpu": "2", "memory": "128Mi"}
    assert made["resources"] == {"requests": amounts, "limits": amounts}
    assert made["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert made["ports"][0]["containerPort"] == 3307
    assert [one["mountPath"] for one in made["volumeMounts"]] == [
        "/etc/encbench/mek",
        "/etc/encbench/columns",
    ], "neither data nor passwords"
    assert all(one["readOnly"] for one in made["volumeMounts"])


@pytest.mark.parametrize(("cpu", "workers"), [("500m", "1"), ("1500m", "2"), ("2500m", "3")])
def test_a_part_of_a_core_gets_a_worker(cpu: str, workers: str) -> None:
    own = columns(resources={"cpu": cpu, "memory": "128Mi"})
    assert container(pod(own), "proxy")["command"][-2:] == ["--workers", workers]


def test_permissive_has_to_be_asked_for() -> None:
    assert "--permissive" not in container(pod(), "proxy")["command"]
    assert container(pod(columns(strict=False)), "proxy")["command"][-1] == "--permissive"


def test_the_agent_sees_what_the_clients_see() -> None:
    made = pod()
    agent = container(made, "agent")
    environment = {one["name"]: one.get("value") for one in agent["env"]}
    assert environment["ENCBENCH_PROXY_PORT"] == "3307"
    assert environment["ENCBENCH_MEK_FILE"] == "/etc/encbench/mek/mek"
    assert environment["ENCBENCH_COLUMNS"] == "/etc/encbench/columns/columns"
    items = volume(made, "agent-credentials")["secret"]["items"]
    assert {"username", "password"} <= {one["key"] for one in items}
    server = container(made, "server")
    assert not {"mek", "columns"} & {one["name"] for one in server["volumeMounts"]}


@pytest.mark.parametrize("name", ENGINES)
def test_by_socket_the_proxy_sees_the_server_s_socket_and_nothing_else_of_it(name: str) -> None:
    made = pod(columns(upstream="Socket"), name)
    command = container(made, "proxy")["command"]
    assert command[command.index("--upstream") + 1] == "unix:/run/encbench/socket/server.sock"
    assert container(made, "server")["command"][-1] == "--socket=/run/encbench/socket/server.sock"
    assert volume(made, "socket") == {"name": "socket", "emptyDir": {}}
    shared = {
        one["name"]: {m["name"]: m["readOnly"] for m in one["volumeMounts"]}.get("socket")
        for one in made["containers"]
    }
    assert shared == {"server": False, "agent": True, "proxy": True}
    assert "data" not in {one["name"] for one in container(made, "proxy")["volumeMounts"]}
    (initialise,) = made["initContainers"]
    assert "socket" not in {one["name"] for one in initialise["volumeMounts"]}


def test_by_socket_the_agent_logs_in_past_the_proxy_first() -> None:
    agent = container(pod(columns(upstream="Socket")), "agent")
    environment = {one["name"]: one["value"] for one in agent["env"]}
    assert environment["ENCBENCH_SOCKET"] == "/run/encbench/socket/server.sock"
    assert environment["ENCBENCH_LOGIN_PORT"] == "3306"


def test_by_tcp_nothing_is_shared() -> None:
    assert pod(columns(upstream="Tcp")) == pod()
    assert "socket" not in {one["name"] for one in pod()["volumes"]}
    agent = container(pod(), "agent")
    assert "ENCBENCH_LOGIN_PORT" not in {one["name"] for one in agent["env"]}


@pytest.mark.parametrize("mode", [PLAINTEXT, TDE, {"driver": {"encrypting": {}}}])
def test_every_other_arm_is_as_it_was(mode: dict[str, Any]) -> None:
    made = pod(mode)
    assert [one["name"] for one in made["containers"]] == ["server", "agent"]
    assert not {"mek", "columns"} & {one["name"] for one in made["volumes"]}
    assert "username" not in str(volume(made, "agent-credentials"))
    context = database_context(spec_of(mode))
    assert "columns" not in config_map(context)["data"]
    assert "3307" not in str(service(context))


def test_it_goes_with_encryption_at_rest() -> None:
    made = pod({**COLUMNS, **GOCRYPTFS})
    assert [one["name"] for one in made["containers"]] == ["server", "agent", "proxy"]
    assert [one["name"] for one in container(made, "proxy")["volumeMounts"]] == ["mek", "columns"]
    environment = {one["name"] for one in container(made, "agent")["env"]}
    assert {"ENCBENCH_LOWER", "ENCBENCH_PROXY_PORT"} <= environment


def test_the_list_is_in_the_config_map_and_the_port_in_the_service() -> None:
    context = database_context(spec_of())
    data = config_map(context)["data"]
    assert data["columns"] == "sbtest1.id\nsbtest1.k\nsbtest1.c\nsbtest1.pad\nsbtest1\n"
    assert volume(pod(), "columns")["configMap"]["name"] == context.name
    ports = {one["name"]: one["port"] for one in service(context)["spec"]["ports"]}
    assert ports == {"database": 3306, "metrics": 9470, "confidential": 3307}


def test_through_the_proxy_and_nothing_encrypted() -> None:
    data = config_map(database_context(spec_of(columns(ratio=0))))["data"]
    assert data["columns"] == ""


def test_a_key_is_made_for_each_testbed() -> None:
    made = proxy.key_entries(spec_of(), counting_tokens(), {})
    assert made == {"mek": f"{1:032x}"}
    assert proxy.mek_of("bed", spec_of()) == SecretEntry("bed-credentials", "mek")
    assert volume(pod(), "mek")["secret"]["secretName"] == "overhead-mode-credentials"


def test_or_is_a_copy_of_the_users() -> None:
    own = columns(mekSecretRef={"name": "mine", "key": "key.hex"})
    copied = {"mek": "0b", "keyfile": "1;0a"}
    assert proxy.key_entries(spec_of(own), counting_tokens(), copied) == {"mek": "0b"}
    assert volume(pod(own), "mek") == volume(pod(), "mek"), "no pod mounts the user's Secret"


def test_no_key_where_nothing_has_one() -> None:
    driver: dict[str, Any] = {"driver": {"encrypting": {}}}
    for mode in (PLAINTEXT, driver):
        assert proxy.key_entries(spec_of(mode), counting_tokens(), {"mek": "0b"}) == {}
        assert proxy.mek_of("bed", spec_of(mode)) is None


def test_measured_clients_come_through_the_proxy_and_loads_do_not() -> None:
    both = {**COLUMNS, "driver": {"encrypting": {}}}
    client, load = connection("bed", spec_of(both)), loading("bed", spec_of(both))
    assert (client.port, client.columns) == (3307, True)
    assert client.jdbc is not None
    assert client.mek == SecretEntry("bed-credentials", "mek")
    assert (load.port, load.columns, load.jdbc, load.mek) == (3306, False, None, None)


@pytest.mark.parametrize("mode", [PLAINTEXT, {"driver": {"encrypting": {}}}])
def test_without_columns_they_go_to_the_server(mode: dict[str, Any]) -> None:
    found = connection("bed", spec_of(mode))
    assert (found.port, found.columns, found.mek) == (3306, False, None)


def test_the_key_of_a_driver_before_an_external_database() -> None:
    jar = {
        "claimName": "drivers",
        "path": "driver.jar",
        "class": "com.example.Driver",
        "urlTemplate": "jdbc:x://{host}?MEK={mek}",
        "keySecretRef": {"name": "mine"},
    }
    found = connection("bed", spec_of_external({"driver": {"jar": jar}}))
    assert found.mek == SecretEntry("bed-credentials", "mek")
    assert (found.host, found.columns) == ("db.example.com", False)


def problems(template: dict[str, Any], mode: dict[str, Any]) -> list[str]:
    pair = InstanceTemplateSpec.model_validate(template), EncryptionModeSpec.model_validate(mode)
    return [problem.text for judge in (speaks, beyond) for problem in judge(*pair)]


@pytest.mark.parametrize("name", ENGINES)
def test_what_it_goes_with(name: str) -> None:
    assert problems(instance(engine=name), COLUMNS) == []


def test_what_it_does_not_go_with() -> None:
    (wrong,) = problems(instance(engine="postgresql", version="17"), COLUMNS)
    assert "does not support postgresql: leave columns out" in wrong
    assert problems(instance(engine="postgresql", version="17"), PLAINTEXT) == []
    external = spec_of_external().instance.to_dict()
    (wrong,) = problems(external, COLUMNS)
    assert "proxy before an external database: leave columns out" in wrong
    assert problems(external, {"driver": {"encrypting": {}}}) == []
