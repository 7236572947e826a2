"""What a pod's containers, and who is on its network, can take or disturb in a running trial."""

import base64
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from encbench.core.certificates import AUTHORITY_KEY
from encbench.wire import agent
from tests.e2e import manifests
from tests.e2e.campaigns import conditions, delete_campaign, ended, trials
from tests.e2e.columns import Wire
from tests.support.install import NAMESPACE, is_own
from tests.support.kube import Kube, wait_for

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not is_own(), reason="the pods' network must be this machine's"),
]

NAME = "besieged"
METRICS, CONTROL = {"agent": 9470, "recorder": 9471}, {"agent": 9472, "recorder": 9473}
LOOK = (
    "for f in /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/root/etc/encbench/*/* "
    "/proc/[0-9]*/root/var/run/secrets/kubernetes.io/*/*; do "
    'tr "\\000" "\\n" <"$f"; done 2>/dev/null; true'
)
"""All that a process may read of its neighbours."""
TRUSTED = {
    "tool": ("recorder-token", "recorder-tls.key"),
    "server": ("agent-token", "agent-tls.key", "agent-password"),
}
"""Entries of its own testbed's Secret that a container may come by, as docs/security.md says."""
HELD = {entry for own in TRUSTED.values() for entry in own}
DRIPS, FLOODS = 8, 4
SIEGE = 90.0
"""Seconds at most."""


@dataclass
class Siege:
    """Connections that never end and requests that never stop, for as long as the block runs."""

    client: str
    database: str
    sent: int = 0
    asked: int = 0
    _over: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def __enter__(self) -> "Siege":
        targets = [(self.client, METRICS["recorder"]), (self.client, CONTROL["recorder"])]
        targets += [(self.database, METRICS["agent"]), (self.database, CONTROL["agent"])]
        work = [(self._drip, target) for target in targets for _ in range(DRIPS)]
        work += [(self._flood, (self.database, METRICS["agent"]))] * FLOODS
        for do, target in work:
            thread = threading.Thread(target=self._until_over, args=(do, target), daemon=True)
            thread.start()
            self._threads.append(thread)
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(10)

    def _until_over(self, do: Any, target: tuple[str, int]) -> None:
        until = time.monotonic() + SIEGE
        while not self._over.is_set() and time.monotonic() < until:
            with suppress(OSError, http.client.HTTPException):
                do(target)
            self._over.wait(0.05)

    def _drip(self, target: tuple[str, int]) -> None:
        with ExitStack() as stack:
            one = stack.enter_context(socket.create_connection(target, timeout=5))
            if target[1] in CONTROL.values():
                # Anyone may finish the handshake: a token is asked for in the request only.
                one = stack.enter_context(_anyone().wrap_socket(one))
            while not self._over.wait(0.3):
                one.sendall(b"G")
                self.sent += 1

    def _flood(self, target: tuple[str, int]) -> None:
        connection = http.client.HTTPConnection(*target, timeout=5)
        try:
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            self.asked += 1
        finally:
            connection.close()


@dataclass
class Besieged:
    """A campaign that was looked at and disturbed while it ran."""

    campaign: dict[str, Any]
    trials: list[dict[str, Any]]
    own: str
    """The Secret of the testbed whose containers were looked into."""
    secrets: dict[str, dict[str, str]]
    """Text by entry, of the Secrets of each testbed and of the campaign's CA."""
    read: dict[str, str]
    """What each container's user read of its neighbours, by the container's name."""
    refused: int
    """The agent's answer to the recorder's token."""
    siege: Siege
    wire: Wire


@pytest.fixture(scope="module")
def besieged(installed: Kube) -> Iterator[Besieged]:
    installed.apply(manifests.workload("besieged", load={"duration": "30s"}))
    matrix = [
        {"instanceRefs": ["mariadb"], "modeRefs": ["plaintext"], "workloadRefs": ["besieged"]}
    ]
    blocks = {"min": 1, "maxReplacements": 0}
    with ExitStack() as stack:
        wire = stack.enter_context(Wire(ports=(*METRICS.values(), *CONTROL.values()), both=True))
        installed.apply(manifests.campaign(NAME, [], matrix=matrix, blocks=blocks))
        stack.callback(delete_campaign, installed, NAME)
        client = wait_for("a client's address", lambda: _pod(installed, "client"), 300, 0.2)
        testbed = client["metadata"]["labels"]["encbench.io/testbed"]
        database = installed.get("pod", f"{testbed}-0", NAMESPACE)
        assert database is not None
        secrets = _secrets(installed)
        siege = Siege(client["status"]["podIP"], database["status"]["podIP"])
        with siege:
            wait_for("the release of the client", lambda: _released(installed, client), 90, 0.5)
            read = {
                "tool": _look(installed, client, "tool"),
                "server": _look(installed, database, "server"),
            }
            own = f"{testbed}-credentials"
            token = secrets[own]["recorder-token"]
            refused = _ask(database["status"]["podIP"], token)
        body = wait_for("the end of the campaign", lambda: ended(installed, NAME), 400)
        done = trials(installed, NAME)
        yield Besieged(body, done, own, secrets, read, refused, siege, wire)


