"""The driver of a mode in the client's pod: class, URL, jar and key."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.columns import JdbcDriver
from encbench.api.encryptionmode import InTransit
from encbench.api.pages import ROOT
from encbench.core.connection import Connection, SecretEntry
from encbench.ports import Body
from encbench.tools.registry import tool
from tests.support.workloads import MARIADB, MYSQL, tpcc_spec, trial_context
from tests.unit.tools.jobs import container, pod
from tests.unit.tools.tpcc.jobs import TURNS, environment, lines, load

MEK = SecretEntry("bed-credentials", "mek")
OURS = JdbcDriver.model_validate({"encrypting": {}})
URL = "jdbc:mysql:encdb://{host}:{port}/{database}?MEK={mek}&ENC_ALGO=SM4_128_GCM"


def jar(**changes: Any) -> JdbcDriver:
    where = {"url": "https://example.com/d.jar?a=$(b)", "sha256": "a" * 64}
    own = {"class": "com.aliyun.encdb.mysql.jdbc.EncDriver", "urlTemplate": URL, **where, **changes}
    return JdbcDriver.model_validate({"jar": {k: v for k, v in own.items() if v is not None}})


def through(base: Connection, driver: JdbcDriver | None = None) -> Connection:
    return replace(base, port=3307, jdbc=driver, mek=MEK if driver else None, columns=True)


def trial(connection: Connection, tpcc: Any = None, **changes: Any) -> Body:
    context = trial_context(tpcc_spec(tpcc, None, None), connection=connection, **changes)
    return tool(context.spec.workload).trial_job(context)


@pytest.mark.parametrize(("base", "scheme"), [(MARIADB, "mariadb"), (MYSQL, "mysql")])
def test_ours_is_around_the_engines_own(base: Connection, scheme: str) -> None:
    job = trial(through(base, OURS))
    props = lines(job)
    assert props["driver"] == "io.encbench.jdbc.EncbenchDriver"
    plain = lines(trial(through(base)))["conn"]
    assert plain.startswith(f"jdbc:{scheme}://")
    assert ":3307/" in plain
    assert props["conn"] == f"jdbc:encbench:{plain}"
    assert props["probeColumns"] == "true"
    assert environment(job)["ENCBENCH_MEK_FILE"] == "/etc/encbench/mek/mek"
    assert "initContainers" not in pod(job)


def test_the_key_is_a_file_where_a_driver_needs_it_and_nowhere_else() -> None:
    job = trial(through(MYSQL, OURS))
    (found,) = [one for one in pod(job)["volumes"] if one["name"] == "mek"]
    assert found["secret"]["secretName"] == "bed-credentials"
    assert found["secret"]["items"] == [{"key": "mek", "path": "mek"}]
    assert "mek" in str(container(job)["volumeMounts"])
    assert "mek" not in str(container(job, "recorder"))
    hop = trial(through(MYSQL))
    assert "mek" not in [one["name"] for one in pod(hop)["volumes"]], "the hop alone has no key"
    assert "ENCBENCH_MEK_FILE" not in environment(hop)


def test_an_arm_without_columns_probes_nothing() -> None:
    assert "probeColumns" not in lines(trial(MYSQL))
    assert "probeColumns" not in lines(trial(replace(MYSQL, jdbc=OURS)))
    assert lines(trial(replace(MYSQL, jdbc=OURS)))["conn"].startswith("jdbc:encbench:jdbc:mysql:")


def test_benchmarksql_cannot_tell() -> None:
    own: dict[str, Any] = {"benchmarksql": {}}
    context = trial_context(
        tpcc_spec(own, {"warmup": "0s", "duration": "1m"}, None), connection=through(MYSQL)
    )
    assert "probeColumns" not in lines(tool(context.spec.workload).trial_job(context))


def test_a_jar_of_the_users_own_by_url() -> None:
    job = trial(through(MYSQL, jar()))
    props = lines(job)
    assert props["driver"] == "com.aliyun.encdb.mysql.jdbc.EncDriver"
    assert "conn" not in props
    values = environment(job)
    assert values["ENCBENCH_URL"] == (
        f"jdbc:mysql:encdb://{MYSQL.host}:3307/{MYSQL.database}?MEK={{mek}}&ENC_ALGO=SM4_128_GCM"
    ), "the pod alone knows the key"
    assert values["TPCC_DRIVERS"] == "/opt/encbench/drivers"
    (first,) = pod(job)["initContainers"]
    assert first["command"] == ["python3", "-m", "encbench.sidecars.driver"]
    given = {one["name"]: one["value"] for one in first["env"]}
    assert given == {
        "ENCBENCH_DRIVERS": "/opt/encbench/drivers",
        "ENCBENCH_JAR_URL": "https://example.com/d.jar?a=$$(b)",
        "ENCBENCH_JAR_SHA256": "a" * 64,
    }
    assert "mek" not in str(first)
    own, shared = first["volumeMounts"][0], container(job)["volumeMounts"][-1]
    assert (own["name"], own["readOnly"]) == ("drivers", False)
    assert (shared["name"], shared["readOnly"]) == ("drivers", True)
    assert first["resources"]["requests"] == first["resources"]["limits"]


def test_a_jar_from_a_claim() -> None:
    own = jar(url=None, sha256=None, claimName="drivers", path="enc/d.jar")
    job = trial(through(MYSQL, own))
    (first,) = pod(job)["initContainers"]
    given = {one["name"]: one["value"] for one in first["env"]}
    assert given["ENCBENCH_JAR_FILE"] == "/opt/encbench/claim/enc/d.jar"
    assert "ENCBENCH_JAR_SHA256" not in given
    (claim,) = [one for one in pod(job)["volumes"] if one["name"] == "driver-claim"]
    assert claim["persistentVolumeClaim"] == {"claimName": "drivers", "readOnly": True}
    assert "driver-claim" not in str(container(job))


def test_a_template_may_name_the_keys_file() -> None:
    own = jar(urlTemplate="jdbc:x://{host}?file={mekFile}")
    values = environment(trial(through(MYSQL, own)))
    assert values["ENCBENCH_URL"] == f"jdbc:x://{MYSQL.host}?file=/etc/encbench/mek/mek"


@pytest.mark.parametrize("base", [MARIADB, MYSQL])
def test_under_tls_a_driver_of_the_users_own_finds_the_ca_as_the_page_says(
    base: Connection,
) -> None:
    page = (ROOT / "docs/columns.md").read_text(encoding="utf-8")
    job = trial(replace(through(base, jar()), tls=InTransit()))
    first = {one["name"]: one["command"] for one in pod(job)["initContainers"]}
    authority, store, password = first["trust-store"][-3:]
    folder = next(m["mountPath"] for m in container(job)["volumeMounts"] if m["name"] == "tls")
    assert authority.startswith(f"{folder}/")
    assert f"`{authority}`" in page
    assert f"`{store}`" in page
    assert f"with the password `{password}`" in page


def test_a_load_uses_the_engines_own_driver() -> None:
    assert lines(load())["driver"] == "com.mysql.cj.jdbc.Driver"


def test_in_an_interleaved_block_the_pod_fetches_jar_and_turnstile() -> None:
    job = trial(through(MYSQL, jar()), turns=TURNS)
    assert [one["name"] for one in pod(job)["initContainers"]] == ["driver", "turnstile"]
