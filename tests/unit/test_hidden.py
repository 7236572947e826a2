"""What end-to-end tests keep of a campaign's secrets, and whether their search would find it."""

import base64
import json
from dataclasses import dataclass
from typing import Any

import pytest

from encbench.api.kinds import SECRET
from tests.e2e.bucket import Bucket
from tests.e2e.hidden import HIDDEN, OTHER, Hidden, shapes
from tests.support.kube import CommandFailed, Kube
from tests.unit.reconcile.world import SPACE, World, parts, study

PASSWORD, HEX = b"0123456789abcdef0123456789abcdef", "fedcba9876543210" * 4
KEY = b"-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49\nAwEHBG0wawIBAQQg\n-----END"


@dataclass(frozen=True)
class Told(Kube):
    """What kubectl says of one testbed."""

    logs: str | None = ""

    def list(self, what: str, namespace: str, selector: str = "") -> list[dict[str, Any]]:
        secret = {
            "kind": "Secret",
            "metadata": {"name": "bed-credentials"},
            "data": {"password": base64.b64encode(PASSWORD).decode()},
        }
        pod = {"kind": "Pod", "metadata": {"name": "bed-0"}, "spec": {"args": ["--quiet"]}}
        found = {"secrets,pods": [secret, pod]}
        return found.get(what, [{"kind": "Event", "metadata": {"name": "e"}, "message": "Pulled"}])

    def kubectl(self, *arguments: str, stdin: str | None = None) -> str:
        if self.logs is None:
            raise CommandFailed("a container is waiting to start")
        return self.logs


class Empty(Bucket):
    def keys(self, prefix: str) -> list[str]:
        return []


def looked(logs: str | None) -> Hidden:
    hidden = Hidden(Told({}, logs), "own")
    hidden.until(lambda: True)()
    return hidden


def test_all_is_searched_and_clean() -> None:
    places = dict(looked("[pod/bed-0/server] ready\n[pod/bed-0/agent] ready").places(Empty({}), ""))
    assert {*places} == {
        "pod bed-0",
        "the log of [pod/bed-0/server]",
        "the log of [pod/bed-0/agent]",
        "Event e",
    }
    assert looked("[pod/bed-0/server] ready").leaks(places.items()) == []


@pytest.mark.parametrize("form", [PASSWORD, base64.b64encode(PASSWORD + b"\n")])
def test_a_password_in_a_log_is_found(form: bytes) -> None:
    hidden = looked(f"[pod/bed-0/server] IDENTIFIED BY '{form.decode()}'")
    found = hidden.leaks(hidden.places(Empty({}), ""))
    assert found == ["password in the log of [pod/bed-0/server]"]


def test_a_container_that_waits_has_no_log() -> None:
    assert [*looked(None).pods] == ["bed-0"]


@pytest.mark.parametrize(
    ("value", "slipped"),
    [
        (f"1;{HEX}\n".encode(), f"key={HEX}".encode()),
        (KEY, json.dumps(KEY.decode()).encode()),
        (KEY, b"AwEHBG0wawIBAQQg"),
    ],
)
def test_files_are_found_by_their_lines(value: bytes, slipped: bytes) -> None:
    assert any(shape in slipped for shape in shapes(value))
    assert not any(shape in b"-----BEGIN PRIVATE KEY-----\n1;" for shape in shapes(value))


async def test_every_entry_of_a_campaign_is_known() -> None:
    world = World()
    world.apply(*parts(), study("tde"))
    await world.run(lambda: bool(world.trials()))
    entries = {name for body in world.cluster.all(SECRET, SPACE) for name in body["data"]}
    assert entries | {"access-key", "secret-key"} == HIDDEN | OTHER
