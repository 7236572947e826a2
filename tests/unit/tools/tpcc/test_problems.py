"""What is refused before anything starts."""

from typing import Any

import pytest

from encbench.api.campaign import Blocks
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.workload import WorkloadSpec
from encbench.tools.registry import tool
from encbench.tools.sysbench import jobs as sysbench_jobs
from encbench.tools.tpcc import jobs as tpcc_jobs
from encbench.tools.tpcc import problems as found_by
from tests.support.testbeds import instance, spec_of_external
from tests.support.workloads import tpcc_spec, workload_spec

PLAIN = EncryptionModeSpec()
TLS = EncryptionModeSpec.model_validate({"inTransit": {}})
WHOLE = {"warmup": "0s", "duration": "1m"}


def on(engine: str) -> InstanceTemplateSpec:
    return InstanceTemplateSpec.model_validate(instance(engine=engine))


def problems(spec: WorkloadSpec) -> list[str]:
    return [problem.text for problem in found_by.problems(spec, None, Blocks())]


def pair_problems(
    spec: WorkloadSpec, instance: InstanceTemplateSpec, mode: EncryptionModeSpec
) -> list[str]:
    return [problem.text for problem in found_by.pair_problems(spec, instance, mode)]


@pytest.mark.parametrize(
    "tpcc", [{}, {"options": {"foreignKeys": "false", "deadlineSeconds": "60"}}]
)
def test_a_good_workload(tpcc: dict[str, Any]) -> None:
    assert problems(tpcc_spec(tpcc)) == []


@pytest.mark.parametrize(
    ("option", "advice"),
    [
        ("foreignKey", "did you mean foreignKeys?"),
        ("keyingTimeMultiplier", "it takes deadlineSeconds, foreignKeys"),
    ],
)
def test_an_option_that_our_client_does_not_know(option: str, advice: str) -> None:
    (found,) = problems(tpcc_spec({"options": {option: "1"}}))
    assert found.startswith(f"tpcc.options {option} is unknown")
    assert advice in found


THINKING = (
    "replicas of BenchmarkSQL 6 that key and think would each offer the whole load, because each "
    "has all 10 terminals a warehouse: write client.replicas: 1, not 2"
)
ROOMY = {"resources": {"cpu": "2", "memory": "4Gi"}}


@pytest.mark.parametrize(
    ("option", "replicas", "refused"), [("0.5", 2, True), ("0.0", 2, False), ("0.5", 1, False)]
)
def test_replicas_that_think(option: str, replicas: int, refused: bool) -> None:
    tpcc = {"benchmarksql": {}, "dialect": 6, "options": {"thinkTimeMultiplier": option}}
    found = problems(tpcc_spec(tpcc, WHOLE, {"replicas": replicas, **ROOMY}))
    assert found == [THINKING] * refused


FLAG, SECONDS = "write true or false", "write whole seconds from 1 to 2147483647"


@pytest.mark.parametrize("client", [{}, {"benchmarksql": {"loadImage": "tpcc:1"}}])
@pytest.mark.parametrize(
    ("option", "value", "advice"),
    [
        ("foreignKeys", "yes", FLAG),
        ("plainStatements", "True", FLAG),
        ("plainStatements", "", FLAG),
        ("deadlineSeconds", "0", SECONDS),
        ("deadlineSeconds", "1.5", SECONDS),
        ("deadlineSeconds", "30s", SECONDS),
        ("deadlineSeconds", "2147483648", SECONDS),
    ],
)
def test_values_that_our_client_does_not_take(
    client: dict[str, Any], option: str, value: str, advice: str
) -> None:
    spec = tpcc_spec({"options": {option: value}, **client}, WHOLE if client else None)
    assert problems(spec) == [f"tpcc.options {option}: {advice}, not {value!r}"]


def test_benchmarksql_s_own_values_are_not_known() -> None:
    options = {"options": {"foreignKeys": "yes"}, "benchmarksql": {}}
    assert problems(tpcc_spec(options, WHOLE)) == []


