"""The Jobs as Kubernetes gets them."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.encryptionmode import InTransit
from encbench.ports import Body
from encbench.tools.registry import tool
from encbench.tools.tpcc.jdbc import TRUST_STORE
from tests.support.workloads import MARIADB, MYSQL, tpcc_spec, trial_context
from tests.unit.tools.jobs import container, pod
from tests.unit.tools.tpcc.jobs import TURNS, environment, lines, load

WHOLE = {"warmup": "0s", "duration": "1m"}
TLS = InTransit()


def trial(tpcc: Any = None, load: Any = None, client: Any = None, **changes: Any) -> Body:
    context = trial_context(tpcc_spec(tpcc, load, client), **changes)
    return tool(context.spec.workload).trial_job(context)


def test_a_trial_runs_our_own_client() -> None:
    job = trial()
    assert container(job)["command"][-2:] == ["own", "run"]
    assert lines(job)["runSeconds"] == "5"
    assert job["metadata"]["name"] == "overhead-c1234567-b1-tde"
    assert job["spec"]["backoffLimit"] == 0


def test_a_load_runs_it_too() -> None:
    job = load()
    assert container(job)["command"][-2:] == ["own", "load"]
    assert lines(job)["loadWorkers"] == "4"
    assert job["metadata"]["name"] == "overhead-tde-load"
    assert "recorder" not in str(job)


def test_a_load_opens_no_more_connections_than_its_server_has() -> None:
    job = load({"warehouses": 1000, "loadWorkers": 1024})
    assert lines(job)["loadWorkers"] == "63"


@pytest.mark.parametrize(("benchmarksql", "workers"), [(None, "3"), ({}, "16")])
def test_no_more_workers_build_indexes_than_the_memory_holds(
    benchmarksql: Any, workers: str
) -> None:
    """BenchmarkSQL builds one index after the other."""
    job = load(
        {"warehouses": 1000, "loadWorkers": 16, "benchmarksql": benchmarksql},
        engine="postgresql",
        version="15",
        resources={"cpu": "4", "memory": "16Gi"},
        settings={"shared_buffers": "12GB", "maintenance_work_mem": "1GB"},
    )
    assert lines(job)["loadWorkers"] == workers


@pytest.mark.parametrize(
    ("tpcc", "kind", "home"),
    [
        ({"benchmarksql": {}}, "5", "/benchmarksql"),
        ({"benchmarksql": {"home": "/opt/bmsql"}, "dialect": 6}, "6", "/opt/bmsql"),
    ],
)
def test_any_image_of_benchmarksql(tpcc: Any, kind: str, home: str) -> None:
    image = {"image": "registry.example.com/benchmarksql:5.0"}
    job = trial(tpcc, WHOLE, image)
    assert container(job)["command"][-2:] == [kind, "run"]
    assert container(job)["image"] == image["image"]
    assert environment(job)["ENCBENCH_BENCHMARKSQL"] == home
    assert container(load(tpcc))["command"][-2:] == [kind, "load"]


def test_our_own_client_loads_for_benchmarksql_from_an_image_of_its_own() -> None:
    tpcc = {
        "benchmarksql": {"home": "/opt/bmsql", "loadImage": "registry.example.com/tpcc:1.0"},
        "dialect": 6,
        "options": {"keyingTimeMultiplier": "0.1", "foreignKeys": "false"},
    }
    job = load(tpcc)
    assert container(job)["image"] == "registry.example.com/tpcc:1.0"
    assert container(job)["command"][-2:] == ["own", "load"]
    values = environment(job)
    assert values["TPCC_JAVA_OPTIONS"] == "-Xmx192m"
    assert "ENCBENCH_BENCHMARKSQL" not in values
    assert lines(job)["foreignKeys"] == "false"
    assert "keyingTimeMultiplier" not in lines(job), "a property that our client would refuse"
    run = trial(tpcc, WHOLE, {"image": "registry.example.com/benchmarksql:6.0"})
    assert container(run)["image"] == "registry.example.com/benchmarksql:6.0"
    assert container(run)["command"][-2:] == ["6", "run"]
    assert lines(run)["keyingTimeMultiplier"] == "0.1"


@pytest.mark.parametrize(("memory", "heap"), [("256Mi", "-Xmx192m"), ("2Gi", "-Xmx1024m")])
def test_our_client_s_heap_grows_with_its_memory(memory: str, heap: str) -> None:
    client = {"resources": {"cpu": "1", "memory": memory}}
    assert environment(trial(client=client))["TPCC_JAVA_OPTIONS"] == heap


@pytest.mark.parametrize(("memory", "heap"), [("256Mi", "179"), ("2Gi", "1433")])
def test_benchmarksql_s_heap_is_a_part_of_its_memory(memory: str, heap: str) -> None:
    client = {"resources": {"cpu": "1", "memory": memory}}
    values = environment(trial({"benchmarksql": {}}, WHOLE, client))
    assert values["ENCBENCH_HEAP_MIB"] == heap
    assert "TPCC_JAVA_OPTIONS" not in values


def test_replicas_share_the_terminals() -> None:
    job = trial(client={"replicas": 2}, concurrency=5)
    values = environment(job)
    assert values["ENCBENCH_REPLICA_0"].split()[0] == "terminals=3"
    assert values["ENCBENCH_REPLICA_1"].split()[0] == "terminals=2"
    assert "terminalOffset=3" in values["ENCBENCH_REPLICA_1"].split()
    assert "seed=1000" in values["ENCBENCH_REPLICA_1"].split()
    assert job["spec"]["completions"] == 2


def test_terminals_may_draw_from_a_seed_of_their_own() -> None:
    assert environment(trial(terminalSeed=8))["ENCBENCH_TERMINAL_SEED"] == "8"
    assert "ENCBENCH_TERMINAL_SEED" not in environment(trial())


def test_our_clients_have_time_to_connect_before_they_begin() -> None:
    two = {"replicas": 2}
    assert environment(trial(client=two))["ENCBENCH_GATHER"] == "4.02"
    assert "ENCBENCH_GATHER" not in environment(trial())
    assert "ENCBENCH_GATHER" not in environment(trial({"benchmarksql": {}}, WHOLE, two))


def test_the_recorder_reads_our_lines_and_watches_java() -> None:
    values = environment(trial(), "recorder")
    assert (values["ENCBENCH_TOOL"], values["ENCBENCH_PROCESS"]) == ("tpcc", "java")
    assert values["ENCBENCH_WARMUP"] == "2"


@pytest.mark.parametrize("job", [trial(), load()], ids=["trial", "load"])
def test_who_logs_in_is_in_files_only(job: Body) -> None:
    (volume,) = [v for v in pod(job)["volumes"] if v["name"] == "credentials"]
    assert volume["secret"]["secretName"] == "overhead-tde-credentials"
    assert [item["key"] for item in volume["secret"]["items"]] == ["username", "password"]
    assert not {"user", "password", "passwordFile"} & lines(job).keys()
    assert "valueFrom" not in str(job)


@pytest.mark.parametrize("job", [trial(), load()], ids=["trial", "load"])
def test_the_file_with_the_password_is_in_memory(job: Body) -> None:
    (volume,) = [v for v in pod(job)["volumes"] if v["name"] == "scratch"]
    assert volume["emptyDir"]["medium"] == "Memory"
    mounts = {one["name"]: one for one in container(job)["volumeMounts"]}
    assert mounts["scratch"] == {"name": "scratch", "mountPath": "/tmp", "readOnly": False}
    assert container(job)["securityContext"]["readOnlyRootFilesystem"] is True


def test_no_tls_file_where_there_is_no_tls() -> None:
    assert "tls" not in [volume["name"] for volume in pod(trial())["volumes"]]
    assert "initContainers" not in pod(trial())


@pytest.mark.parametrize("build", [trial, load])
def test_under_tls_the_client_gets_the_ca_and_no_key(build: Any) -> None:
    job = build(connection=replace(MYSQL, tls=TLS))
    (volume,) = [v for v in pod(job)["volumes"] if v["name"] == "tls"]
    assert volume["secret"]["items"] == [{"key": "ca.crt", "path": "cacert.pem"}]
    assert f"trustCertificateKeyStoreUrl=file:{TRUST_STORE}" in lines(job)["conn"]


@pytest.mark.parametrize("build", [trial, load])
def test_a_trust_store_is_made_before_the_client_starts(build: Any) -> None:
    job = build(connection=replace(MYSQL, tls=TLS))
    first = pod(job)["initContainers"][-1]
    assert first["name"] == "trust-store"
    assert first["image"] == pod(trial())["containers"][1]["image"], "the recorder's"
    program, (authority, store, password) = first["command"][:3], first["command"][3:]
    assert program == ["python3", "-m", "encbench.sidecars.truststore"]
    assert authority == "/etc/encbench/tls/cacert.pem"
    assert f"trustCertificateKeyStoreUrl=file:{store}" in lines(job)["conn"]
    assert f"trustCertificateKeyStorePassword={password}" in lines(job)["conn"]
    mounts = {one["name"]: (one["mountPath"], one["readOnly"]) for one in first["volumeMounts"]}
    assert mounts == {"scratch": ("/tmp", False), "tls": ("/etc/encbench/tls", True)}
    (scratch,) = [one for one in container(job)["volumeMounts"] if one["name"] == "scratch"]
    assert scratch["mountPath"] == "/tmp"
    assert first["resources"]["requests"] == first["resources"]["limits"]


def test_only_connector_j_needs_a_trust_store() -> None:
    job = trial(connection=replace(MARIADB, tls=TLS))
    assert "initContainers" not in pod(job)
    assert "serverSslCert=/etc/encbench/tls/cacert.pem" in lines(job)["conn"]


def test_the_kubelet_expands_nothing_in_a_user_s_option() -> None:
    tpcc = {"benchmarksql": {}, "options": {"jdbcNote": "$(HOME) $$"}}
    assert environment(trial(tpcc, WHOLE))["ENCBENCH_PROPS"].count("$$(HOME) $$$$") == 1


def test_it_is_ended_when_its_time_is_over() -> None:
    words = container(trial())["command"]
    assert words[words.index("run.sh") + 1] == str(2 + 5 + 60)


def test_in_an_interleaved_block_the_client_takes_turns() -> None:
    job = trial(client={"replicas": 2}, concurrency=5, turns=TURNS)
    words = container(job)["command"]
    (install,) = pod(job)["initContainers"]
    assert install["name"] == "turnstile"
    own = words[words.index("/run/encbench/turnstile") :]
    assert own[:2] == ["/run/encbench/turnstile", "run"]
    assert own[own.index("--threads") + 1] == "3", "the most that a replica has"
    assert own[own.index("--") + 1 :][:2] == ["sh", "-c"]
    assert own[-2:] == ["own", "run"]
    values = environment(job)
    assert values["ENCBENCH_COUNTERS"] == own[own.index("--counters") + 1]
    assert environment(job, "recorder")["ENCBENCH_PROCESS"] == "java"
    assert container(job)["resources"]["requests"]["cpu"] == "750m"


def test_it_runs_until_all_turns_are_over() -> None:
    job = trial(turns=TURNS)
    # 40 slots of 3.05 s and a guard, after a warm-up of 2 s.
    assert (lines(job)["warmupSeconds"], lines(job)["runSeconds"]) == ("2", "123")
    words = container(job)["command"]
    assert words[words.index("run.sh") + 1] == str(2 + 123 + 60)


def test_a_sequential_block_has_no_turnstile() -> None:
    job = trial()
    assert "initContainers" not in pod(job)
    assert "turnstile" not in str(job)
    assert "ENCBENCH_COUNTERS" not in environment(job)


def test_loads_of_arms_that_share_cpu_request_a_part_of_it() -> None:
    spec = pod(load(cpu="1", cpu_share=4))
    for one in (*spec["initContainers"], *spec["containers"]):
        resources = one["resources"]
        assert (resources["requests"]["cpu"], resources["limits"]["cpu"]) == ("250m", "1")
