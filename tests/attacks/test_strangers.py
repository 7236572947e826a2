"""What pods reach of each other while a campaign runs, where NetworkPolicies are in force.

Each pod tries the ports of all others, and those alone answer that docs/security.md lists. A
refusal is an answer: what no policy allows is dropped.
"""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from tests.cluster import policies
from tests.cluster.network import NODE_ADDRESS
from tests.e2e import manifests
from tests.e2e.campaigns import conditions, delete_campaign, ended, trials
from tests.faults.running import wait_for_running_trial
from tests.support.connections import HEALTH, PORTS, TABLE
from tests.support.install import NAMESPACE, RELEASE, is_own
from tests.support.kube import Kube, wait_for

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(
        not (is_own() and policies.wanted()),
        reason="no NetworkPolicy is in force: set ENCBENCH_CLUSTER_POLICIES=1",
    ),
]

NAME, ELSEWHERE = "strangers", "strangers"
STRANGERS = {"neighbour": NAMESPACE, "stranger": ELSEWHERE, "lookalike": ELSEWHERE}
"""Strangers' pods and their namespaces; the last pod has the labels of a client."""
OWN = ("operator", "client", "database")
"""Pods of ours that have a Python to try with, and the container that has it."""
CONTAINERS = {"operator": "operator", "client": "recorder", "database": "agent"}
LISTENS = 8000
TRY = """
import errno, json, select, socket, sys, time
poll, waiting, answers = select.poll(), {}, []
for place in json.load(sys.stdin):
    one = socket.socket()
    one.setblocking(False)
    one.connect_ex(tuple(place))
    poll.register(one, select.POLLOUT)
    waiting[one.fileno()] = one, place
until = time.monotonic() + 5
while waiting and time.monotonic() < until:
    for number, _ in poll.poll(500):
        one, place = waiting.pop(number)
        poll.unregister(one)
        if one.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) in (0, errno.ECONNREFUSED):
            answers.append(place)
print(json.dumps(answers))
"""
"""Tries all places at once, in one thread, because a sidecar has little memory."""
SERVE = f"""
from http.server import BaseHTTPRequestHandler, HTTPServer
HTTPServer(("", {LISTENS}), BaseHTTPRequestHandler).serve_forever()
"""
TOKEN = "import os; print(os.path.exists('/var/run/secrets/kubernetes.io'))"
OPEN = {
    ("database", 3306),
    ("database", 9470),
    ("database", 9472),
    ("client", 9471),
    ("client", 9473),
    ("minio", 9000),
    ("prometheus", 9090),
    ("operator", HEALTH),
    ("operator", 8081),
    ("node-exporter", 9100),
}
"""What listens, and so would answer whoever is let through."""
Place = tuple[str, int]


@dataclass(frozen=True)
class Tried:
    """Who answered whom, by names of components, while a campaign was measured."""

    answers: dict[str, set[Place]]
    tokens: dict[str, str]
    """Whether a container of ours finds a service account's token, by its pod's component."""
    listening: set[Place]
    """What answered the node itself after all others had tried."""
    campaign: dict[str, Any]
    trials: list[dict[str, Any]]


def stranger(name: str, image: str) -> dict[str, Any]:
    labels = {"app": name}
    if name == "lookalike":
        labels |= {
            "app.kubernetes.io/managed-by": "encbench",
            "app.kubernetes.io/component": "client",
        }
    container = {
        "name": "main",
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["python3", "-c", SERVE],
        "readinessProbe": {"tcpSocket": {"port": LISTENS}, "periodSeconds": 1},
        "resources": {"requests": {"cpu": "10m"}, "limits": {"cpu": "200m", "memory": "128Mi"}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": STRANGERS[name], "labels": labels},
        "spec": {
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 0,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": 10001,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [container],
        },
    }


@pytest.fixture(scope="module")
def crowd(installed: Kube) -> Iterator[Kube]:
    """The installation, with strangers' pods beside it and in another namespace."""
    operator = installed.get("deployment", f"{RELEASE}-operator", NAMESPACE)
    assert operator is not None
    (container,) = operator["spec"]["template"]["spec"]["containers"]
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ELSEWHERE}}
    pods = [stranger(name, container["image"]) for name in STRANGERS]
    try:
        installed.apply(space, *pods)
        for name, where in STRANGERS.items():
            ready = ("--for=condition=Ready", f"pod/{name}", "--timeout=90s")
            installed.kubectl("wait", *ready, f"--namespace={where}")
        yield installed
    finally:
        installed.kubectl("delete", "pod", "neighbour", "-n", NAMESPACE, "--ignore-not-found")
        installed.kubectl("delete", "namespace", ELSEWHERE, "--ignore-not-found", "--timeout=90s")