@pytest.mark.parametrize("client", [{}, {"benchmarksql": {"loadImage": "tpcc:1"}}])
def test_more_warehouses_than_payments_can_be_numbered_for(client: dict[str, Any]) -> None:
    def of(warehouses: int) -> list[str]:
        return problems(tpcc_spec({"warehouses": warehouses, **client}, WHOLE))

    assert of(70_000) == []
    (found,) = of(70_001)
    assert found == (
        "tpcc.warehouses: 70001 are more than encbench's own client can load, because the numbers "
        "of the payments in bmsql_history would exceed 32 bits: write 70000 at most"
    )


def test_what_benchmarksql_loads_is_its_own_matter() -> None:
    assert problems(tpcc_spec({"warehouses": 100_000, "benchmarksql": {}}, WHOLE)) == []


@pytest.mark.parametrize(
    ("terminals", "replicas", "least"), [(8, 1, 256), (512, 1, 256), (1024, 1, 352), (1024, 2, 256)]
)
def test_memory_that_does_not_hold_our_client(terminals: int, replicas: int, least: int) -> None:
    def of(memory: str) -> list[str]:
        resources = {"cpu": "1", "memory": memory}
        client = {"resources": resources, "replicas": replicas}
        return problems(tpcc_spec({"warehouses": 200}, {"concurrency": [2, terminals]}, client))

    assert of(f"{least}Mi") == []
    (found,) = of("64Mi")
    assert found.startswith("client.resources.memory of 64Mi does not hold encbench's own client")
    assert f"write {least}Mi or more" in found
    assert ("1,024 terminals" in found) == ("client.replicas" in found) == (least > 256)


def test_memory_of_benchmarksql_is_judged_where_our_client_loads() -> None:
    client = {"resources": {"cpu": "1", "memory": "64Mi"}}
    loads = {"benchmarksql": {"loadImage": "registry.example.com/tpcc:1"}}
    assert problems(tpcc_spec({"benchmarksql": {}}, WHOLE, client)) == []
    (found,) = problems(tpcc_spec(loads, WHOLE, client))
    assert "write 256Mi or more" in found


def test_builds_of_benchmarksql_take_options_of_their_own() -> None:
    spec = tpcc_spec({"benchmarksql": {}, "options": {"useStoredProcedures": "true"}}, WHOLE)
    assert problems(spec) == []


@pytest.mark.parametrize(
    ("driver", "engine", "fits"),
    [
        ("org.mariadb.jdbc.Driver", "mysql", True),
        ("com.mysql.cj.jdbc.Driver", "mariadb", True),
        ("org.postgresql.Driver", "postgresql", True),
        ("org.postgresql.Driver", "mysql", False),
        ("org.mariadb.jdbc.Driver", "postgresql", False),
    ],
)
def test_a_driver_speaks_to_its_own_engines(driver: str, engine: str, fits: bool) -> None:
    found = pair_problems(tpcc_spec({"driver": driver}), on(engine), PLAIN)
    assert (found == []) == fits
    if not fits:
        assert f"{driver} does not support {engine}: leave it out, or write" in found[0]


def test_benchmarksql_cannot_prove_tls() -> None:
    spec = tpcc_spec({"benchmarksql": {}}, WHOLE)
    assert pair_problems(spec, on("mysql"), PLAIN) == []
    (found,) = pair_problems(spec, on("mysql"), TLS)
    assert "leave out tpcc.benchmarksql and client.image to use encbench's own client" in found
    (found,) = pair_problems(tpcc_spec({"benchmarksql": {}, "dialect": 6}, WHOLE), on("mysql"), TLS)
    assert "leave out tpcc.benchmarksql and client.image, and write dialect: 5 to use" in found
    assert pair_problems(tpcc_spec(), on("mysql"), TLS) == []


def test_benchmarksql_drives_external_databases_in_plaintext_alone() -> None:
    outside = spec_of_external(engine="mysql").instance
    spec = tpcc_spec({"benchmarksql": {}}, WHOLE)
    assert pair_problems(spec, outside, PLAIN) == []
    (found,) = pair_problems(spec, outside, TLS)
    assert "inTransit cannot be proven: leave out tpcc.benchmarksql and client.image" in found
    assert pair_problems(tpcc_spec(), outside, TLS) == []


def test_postgresql_has_no_other_columns_for_tpcc_than_plain_ones() -> None:
    columns = {"method": "enclave", "ratio": 100, "enclave": {}}
    mode = EncryptionModeSpec.model_validate({"columns": columns})
    (found,) = pair_problems(tpcc_spec(), on("postgresql"), mode)
    assert "leave columns out of the mode, or write a workload with sysbench.script" in found


