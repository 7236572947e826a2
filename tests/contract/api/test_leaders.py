"""Real operators and a real API server: one acts for a shard, and the next one takes over in time.

The server's audit log says who has written what, so that an operator which acts when it should not
is seen even where that changes nothing.
"""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import count, groupby
from pathlib import Path
from typing import Any

import pytest
import yaml

from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD, Kind
from encbench.kube.shards import shard_of
from tests.support import apiserver, manifests, operators
from tests.support.apiserver import OPERATOR, ApiServer
from tests.support.kube import wait_for

KILLED, TERMINATED, THAWED = 20.0, 7.0, 20.0
"""Seconds until another leads after SIGKILL or SIGTERM, and until a deposed one has ended.

A busy machine has time to be late. Yet a Lease that was not given back is taken eight seconds after
SIGTERM at the earliest: it has to stay as it is for ten, and was renewed within two before that.
"""
LEASES = "/apis/coordination.k8s.io/v1/namespaces"
POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {
            "level": "Metadata",
            "verbs": ["create", "update", "patch", "delete"],
            "resources": [{"group": "encbench.io"}],
        },
        {"level": "None"},
    ],
}
USERS = {"a": OPERATOR, "b": "admin"}
"""Whose requests are whose: the tests themselves write nothing while the operators are at work."""
MATRIX = {"instanceRefs": ["small"], "modeRefs": ["plain"], "workloadRefs": ["oltp"]}
_numbers = count(1)


@dataclass
class Audited:
    """A server, and what it has been asked to change."""

    server: ApiServer
    log: Path

    def writers(self, namespace: str) -> list[tuple[str, str]]:
        """User and campaign of each write of a status of a campaign, refused ones too, in order."""
        found = []
        for line in self.log.read_text().splitlines():
            entry = json.loads(line)
            what = entry.get("objectRef") or {}
            where = (what.get("namespace"), what.get("resource"), what.get("subresource"))
            if where == (namespace, "campaigns", "status"):
                found.append((entry["user"]["username"], what["name"]))
        return found


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audited]:
    folder = tmp_path_factory.mktemp("audit")
    policy, log = folder / "policy.yaml", folder / "audit.log"
    policy.write_text(yaml.safe_dump(POLICY))
    flags = (f"--audit-policy-file={policy}", f"--audit-log-path={log}")
    with apiserver.running(*flags, "--audit-log-mode=blocking-strict") as server:
        crds = sorted((apiserver.REPOSITORY / "crds").glob("*.yaml"))
        server.install([yaml.safe_load(path.read_text()) for path in crds])
        body = {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": OPERATOR},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": "cluster-admin",
            },
            "subjects": [{"kind": "User", "name": OPERATOR}],
        }
        url = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
        assert server.request("POST", url, body)[0] == 201
        yield Audited(server, log)


class Installation:
    """A namespace with campaigns, and operators by name."""

    def __init__(self, audited: Audited, folder: Path) -> None:
        self.audited, self.server, self.folder = audited, audited.server, folder
        self.space = self.server.namespace(f"leaders-{next(_numbers)}")

    def operator(
        self, name: str, shards: int = 1
    ) -> AbstractContextManager[subprocess.Popen[bytes]]:
        folder = self.folder / name
        folder.mkdir()
        own = (f"--release-namespace={self.space}", f"--pod={name}", f"--shards={shards}")
        kubeconfig = self.server.kubeconfig
        if USERS.get(name[0]) == OPERATOR:
            kubeconfig = self.server.kubeconfig_of(OPERATOR)
        return operators.operator(kubeconfig, folder, [self.space], *own)

    def lease(self, index: int = 0) -> dict[str, Any]:
        url = f"{LEASES}/{self.space}/leases/encbench-shard-{index}"
        status, body = self.server.request("GET", url)
        return dict(body["spec"]) if status == 200 else {}

    def led_by(self, name: str, index: int = 0) -> bool:
        return str(self.lease(index).get("holderIdentity")).startswith(f"{name}_")

    def handed_over(self, name: str, within: float) -> None:
        began = time.monotonic()
        wait_for(f"the lead of {name}", lambda: self.led_by(name), within + 5, every=0.05)
        assert time.monotonic() - began <= within

    def apply(self, kind: Kind, name: str, **spec: Any) -> None:
        url = f"/apis/{kind.api_version}/namespaces/{self.space}/{kind.plural}"
        status, answer = self.server.request(
            "POST", url, manifests.body(kind, name, self.space, **spec)
        )
        assert status == 201, answer

    def parts(self) -> None:
        for kind, name in (
            (INSTANCE_TEMPLATE, "small"),
            (ENCRYPTION_MODE, "plain"),
            (WORKLOAD, "oltp"),
        ):
            self.apply(kind, name)

    def campaigns(self, *names: str) -> None:
        for name in names:
            self.apply(CAMPAIGN, name, matrix=[MATRIX])

    def answered(self, *names: str, accepted: bool) -> None:
        """Wait until an operator has said this about each of them."""
        url = f"/apis/{CAMPAIGN.api_version}/namespaces/{self.space}/{CAMPAIGN.plural}"

        def check() -> bool:
            bodies = [self.server.request("GET", f"{url}/{name}")[1] for name in names]
            return all(("resolved" in one.get("status", {})) == accepted for one in bodies) and all(
                one.get("status", {}).get("conditions") for one in bodies
            )

        wait_for("an operator's answer", check, 30)