def _pod(kube: Kube, component: str) -> dict[str, Any] | None:
    label = f"encbench.io/campaign={NAME},app.kubernetes.io/component={component}"
    found = [one for one in kube.list("pods", NAMESPACE, label) if one["status"].get("podIP")]
    return found[0] if found else None


def _released(kube: Kube, client: dict[str, Any]) -> bool:
    name = client["metadata"]["labels"]["encbench.io/trial"]
    trial = kube.get("trial", name, NAMESPACE)
    return conditions(trial or {}).get("Released", {}).get("status") == "True"


def _look(kube: Kube, pod: dict[str, Any], container: str) -> str:
    name = pod["metadata"]["name"]
    inside = ("--", "sh", "-c", LOOK)
    return kube.kubectl("exec", name, f"--namespace={NAMESPACE}", f"-c={container}", *inside)


def _secrets(kube: Kube) -> dict[str, dict[str, str]]:
    return {
        body["metadata"]["name"]: {
            entry: base64.b64decode(value).decode().strip()
            for entry, value in (body.get("data") or {}).items()
        }
        for body in kube.list("secrets", NAMESPACE, f"encbench.io/campaign={NAME}")
    }


def _anyone() -> ssl.SSLContext:
    """TLS of a caller who knows no authority."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _ask(address: str, token: str) -> int:
    """The agent's status for a token."""
    asked = http.client.HTTPSConnection(address, CONTROL["agent"], timeout=10, context=_anyone())
    asked.request("GET", agent.SERVER, headers={"Authorization": f"Bearer {token}"})
    return asked.getresponse().status


def test_the_trials_started_in_time_and_were_measured(besieged: Besieged) -> None:
    facts = conditions(besieged.campaign)
    assert facts.get("Complete", {}).get("status") == "True", facts
    assert {trial["status"]["outcome"] for trial in besieged.trials} == {"Succeeded"}
    assert besieged.siege.sent > 100, "they dripped"
    assert besieged.siege.asked, "they asked, in the turns that the dripping left them"


@pytest.mark.parametrize("container", TRUSTED)
def test_a_container_reads_no_more_than_it_is_trusted_with(
    besieged: Besieged, container: str
) -> None:
    read = besieged.read[container]
    assert "PATH=" in read, "it did read something"
    testbeds = {name: own for name, own in besieged.secrets.items() if "agent-token" in own}
    assert len(testbeds) == 2
    for name, entries in testbeds.items():
        allowed = TRUSTED[container] if name == besieged.own else ()
        seen = {entry for entry in HELD if entries[entry] in read}
        assert seen <= set(allowed), name
    authorities = [own[AUTHORITY_KEY] for own in besieged.secrets.values() if AUTHORITY_KEY in own]
    assert authorities
    assert not [key for key in authorities if key in read]
    assert "eyJhbGci" not in read, "a service account's token"


def test_a_recorder_s_token_opens_no_agent(besieged: Besieged) -> None:
    assert besieged.refused == 401


def test_a_capture_shows_neither_token_nor_upload_url(besieged: Besieged) -> None:
    heard = {(source[1]) for source in besieged.wire.heard}
    assert heard >= {*CONTROL.values(), *METRICS.values()}, "all four ports were heard"
    said = b"".join(stream for one in besieged.wire.heard.values() for stream in one.streams())
    assert b"encbench_recorder_cpu_seconds_total" in said, "metrics are in the clear"
    tokens = [
        own[entry]
        for own in besieged.secrets.values()
        for entry in ("agent-token", "recorder-token")
        if entry in own
    ]
    assert len(tokens) >= 4
    for secret in (*tokens, "X-Amz-Signature", "Bearer", "startAt"):
        assert secret.encode() not in said