def test_benchmarksql_would_print_the_key() -> None:
    def with_jar(key: str) -> EncryptionModeSpec:
        jar = {
            "class": "x.D",
            "urlTemplate": f"jdbc:x://{{host}}?MEK={key}",
            "url": "https://example.com/d.jar",
            "sha256": "0" * 64,
            "keySecretRef": {"name": "mek"},
        }
        return EncryptionModeSpec.model_validate({"driver": {"jar": jar}})

    theirs = tpcc_spec({"benchmarksql": {}}, WHOLE)
    (found,) = pair_problems(theirs, on("mysql"), with_jar("{mek}"))
    assert "writes its URL into its log" in found
    assert "leave out tpcc.benchmarksql and client.image" in found
    assert pair_problems(theirs, on("mysql"), with_jar("{mekFile}")) == []
    assert pair_problems(tpcc_spec(), on("mysql"), with_jar("{mek}")) == []


MARIADB_URL = "jdbc:mariadb://{host}"


@pytest.mark.parametrize(
    ("url", "tpcc", "engine", "alike"),
    [
        ("jdbc:mysql:encdb://{host}", {}, "mariadb", False),
        (f"jdbc:encbench:{MARIADB_URL}", {}, "mariadb", True),
        ("jdbc:mysql:encdb://{host}", {"driver": "com.mysql.cj.jdbc.Driver"}, "mariadb", True),
        (MARIADB_URL, {"driver": "com.mysql.cj.jdbc.Driver"}, "mariadb", False),
        ("jdbc:x://{host}", {"options": {"plainStatements": "true"}}, "mariadb", True),
        ("jdbc:x://{host}", {"options": {"plainStatements": "false"}}, "mariadb", False),
        ("jdbc:x://{host}", {"statements": "benchmarksql"}, "mariadb", True),
        ("jdbc:x://{host}", {}, "mysql", True),
        ("jdbc:x://{host}", {}, "postgresql", True),
    ],
)
def test_lean_statements_do_not_depend_on_the_arm(
    url: str, tpcc: dict[str, Any], engine: str, alike: bool
) -> None:
    jar = {"class": "x.D", "urlTemplate": url, "claimName": "jars", "path": "d.jar"}
    mode = EncryptionModeSpec.model_validate({"driver": {"jar": jar}})
    found = pair_problems(tpcc_spec(tpcc), on(engine), mode)
    assert (found == []) == alike
    if not alike:
        assert "write tpcc.options: {plainStatements: 'true'}" in found[0]
    assert pair_problems(tpcc_spec(tpcc), on(engine), PLAIN) == []


def test_nobody_could_check_an_external_database_at_the_end() -> None:
    spec = tpcc_spec({"fullCheck": "AtEnd"})
    assert pair_problems(spec, on("mysql"), PLAIN) == []
    (found,) = pair_problems(spec, spec_of_external(engine="mysql").instance, PLAIN)
    assert "leave tpcc.fullCheck out, and run tpcc check-all" in found


def test_who_tells_what_sessions_negotiated() -> None:
    assert tpcc_spec().reports_sessions
    assert not tpcc_spec({"benchmarksql": {}}, WHOLE).reports_sessions
    sysbench = workload_spec()
    assert sysbench.reports_sessions
    assert not [*tool(sysbench).pair_problems(sysbench, on("mysql"), TLS)]


def test_the_tool_is_the_workload_s() -> None:
    assert tool(workload_spec()).trial_job is sysbench_jobs.trial_job
    assert tool(tpcc_spec()).trial_job is tpcc_jobs.trial_job


@pytest.mark.parametrize(
    ("tpcc", "refused"),
    [({}, True), ({"benchmarksql": {}}, True), ({"benchmarksql": {}, "dialect": 6}, False)],
    ids=["own", "5", "6"],
)
def test_a_load_prints_no_more_than_is_read(tpcc: dict[str, Any], refused: bool) -> None:
    assert problems(tpcc_spec(tpcc, {"warmup": "0s", "duration": "18h"})) == []
    found = problems(tpcc_spec(tpcc, {"warmup": "0s", "duration": "19h"}))
    assert [text for text in found if "make them 18h or less" not in text] == []
    assert bool(found) == refused