@pytest.fixture
def here(audited: Audited, tmp_path: Path) -> Installation:
    return Installation(audited, tmp_path)


def test_another_operator_takes_over(here: Installation) -> None:
    here.parts()
    with here.operator("a") as first, here.operator("b") as second:
        here.handed_over("a", KILLED)
        here.campaigns("one")
        here.answered("one", accepted=True)
        first.terminate()
        here.handed_over("b", TERMINATED)
        assert first.wait(30) == 0
        here.campaigns("two")
        here.answered("two", accepted=True)
        with here.operator("a2"):
            assert here.led_by("b")
            second.kill()
            here.handed_over("a2", KILLED)
            here.campaigns("three")
            here.answered("three", accepted=True)
    wrote = [user for user, _ in here.audited.writers(here.space)]
    assert [user for user, _ in groupby(wrote)] == [USERS["a"], USERS["b"], USERS["a"]]


def test_a_container_that_is_restarted_does_not_wait(here: Installation) -> None:
    with here.operator("a"):
        here.handed_over("a", KILLED)
        before = here.lease()
    again = here.folder / "a"
    again.rename(here.folder / "before")
    with here.operator("a"):
        here.handed_over("a", TERMINATED)
        # The first one may have renewed it since.
        wanted = before["leaseTransitions"] + 1
        wait_for("its lead", lambda: here.lease()["leaseTransitions"] == wanted, TERMINATED)


@pytest.mark.full
def test_a_frozen_operator_acts_no_more(here: Installation) -> None:
    names = [f"study-{number}" for number in range(8)]
    with here.operator("a") as frozen, here.operator("b"):
        here.handed_over("a", KILLED)
        here.campaigns(*names)
        here.answered(*names, accepted=False)
        frozen.send_signal(signal.SIGSTOP)
        here.handed_over("b", KILLED)
        # Each of these is an event that the first one has to hear of when it goes on.
        here.parts()
        here.answered(*names, accepted=True)
        held = here.lease()
        frozen.send_signal(signal.SIGCONT)
        assert frozen.wait(THAWED) == 1
        assert "is held by b_" in (here.folder / "a" / "operator.log").read_text()
        assert here.lease()["holderIdentity"] == held["holderIdentity"]
    wrote = [user for user, _ in here.audited.writers(here.space)]
    assert [user for user, _ in groupby(wrote)] == [USERS["a"], USERS["b"]]


@pytest.mark.full
def test_shards_share_the_campaigns(here: Installation) -> None:
    here.parts()
    names = [f"study-{number}" for number in range(8)]
    with here.operator("a", shards=2) as one, here.operator("b", shards=2) as two:
        for index, name in enumerate("ab"):
            wait_for("both leaders", lambda i=index, n=name: here.led_by(n, i), 30)  # type: ignore[misc]
        here.campaigns(*names)
        here.answered(*names, accepted=True)
        leaders = (USERS["a"], USERS["b"])
        wrote = set(here.audited.writers(here.space))
        assert wrote == {(leaders[shard_of(here.space, name, 2)], name) for name in names}
        assert {user for user, _ in wrote} == {*leaders}
        with here.operator("c", shards=1):
            one.terminate()
            assert one.wait(30) == 0
            time.sleep(TERMINATED)
            assert here.lease().get("holderIdentity") is None, "the other one still counts two"
            two.terminate()
            here.handed_over("c", TERMINATED)
