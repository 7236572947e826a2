"""Root's login changes, which MinIO notices only when it starts."""

import logging
from dataclasses import dataclass, field
from typing import Any

import pytest

from encbench.ports import Unavailable
from encbench.sidecars.storeusers import __main__ as program
from encbench.sidecars.storeusers.__main__ import Login, Users
from encbench.sidecars.storeusers.policies import ANALYST, OPERATOR

FIRST, SECOND = ("root", "first-password"), ("root", "second-password")
OURS, THEIRS = ("operator", "password"), ("analyst", "password")
NEXT = ("operator-2", "password")


@dataclass
class FakeMinio:
    """The server, with the login that root has had since its start."""

    root: Login = FIRST
    users: dict[str, str] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(
        default_factory=lambda: {OPERATOR: list[str](), ANALYST: list[str]()}
    )

    def admin(self, _endpoint: str, *login: str) -> "FakeAdmin":
        return FakeAdmin(self, login)


@dataclass
class FakeAdmin:
    """Its admin API, for whoever signs with root's login."""

    server: FakeMinio
    login: tuple[str, ...]

    def put_policy(self, _name: str, _policy: dict[str, Any]) -> None:
        self._known()

    def put_user(self, access_key: str, secret_key: str) -> None:
        self._known().users[access_key] = secret_key

    def join(self, access_key: str, group: str) -> None:
        self._known().groups[group].append(access_key)

    def give(self, _access_key: str, _policy: str) -> None:
        self._known()

    def members(self, group: str) -> list[str]:
        return [*self._known().groups[group]]

    def remove_user(self, access_key: str) -> None:
        del self._known().users[access_key]

    def _known(self) -> FakeMinio:
        if self.login != self.server.root:
            raise Unavailable("MinIO answered 403")
        return self.server


@pytest.fixture
def minio(monkeypatch: pytest.MonkeyPatch) -> FakeMinio:
    server = FakeMinio()
    monkeypatch.setattr(program, "MinioAdmin", server.admin)
    return server


def made(minio: FakeMinio) -> Users:
    users = Users("http://minio", "bucket")
    users.keep(FIRST, OURS, THEIRS)
    assert minio.users == dict((OURS, THEIRS))
    return users


def test_another_login_arrives_before_minio_has_been_restarted(
    minio: FakeMinio, caplog: pytest.LogCaptureFixture
) -> None:
    users = made(minio)
    users.keep(SECOND, OURS, THEIRS)
    users.keep(SECOND, NEXT, THEIRS)
    assert minio.users[NEXT[0]] == NEXT[1]
    said = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert {*said} == {"root's new login does not hold yet: delete MinIO's pod"}


def test_nothing_is_made_again_meanwhile(minio: FakeMinio, monkeypatch: pytest.MonkeyPatch) -> None:
    users = made(minio)
    users.keep(SECOND, OURS, THEIRS)
    monkeypatch.setattr(program, "MinioAdmin", None)
    users.keep(SECOND, OURS, THEIRS)


@pytest.mark.parametrize("is_restarted", [False, True])
def test_a_replaced_user_goes_by_whichever_login_holds(
    minio: FakeMinio, is_restarted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = made(minio)
    users.keep(SECOND, NEXT, THEIRS)
    if is_restarted:
        minio.root = SECOND
    monkeypatch.setattr(program, "LINGER", 0.0)
    users.keep(SECOND, NEXT, THEIRS)
    assert minio.users == dict((NEXT, THEIRS))


def test_after_the_restart_the_new_login_is_used(minio: FakeMinio) -> None:
    users = made(minio)
    users.keep(SECOND, OURS, THEIRS)
    minio.root = SECOND
    users.keep(SECOND, NEXT, THEIRS)
    assert minio.users[NEXT[0]] == NEXT[1]


def test_a_login_that_never_held_is_named(minio: FakeMinio) -> None:
    users = Users("http://minio", "bucket")
    with pytest.raises(Unavailable, match="403"):
        users.keep(SECOND, OURS, THEIRS)
    assert not (users.made or minio.users)
