"""Authors who name a Secret that they may not read, and records that only the operator writes."""

import base64
import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from encbench.api.kinds import TESTBED, TRIAL, Kind
from encbench.kube.labels import ACTIVE
from tests.attacks.people import Person, author, shown
from tests.cluster.network import NODE_ADDRESS
from tests.e2e import manifests
from tests.e2e.bucket import SERVICE
from tests.e2e.campaigns import Start, conditions, ended
from tests.e2e.refusals import refused
from tests.support import manifests as small
from tests.support.install import NAMESPACE, OPERATOR, databases_outside, is_own
from tests.support.kube import CommandFailed, Kube, wait_for

STORES_KEY = {"name": SERVICE, "key": "secret-key"}
"""The store's root password, beside the campaigns."""


@pytest.fixture(scope="module")
def attacker(installed: Kube) -> Person:
    return author(installed)


def test_a_key_that_is_somebody_elses_secret(
    installed: Kube, attacker: Person, start: Start
) -> None:
    """Neither the author nor, by mistake, an administrator gets it mounted into an image."""
    theft = manifests.mode("theft", atRest={"method": "engine", "keySecretRef": STORES_KEY})
    with pytest.raises(CommandFailed, match=f"you may not read Secret {SERVICE} yourself"):
        attacker.create(theft)  # What a failed run left is not applied without a word.
    installed.apply(theft)
    name = start(manifests.campaign("theft", ["theft"]))
    message = refused(installed, name)
    assert f"Secret {SERVICE}" in message
    assert "encbench.io/use=key" in message
    secret = installed.get("secret", SERVICE, NAMESPACE)
    assert secret is not None
    encoded = secret["data"]["secret-key"]
    everything = shown(installed)
    assert encoded not in everything
    assert base64.b64decode(encoded).decode() not in everything


class Hungry(socketserver.ThreadingTCPServer):
    """A PostgreSQL that has no TLS and asks for the password in cleartext."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__((NODE_ADDRESS, 0), _Session)
        self.visits = 0
        self.eaten: list[bytes] = []


class _Session(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        server = self.server
        assert isinstance(server, Hungry)
        server.visits += 1
        with suppress(OSError, struct.error):
            while True:
                length, code = struct.unpack("!ii", self._read(8))
                self._read(length - 8)
                if code != 80877103:  # SSLRequest
                    break
                self.request.sendall(b"N")
            self.request.sendall(b"R" + struct.pack("!ii", 8, 3))
            server.eaten.append(self._read(1))

    def _read(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            part = self.request.recv(count - len(found))
            if not part:
                raise ConnectionResetError
            found += part
        return found


@pytest.fixture
def hungry() -> Iterator[Hungry]:
    with Hungry() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def login(*, marked: bool) -> dict[str, Any]:
    """Another application's login."""
    labels = {"encbench.io/use": "credentials"} if marked else {}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "another-app", "namespace": NAMESPACE, "labels": labels},
        "stringData": {"username": "app", "password": "of-another-app", "ca.crt": "none"},
    }


def outside(server: Hungry) -> dict[str, Any]:
    host, port = server.server_address[:2]
    external = {
        "host": str(host),
        "port": port,
        "database": "app",
        "credentialsSecretRef": {"name": "another-app"},
    }
    spec = {"engine": "postgresql", "version": "15", "external": external}
    return manifests.manifest("InstanceTemplate", "hungry", spec)


def against(name: str) -> dict[str, Any]:
    matrix = [
        {"instanceRefs": ["hungry"], "modeRefs": ["only-tls"], "workloadRefs": ["read-write"]}
    ]
    return manifests.campaign(name, [], matrix=matrix, baselineModeRef="only-tls")


@pytest.mark.full
@pytest.mark.skipif(not is_own(), reason="the server that asks for passwords is this machine's")
def test_a_login_that_is_somebody_elses(
    installed: Kube, attacker: Person, start: Start, hungry: Hungry
) -> None:
    installed.kubectl(
        "delete", "secret", "another-app", f"--namespace={NAMESPACE}", "--ignore-not-found"
    )
    installed.apply(login(marked=False), manifests.mode("only-tls", inTransit={}))
    with pytest.raises(CommandFailed, match="you may not read Secret another-app yourself"):
        attacker.apply(outside(hungry))
    installed.apply(outside(hungry))
    # Without this, NetworkPolicies stop each connection, whatever the operator does.
    with databases_outside(installed, NODE_ADDRESS, hungry.server_address[1]):
        message = refused(installed, start(against("unmarked")))
    assert "encbench.io/use=credentials" in message
    assert hungry.visits == 0
    assert "of-another-app" not in shown(installed)


@pytest.mark.full
@pytest.mark.skipif(not is_own(), reason="the server that asks for passwords is this machine's")
def test_a_server_that_asks_for_the_password_in_cleartext(
    installed: Kube, start: Start, hungry: Hungry
) -> None:
    """With TLS in the mode, a client without it tells the server nothing."""
    authority = _authority(installed)
    secret = login(marked=True)
    secret["stringData"]["ca.crt"] = authority
    installed.apply(secret, manifests.mode("only-tls", inTransit={}), outside(hungry))
    with databases_outside(installed, NODE_ADDRESS, hungry.server_address[1]):
        name = start(against("cleartext"))
        wait_for("the end of the campaign", lambda: ended(installed, name), 400)
    assert hungry.visits > 0, "it was asked"
    assert hungry.eaten == []


def _authority(kube: Kube) -> str:
    """Some certificate in PEM: the cluster's own CA."""
    found = kube.get("configmap", "kube-root-ca.crt", NAMESPACE)
    assert found is not None
    return str(found["data"]["ca.crt"])


PLANTED: dict[Kind, dict[str, Any]] = {
    TRIAL: small.body(TRIAL, "planted", NAMESPACE, storagePrefix="another-team/study-c0ffee00"),
    TESTBED: small.body(TESTBED, "planted", NAMESPACE),
}
for _body in PLANTED.values():
    _body["metadata"]["labels"] = {ACTIVE: "true"}  # The operator looks at no other Trials.


@pytest.mark.parametrize("kind", PLANTED, ids=lambda kind: kind.kind)
def test_a_record_that_the_operator_has_not_written(installed: Kube, kind: Kind) -> None:
    """The policy refuses it; and where there is none, the operator does nothing for it."""
    operator = Person(installed, OPERATOR)
    where = f"--namespace={NAMESPACE}"
    installed.kubectl("delete", kind.plural, "planted", where, "--ignore-not-found")
    with pytest.raises(CommandFailed, match="only encbench's operator writes"):
        installed.apply(PLANTED[kind])
    operator.create(PLANTED[kind])
    try:

        def named() -> str | None:
            body = installed.get(kind.plural, "planted", NAMESPACE)
            fact = conditions(body or {}).get("Understood", {})
            return str(fact["message"]) if fact.get("status") == "False" else None

        assert "delete this one" in wait_for("a word about it", named, 30)
        for made in ("jobs", "statefulsets", "secrets"):
            names = [body["metadata"]["name"] for body in installed.list(made, NAMESPACE)]
            assert not [one for one in names if one.startswith("planted")]
    finally:
        installed.kubectl("delete", kind.plural, "planted", where)
