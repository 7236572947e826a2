"""The Jobs as Kubernetes gets them."""

import re
from dataclasses import replace
from typing import Any

import pytest

from encbench.api.encryptionmode import InTransit
from encbench.ports import Body
from encbench.tools.pod import may_run, reached
from encbench.tools.registry import tool
from tests.support.workloads import (
    CUSTOM,
    MYSQL,
    PGSQL,
    TRIAL_UID,
    load_context,
    trial_context,
    workload_spec,
)
from tests.unit.tools.jobs import container, pod


def trial(client: dict[str, Any] | None = None, **changes: Any) -> Body:
    context = trial_context(workload_spec(client=client), **changes)
    return tool(context.spec.workload).trial_job(context)


def load(*args: Any, **kwargs: Any) -> Body:
    context = load_context(*args, **kwargs)
    return tool(context.spec.dataset).load_job(context)


def environment(one: Body) -> dict[str, str]:
    return {entry["name"]: entry["value"] for entry in one["env"]}


def kubelet(words: list[str], values: dict[str, str]) -> list[str]:
    """What becomes of command and args: $(NAME) is replaced, $$ is $, anything else stays."""

    def expand(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        return values.get(found[1], found[0])

    return [re.sub(r"\$\$|\$\(([^)]*)\)", expand, word) for word in words]


def test_trial_runs_once_as_an_indexed_job() -> None:
    spec = trial(client={"replicas": 2})["spec"]
    assert spec["completionMode"] == "Indexed"
    assert spec["completions"] == spec["parallelism"] == 2
    assert spec["backoffLimit"] == 0
    assert spec["podReplacementPolicy"] == "Failed"
    assert "ttlSecondsAfterFinished" not in spec


def test_a_client_says_how_long_its_tool_may_run() -> None:
    words = container(trial())["command"]
    assert may_run(pod(trial())) == float(words[words.index("run.sh") + 1]) > 60
    assert may_run(pod(load())) is None
    assert may_run({}) is None


def test_names_labels_and_owner() -> None:
    job = trial()
    assert job["metadata"]["name"] == "overhead-c1234567-b1-tde"
    assert job["metadata"]["ownerReferences"][0]["uid"] == TRIAL_UID
    labels = job["spec"]["template"]["metadata"]["labels"]
    assert labels["app.kubernetes.io/component"] == "client"
    assert labels["encbench.io/trial"] == "overhead-c1234567-b1-tde"
    assert labels["encbench.io/testbed"] == "overhead-tde"
    assert labels["encbench.io/scrape"] == "true"
    assert load()["metadata"]["name"] == "overhead-tde-load"


@pytest.mark.parametrize("job", [trial(), load()], ids=["trial", "load"])
def test_pods_satisfy_the_restricted_standard(job: Body) -> None:
    """https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted."""
    spec = pod(job)
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["runAsUser"] == spec["securityContext"]["fsGroup"] == 10001
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert spec["automountServiceAccountToken"] is False
    for one in [*spec.get("initContainers", ()), *spec["containers"]]:
        assert one["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        }
    for volume in spec["volumes"]:
        assert set(volume) - {"name"} <= {"secret", "configMap", "downwardAPI", "emptyDir"}


@pytest.mark.parametrize("job", [trial(), load()], ids=["trial", "load"])
def test_pods_are_guaranteed(job: Body) -> None:
    for one in [*pod(job).get("initContainers", ()), *pod(job)["containers"]]:
        assert one["resources"]["requests"] == one["resources"]["limits"]
        assert set(one["resources"]["limits"]) == {"cpu", "memory"}


def test_tool_and_recorder_share_processes_and_a_folder() -> None:
    job = trial()
    assert pod(job)["shareProcessNamespace"] is True
    assert pod(job)["restartPolicy"] == "Never"
    for name in ("tool", "recorder"):
        mounts = {one["name"]: one for one in container(job, name)["volumeMounts"]}
        assert mounts["run"] == {"name": "run", "mountPath": "/run/encbench", "readOnly": False}


def test_each_container_gets_only_the_credentials_that_it_needs() -> None:
    job = trial()
    secrets = {
        volume["name"]: [item["key"] for item in volume["secret"]["items"]]
        for volume in pod(job)["volumes"]
        if "secret" in volume
    }
    assert secrets == {
        "credentials": ["sysbench.conf"],
        "recorder-credentials": ["recorder-token", "recorder-tls.crt", "recorder-tls.key"],
    }
    mounts = {
        name: {one["name"] for one in container(job, name)["volumeMounts"]} & set(secrets)
        for name in ("tool", "recorder")
    }
    assert mounts == {"tool": {"credentials"}, "recorder": {"recorder-credentials"}}


def test_the_pod_carries_the_script_that_has_its_session_tell() -> None:
    job = trial()
    template = job["spec"]["template"]
    text = template["metadata"]["annotations"]["encbench.io/session.lua"]
    assert "encbench-session tls=" in text
    (volume,) = [one for one in pod(job)["volumes"] if one["name"] == "session"]
    (item,) = volume["downwardAPI"]["items"]
    assert item == {
        "path": "session.lua",
        "fieldRef": {"fieldPath": "metadata.annotations['encbench.io/session.lua']"},
    }
    mounts = {one["name"]: one["mountPath"] for one in container(job, "tool")["volumeMounts"]}
    assert f"{mounts['session']}/session.lua" in container(job, "tool")["command"]
    assert environment(container(job, "tool"))["ENCBENCH_SCRIPT"] == "oltp_read_write"


def test_a_load_into_postgresql_ends_with_a_vacuum() -> None:
    job = load(connection=PGSQL)
    (script,) = [word for word in container(job, "tool")["command"] if "prepare" in word]
    *_, last = script.splitlines()
    assert last.startswith("step sysbench --config-file=/etc/encbench/sysbench/sysbench.conf ")
    assert last.endswith(" /etc/encbench/session/vacuum.lua vacuum")
    text = job["spec"]["template"]["metadata"]["annotations"]["encbench.io/vacuum.lua"]
    assert "VACUUM (ANALYZE, PARALLEL 0)" in text
    mounts = {one["name"]: one["mountPath"] for one in container(job, "tool")["volumeMounts"]}
    assert mounts["session"] == "/etc/encbench/session"
    assert "vacuum" not in " ".join(container(load(), "tool")["command"])


def test_certificates_are_where_sysbench_looks_and_only_where_tls_is() -> None:
    encrypted = replace(MYSQL, tls=InTransit())
    for make in (trial, load):
        job = make(connection=encrypted)
        (volume,) = [one for one in pod(job)["volumes"] if one["name"] == "tls"]
        assert volume["secret"]["items"] == [
            {"key": "ca.crt", "path": "cacert.pem"},
            {"key": "client.crt", "path": "client-cert.pem"},
            {"key": "client.key", "path": "client-key.pem"},
        ]
        one = container(job, "tool")
        mounts = {mount["name"]: mount for mount in one["volumeMounts"]}
        assert mounts["tls"]["mountPath"] == one["workingDir"]
        assert mounts["tls"]["readOnly"] is True
        plain = make()
        assert "tls" not in [one["name"] for one in pod(plain)["volumes"]]
        assert "workingDir" not in container(plain, "tool")


def test_the_recorder_knows_where_it_is() -> None:
    recorder = container(trial(), "recorder")
    assert {one["name"]: one["containerPort"] for one in recorder["ports"]} == {
        "metrics": 9471,
        "control": 9473,
    }
    values = environment(recorder)
    assert values["ENCBENCH_PREFIX"] == f"bench/overhead-c0ffee00/trials/{TRIAL_UID}"
    assert values["ENCBENCH_STORE"] == "http://store:9000/encbench"
    assert "ENCBENCH_STORE_AUTHORITY" not in values, "whom everyone trusts"
    assert values["ENCBENCH_WARMUP"] == "2"
    assert values["ENCBENCH_CPU_LIMIT"] == "0.5"
    assert values["ENCBENCH_MEMORY_LIMIT"] == str(128 * 2**20)
    grace = pod(trial())["terminationGracePeriodSeconds"]
    assert float(values["ENCBENCH_GRACE"]) < grace


def test_the_recorder_trusts_the_store_s_own_ca() -> None:
    pem = "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n"
    context = replace(trial_context(workload_spec()), store_authority=pem)
    job = tool(context.spec.workload).trial_job(context)
    assert environment(container(job, "recorder"))["ENCBENCH_STORE_AUTHORITY"] == pem
    assert "ENCBENCH_STORE_AUTHORITY" not in environment(container(job, "tool"))


def test_replicas_have_their_own_arguments() -> None:
    values = environment(container(trial(client={"replicas": 2}), "tool"))
    assert values["ENCBENCH_REPLICA_0"] == "--threads=2 --rand-seed=1000"
    assert values["ENCBENCH_REPLICA_1"] == "--threads=2 --rand-seed=1001"
    assert "ENCBENCH_REPLICA_2" not in values


def test_several_clients_have_time_to_connect_before_they_begin() -> None:
    def found(replicas: int, threads: int) -> tuple[str | None, int]:
        spec = workload_spec(load={"concurrency": [threads]}, client={"replicas": replicas})
        context = trial_context(spec, concurrency=threads)
        one = container(tool(spec).trial_job(context), "tool")
        limit = next(word for word in one["command"] if word.isdigit())
        return environment(one).get("ENCBENCH_GATHER"), int(limit)

    alone, limit = found(1, 4)
    assert alone is None
    assert found(2, 4) == ("1.22", limit + 2)
    assert found(64, 2048) == ("10", limit + 10)


def test_the_kubelet_hands_the_script_on_as_it_is() -> None:
    tool_container = container(trial(), "tool")
    shell, flag, script, name, seconds, *command = kubelet(
        tool_container["command"], environment(tool_container)
    )
    assert (shell, flag, name) == ("sh", "-c", "run.sh")
    assert "/proc/$$/stat" in script
    assert "$(ulimit -H -n)" in script
    assert seconds == str(2 + 5 + 60)
    assert command[0] == "sysbench"
    assert "--mysql-host=overhead-tde" in command


def test_the_kubelet_expands_nothing_in_a_user_s_option() -> None:
    sysbench = {"options": {"rand-type": "$(HOME)$$"}}
    context = trial_context(workload_spec(sysbench))
    words = container(tool(context.spec.workload).trial_job(context), "tool")["command"]
    assert "--rand-type=$(HOME)$$" in kubelet(words, {"HOME": "wrong"})


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def test_client_and_database_are_kept_apart_unless_the_campaign_allows_it() -> None:
    (term,) = pod(trial())["affinity"]["podAntiAffinity"][REQUIRED]
    assert term["topologyKey"] == "kubernetes.io/hostname"
    assert term["labelSelector"]["matchLabels"] == {
        "app.kubernetes.io/component": "database",
        "encbench.io/testbed": "overhead-tde",
    }
    assert REQUIRED not in pod(trial(allowColocation=True))["affinity"]["podAntiAffinity"]


def test_clients_stay_where_the_cell_s_clients_are() -> None:
    (term,) = pod(trial(clientNodes=["n2"]))["affinity"]["nodeAffinity"][REQUIRED][
        "nodeSelectorTerms"
    ]
    assert term == {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}


def test_replicas_spread_over_nodes() -> None:
    assert "topologySpreadConstraints" not in pod(trial())
    (constraint,) = pod(trial(client={"replicas": 2}))["topologySpreadConstraints"]
    assert constraint["labelSelector"]["matchLabels"] == {
        "encbench.io/trial": "overhead-c1234567-b1-tde"
    }


def test_a_load_waits_until_its_pod_reaches_the_database() -> None:
    job = load()
    (wait,) = pod(job)["initContainers"]
    (tool_,) = pod(job)["containers"]
    *program, host, port = wait["command"]
    assert program == ["python3", "-m", "encbench.sidecars.reach"]
    assert {f"--mysql-host={host}", f"--mysql-port={port}"} <= set(tool_["command"])
    assert "volumeMounts" not in wait, "it logs in nowhere"
    beside = container(trial(), "recorder")["resources"]["limits"]
    assert wait["resources"]["limits"] == {
        **tool_["resources"]["limits"],
        "memory": beside["memory"],
    }


def test_a_load_runs_on_the_node_that_is_leased_for_it() -> None:
    (wish,) = pod(load())["affinity"]["podAffinity"][
        "preferredDuringSchedulingIgnoredDuringExecution"
    ]
    assert wish["podAffinityTerm"]["labelSelector"]["matchLabels"] == {
        "app.kubernetes.io/component": "database",
        "encbench.io/testbed": "overhead-tde",
    }


def test_a_deleted_load_ends_at_once() -> None:
    """Its shells take no notice of SIGTERM, and others may be loading by then."""
    made = pod(load())
    assert made["terminationGracePeriodSeconds"] <= 1
    host, port = made["initContainers"][0]["command"][-2:]
    assert reached({"spec": made}) == (host, port)
    assert reached({"spec": {}}) == ("", "")


@pytest.mark.parametrize("job", [trial(), load()], ids=["trial", "load"])
def test_whoever_tidies_up_a_cluster_leaves_a_pod_alone(job: Body) -> None:
    metadata = job["spec"]["template"]["metadata"]
    notes = metadata["annotations"]
    assert notes["linkerd.io/inject"] == "disabled"
    assert metadata["labels"]["sidecar.istio.io/inject"] == "false"
    assert metadata["labels"]["istio.io/dataplane-mode"] == "none"
    assert (
        notes.items()
        >= {
            "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
            "descheduler.alpha.kubernetes.io/prefer-no-eviction": "true",
            "karpenter.sh/do-not-disrupt": "true",
        }.items()
    )


def test_placement_and_pull_secrets_are_the_workload_s() -> None:
    client = {
        "placement": {
            "nodeSelector": {"role": "client"},
            "tolerations": [{"key": "bench", "operator": "Exists"}],
        },
        "imagePullSecrets": ["pull"],
    }
    spec = pod(trial(client=client))
    assert spec["nodeSelector"] == {"kubernetes.io/os": "linux", "role": "client"}
    assert spec["tolerations"] == [{"key": "bench", "operator": "Exists"}]
    assert spec["imagePullSecrets"] == [{"name": "pull"}]


def test_a_script_of_the_user_s_own_is_mounted_from_the_frozen_copy() -> None:
    context = trial_context(workload_spec(CUSTOM), scriptConfigMap="overhead-script-1a2b3c4d")
    job = tool(context.spec.workload).trial_job(context)
    (script,) = [volume for volume in pod(job)["volumes"] if volume["name"] == "script"]
    assert script["configMap"]["name"] == "overhead-script-1a2b3c4d"
    assert script["configMap"]["items"] == [{"key": "transfer.lua", "path": "transfer.lua"}]
    assert "script" in str(container(job, "tool")["volumeMounts"])
    assert "script" in str(container(load(CUSTOM, script="copy"), "tool")["volumeMounts"])


@pytest.mark.parametrize(
    ("tables", "cpu", "threads"), [(1, "2", 1), (8, "2", 4), (8, "500m", 2), (500, "64", 64)]
)
def test_tables_are_loaded_at_once_within_reason(tables: int, cpu: str, threads: int) -> None:
    job = load({"script": "oltp_read_write", "tables": tables}, cpu=cpu)
    assert f"--threads={threads}" in container(job, "tool")["command"]


@pytest.mark.parametrize(("cpu", "threads"), [("1", 2), ("8", 3)])
def test_a_load_has_no_more_threads_than_the_memory_holds_index_builds(
    cpu: str, threads: int
) -> None:
    made = load(
        {"script": "oltp_read_write", "tables": 32},
        cpu=cpu,
        connection=PGSQL,
        engine="postgresql",
        version="15",
        resources={"cpu": "4", "memory": "16Gi"},
        settings={"shared_buffers": "12GB", "maintenance_work_mem": "1GB"},
    )
    (script,) = [word for word in container(made, "tool")["command"] if "prepare" in word]
    assert f"--threads={threads}" in script.splitlines()[-1]
    assert f"--threads={threads}" in container(made, "tool")["command"]


def test_a_failed_load_says_why() -> None:
    job = load()
    assert job["spec"]["backoffLimit"] == 0
    assert container(job, "tool")["terminationMessagePolicy"] == "FallbackToLogsOnError"


def test_loads_of_arms_that_share_cpu_request_a_part_of_it() -> None:
    spec = pod(load(cpu="1", cpu_share=4))
    for one in (*spec["initContainers"], *spec["containers"]):
        resources = one["resources"]
        assert (resources["requests"]["cpu"], resources["limits"]["cpu"]) == ("250m", "1")