@pytest.fixture(scope="module")
def tried(crowd: Kube) -> Iterator[Tried]:
    crowd.apply(manifests.workload(NAME, load={"duration": "60s"}))
    matrix = [{"instanceRefs": ["mariadb"], "modeRefs": ["plaintext"], "workloadRefs": [NAME]}]
    blocks = {"min": 1, "maxReplacements": 0}
    crowd.apply(manifests.campaign(NAME, [], matrix=matrix, blocks=blocks))
    try:
        trial = wait_for_running_trial(crowd, NAME)
        pods = found(crowd, trial)
        places = {
            (pod["status"]["podIP"], port): (name, port)
            for name, pod in pods.items()
            for port in ports(name)
        }
        places |= {(NODE_ADDRESS, port): ("API server", port) for port in (443, 6443)}
        sources = [*STRANGERS, *OWN]
        with ThreadPoolExecutor(len(sources)) as pool:
            seen = pool.map(lambda name: answering(crowd, name, pods[name], places), sources)
            answers = dict(zip(sources, seen, strict=True))
        tokens = {name: inside(crowd, name, pods[name], TOKEN).strip() for name in OWN}
        listening = {name for place, name in places.items() if connects(place)}
        body = wait_for("the end of the campaign", lambda: ended(crowd, NAME), 400)
        yield Tried(answers, tokens, listening, body, trials(crowd, NAME))
    finally:
        delete_campaign(crowd, NAME)


def found(kube: Kube, trial: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """One pod of each component, by its name; the trial's own client and database."""
    pods = {name: kube.get("pod", name, where) for name, where in STRANGERS.items()}
    pods["DNS"] = kube.list("pods", "kube-system", "k8s-app=kube-dns")[0]
    for name in ("operator", "minio", "prometheus", "node-exporter"):
        own = f"app.kubernetes.io/name=encbench,app.kubernetes.io/component={name}"
        pods[name] = next(pod for pod in kube.list("pods", NAMESPACE, own) if _stays(pod))
    made = f"encbench.io/trial={trial['metadata']['name']}"
    pods["client"] = kube.list("pods", NAMESPACE, made)[0]
    pods["database"] = kube.get("pod", f"{trial['spec']['testbedRef']['name']}-0", NAMESPACE)
    return {name: pod for name, pod in pods.items() if pod is not None}


def _stays(pod: dict[str, Any]) -> bool:
    return "deletionTimestamp" not in pod["metadata"]


def ports(name: str) -> list[int]:
    """The ports of a pod that are tried; where no policy applies, only those that others need."""
    if name in STRANGERS:
        return [LISTENS]
    return [53, 1053, 5353] if name == "DNS" else PORTS


def inside(kube: Kube, name: str, pod: dict[str, Any], program: str, stdin: str = "[]") -> str:
    """What a Python program prints in a pod."""
    container = CONTAINERS.get(name, "main")
    where = (pod["metadata"]["name"], f"--namespace={pod['metadata']['namespace']}")
    python = ("--", "python3", "-c", program)
    return kube.kubectl("exec", *where, f"--container={container}", "--stdin", *python, stdin=stdin)


def answering(kube: Kube, name: str, pod: dict[str, Any], places: dict[Place, Place]) -> set[Place]:
    """Which of these answer a pod, by the names of their components."""
    others = [place for place, meant in places.items() if meant[0] != name]
    text = inside(kube, name, pod, TRY, json.dumps(others))
    return {places[address, port] for address, port in json.loads(text)}


def connects(place: Place) -> bool:
    with suppress(OSError):
        socket.create_connection(place, timeout=3).close()
        return True
    return False


def test_what_would_answer_was_there_all_the_time(tried: Tried) -> None:
    assert tried.listening >= OPEN


@pytest.mark.parametrize("name", STRANGERS)
def test_a_stranger_s_pod_reaches_none_of_ours(tried: Tried, name: str) -> None:
    ours = {place for place in tried.answers[name] if place[0] in dict(OPEN)}
    assert ours == set()
    others = {(other, LISTENS) for other in STRANGERS if other != name}
    there = others | {("DNS", 1053), ("API server", 6443)}
    assert tried.answers[name] >= there, "it does reach what no policy is about"


@pytest.mark.parametrize("name", OWN)
def test_a_pod_of_ours_reaches_what_the_table_lists(tried: Tried, name: str) -> None:
    listed = {(target, port) for source, target, port in TABLE if source == name}
    assert tried.answers[name] == listed


def test_databases_and_clients_have_no_token(tried: Tried) -> None:
    assert tried.tokens == {"operator": "True", "client": "False", "database": "False"}


def test_the_campaign_was_measured_meanwhile(tried: Tried) -> None:
    facts = conditions(tried.campaign)
    assert facts.get("Complete", {}).get("status") == "True", facts
    assert {trial["status"]["outcome"] for trial in tried.trials} == {"Succeeded"}


def test_helm_test_passes(installed: Kube) -> None:
    said = installed.run("helm", "test", RELEASE, f"--namespace={NAMESPACE}", "--timeout=2m")
    assert "Phase:          Succeeded" in said
