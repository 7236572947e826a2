"""The administrator's lists as an admission policy of a real API server: what the operator says."""

from collections.abc import Iterator
from typing import Any

import pytest

from encbench.api.kinds import INSTANCE_TEMPLATE, WORKLOAD, Kind
from tests.support import choices, manifests, policies
from tests.support.apiserver import ApiServer
from tests.support.choices import ALLOWED, CASES, DIGEST, HOSTS, IMAGE

SPACE = "choices"
DIGESTS = "choices-digests"
EVIL = {"image": "evil.example.com/mariadb"}


def answer(server: ApiServer, kind: Kind, spec: dict[str, Any], space: str) -> tuple[int, str]:
    """Status and message for an administrator, who may read every Secret."""
    body = manifests.body(kind, "chosen", space, **spec)
    status, said = policies.post(server, kind, body, "", dry=True)
    return status, said.get("message", "")


def refuses(server: ApiServer, space: str) -> bool:
    return answer(server, INSTANCE_TEMPLATE, EVIL, space)[0] == 403


@pytest.fixture(scope="module")
def server(api_server: ApiServer) -> Iterator[ApiServer]:
    api_server.namespace(SPACE)
    values = {"allowed": ALLOWED}
    with policies.in_force(api_server, SPACE, values, lambda: refuses(api_server, SPACE)):
        yield api_server


@pytest.mark.parametrize(("kind", "spec", "is_allowed"), CASES)
def test_the_policy_agrees_with_the_operator(
    server: ApiServer, kind: Kind, spec: dict[str, Any], is_allowed: bool
) -> None:
    status, message = answer(server, kind, spec, SPACE)
    assert status == (201 if is_allowed else 403), message
    if not is_allowed:
        assert "is all that this installation allows" in message
        assert "have the chart's allowed." in message


@pytest.mark.parametrize(("host", "is_allowed"), HOSTS.items())
def test_hosts_of_databases(server: ApiServer, host: str, is_allowed: bool) -> None:
    body = manifests.body(INSTANCE_TEMPLATE, "far", SPACE)
    body["spec"] = choices.external(host)
    status, said = policies.post(server, INSTANCE_TEMPLATE, body, "", dry=True)
    assert status == (201 if is_allowed else 403), said


def test_digests_where_they_are_demanded(api_server: ApiServer) -> None:
    api_server.namespace(DIGESTS)
    values = {"allowed": {"digestsOnly": True}, "fullnameOverride": "digests"}
    with policies.in_force(api_server, DIGESTS, values, lambda: refuses(api_server, DIGESTS)):
        status, message = answer(api_server, INSTANCE_TEMPLATE, {"image": IMAGE}, DIGESTS)
        assert status == 403
        assert "name@sha256:<64 hex digits>" in message
        pinned = {"image": f"x/mariadb@{DIGEST}"}
        assert answer(api_server, INSTANCE_TEMPLATE, pinned, DIGESTS)[0] == 201
        assert answer(api_server, WORKLOAD, {}, DIGESTS)[0] == 403
