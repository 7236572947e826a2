"""Pods with a golden copy and with a FUSE file system in them, for every engine.

Run `PYTHONPATH=operator:. python -m tests.unit.database.test_fuse` to renew the golden file, and
read the difference before committing it.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml

from encbench.api.testbed import TestbedSpec
from encbench.database.children import keys_secret, stateful_set, volume_claim
from encbench.engines.layout import LOWER, MOUNTS, VOLUME
from tests.support.testbeds import (
    ENCRYPTED_CLASS,
    GOCRYPTFS,
    PASS_THROUGH,
    PLAINTEXT,
    TLS,
    counting_tokens,
    database_context,
    spec_of_testbed,
)

GOLDEN = Path(__file__).parent / "golden" / "gocryptfs-reset.yaml"
ENGINES = {"mariadb": "10.11", "mysql": "8.4", "percona": "8.0", "postgresql": "16"}
FUSE_MODES = {"gocryptfs": GOCRYPTFS, "pass-through": PASS_THROUGH}
OTHER_MODES = {"plaintext": PLAINTEXT, "tls": TLS, "encrypted class": ENCRYPTED_CLASS}


def spec_of(mode: dict[str, Any], name: str = "mariadb", **more: Any) -> TestbedSpec:
    made = spec_of_testbed(mode, engine=name, version=ENGINES[name]).to_dict()
    return TestbedSpec.model_validate({**made, **more})


def pod(mode: dict[str, Any], name: str = "mariadb", **more: Any) -> dict[str, Any]:
    context = database_context(spec_of(mode, name, **more))
    spec: dict[str, Any] = stateful_set(context)["spec"]["template"]["spec"]
    return spec


def containers(spec: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {c["name"]: c for c in [*spec["initContainers"], *spec["containers"]]}


def mounts(container: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {mount["name"]: mount for mount in container["volumeMounts"]}


every_engine = pytest.mark.parametrize("name", ENGINES)
every_fuse_mode = pytest.mark.parametrize("mode", FUSE_MODES.values(), ids=FUSE_MODES)


@every_engine
@every_fuse_mode
def test_one_container_is_privileged_and_it_comes_first(mode: dict[str, Any], name: str) -> None:
    spec = pod(mode, name)
    privileged = [
        each["name"]
        for each in containers(spec).values()
        if each["securityContext"].get("privileged")
    ]
    assert privileged == ["volume"]
    assert spec["initContainers"][0]["name"] == "volume"
    assert spec["initContainers"][0]["restartPolicy"] == "Always"
    assert spec["initContainers"][0]["startupProbe"]["exec"]


@every_engine
@pytest.mark.parametrize("mode", OTHER_MODES.values(), ids=OTHER_MODES)
def test_no_other_mode_has_one(mode: dict[str, Any], name: str) -> None:
    spec = pod(mode, name, reset="trial", cache="Cold")
    for container in containers(spec).values():
        assert not container["securityContext"].get("privileged")
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert all("mountPropagation" not in mount for mount in container["volumeMounts"])
    assert next(v for v in spec["volumes"] if v["name"] == "data").keys() == {
        "name",
        "persistentVolumeClaim",
    }


@every_engine
@every_fuse_mode
def test_who_sees_what(mode: dict[str, Any], name: str) -> None:
    spec = pod(mode, name)
    for container in containers(spec).values():
        found = mounts(container)
        propagation = "Bidirectional" if container["name"] == "volume" else "HostToContainer"
        assert found["data"]["mountPropagation"] == propagation
        assert found["data"]["mountPath"] == MOUNTS
        assert ("lower" in found) is (container["name"] in ("volume", "agent"))
        assert ("volume-password" in found) is (container["name"] == "volume" and mode is GOCRYPTFS)
    agent = containers(spec)["agent"]
    assert mounts(agent)["lower"]["readOnly"] is True
    assert mounts(agent)["data"]["readOnly"] is True
    volumes = {volume["name"]: volume for volume in spec["volumes"]}
    assert volumes["data"]["emptyDir"] == {}
    assert "persistentVolumeClaim" in volumes["lower"]
    assert VOLUME.startswith(f"{MOUNTS}/")
    assert not LOWER.startswith(f"{MOUNTS}/")


@every_engine
@every_fuse_mode
def test_the_agent_knows_whose_cpu_is_the_databases(mode: dict[str, Any], name: str) -> None:
    environment = {e["name"]: e.get("value") for e in containers(pod(mode, name))["agent"]["env"]}
    assert environment["ENCBENCH_LOWER"] == f"{LOWER}/cipher"
    process = "gocryptfs" if mode is GOCRYPTFS else "passthrough"
    assert environment["ENCBENCH_VOLUME_PROCESS"] == process
    assert spec_of(GOCRYPTFS, name).database_cores == 0.75
    assert spec_of(PLAINTEXT, name).database_cores == 0.5


@every_engine
@pytest.mark.parametrize("mode", [PLAINTEXT, GOCRYPTFS], ids=["plaintext", "gocryptfs"])
def test_every_container_has_requests_and_the_same_limits(mode: dict[str, Any], name: str) -> None:
    for container in containers(pod(mode, name, reset="block")).values():
        assert container["resources"]["requests"] == container["resources"]["limits"]


@every_engine
def test_databases_that_share_request_a_part_of_their_cpu(name: str) -> None:
    made = containers(pod(GOCRYPTFS, name, reset="block", cpuShare=3))
    cpu = {
        own: (one["resources"]["requests"]["cpu"], one["resources"]["limits"]["cpu"])
        for own, one in made.items()
    }
    assert cpu.pop("agent") == ("50m", "150m")
    assert cpu.pop("volume") == ("84m", "250m")
    assert set(cpu.values()) == {("167m", "500m")}
    for one in made.values():
        assert one["resources"]["requests"]["memory"] == one["resources"]["limits"]["memory"]


def test_the_password_is_in_no_other_place_than_its_secret() -> None:
    context = database_context(spec_of(GOCRYPTFS))
    secret = keys_secret(context, counting_tokens())
    assert secret is not None
    assert secret["immutable"] is True
    assert set(secret["data"]) == {"password"}
    assert "mount-volume" in str(containers(pod(GOCRYPTFS))["volume"]["command"])
    assert secret["data"]["password"] not in str(pod(GOCRYPTFS))
    for mode in (PASS_THROUGH, PLAINTEXT, ENCRYPTED_CLASS):
        assert keys_secret(database_context(spec_of(mode)), counting_tokens()) is None


# -- the golden copy


NEEDS = [({"reset": "trial"}, True), ({"reset": "block"}, True), ({"cache": "Cold"}, True)]
NEEDS += [({}, False), ({"residency": "OnDemand"}, False)]


@every_engine
@pytest.mark.parametrize(("more", "wanted"), NEEDS)
def test_who_has_a_golden_copy(name: str, more: dict[str, Any], wanted: bool) -> None:
    spec = pod(PLAINTEXT, name, **more)
    assert (spec["initContainers"][0]["name"] == "prepare") is wanted
    patient = spec["terminationGracePeriodSeconds"] >= 600
    assert patient is bool(more), "a server whose volume outlives it ends by itself"


@every_engine
@pytest.mark.parametrize("mode", [PLAINTEXT, GOCRYPTFS], ids=["plaintext", "gocryptfs"])
def test_it_works_on_the_disk_before_anything_else(mode: dict[str, Any], name: str) -> None:
    spec = pod(mode, name, reset="trial")
    first = spec["initContainers"][0]
    assert first["name"] == "prepare"
    environment = {entry["name"]: entry for entry in first["env"]}
    root = LOWER if mode is GOCRYPTFS else VOLUME
    assert environment["ENCBENCH_ROOT"]["value"] == root
    assert [mount["mountPath"] for mount in first["volumeMounts"]] == [root]
    folders = "cipher" if mode is GOCRYPTFS else "data,keyring,tmp"
    assert environment["ENCBENCH_FOLDERS"]["value"] == folders
    assert ("ENCBENCH_STOPPED" in environment) is (mode is GOCRYPTFS)
    asked = environment["ENCBENCH_RESET"]["valueFrom"]["fieldRef"]["fieldPath"]
    assert asked == "metadata.annotations['encbench.io/reset']"


def test_the_claim_is_of_the_modes_class() -> None:
    for mode, wanted in ((ENCRYPTED_CLASS, "encrypted"), (GOCRYPTFS, "fast"), (PLAINTEXT, "fast")):
        spec = spec_of_testbed(mode, storage={"size": "2Gi", "className": "fast"})
        claim = volume_claim(database_context(spec))
        assert claim["spec"]["storageClassName"] == wanted


def rendered() -> str:
    """The pod of a MariaDB with both."""
    return yaml.safe_dump(pod(GOCRYPTFS, reset="trial", cache="Cold"), sort_keys=False, width=100)


def test_the_pod_is_as_the_golden_file_shows() -> None:
    assert rendered() == GOLDEN.read_text(encoding="utf-8")


if __name__ == "__main__":
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(rendered(), encoding="utf-8")
