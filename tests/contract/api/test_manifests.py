"""The corpus against a real API server, with the CRDs of the checkout."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from tests.support.apiserver import ApiServer
from tests.support.corpus import Case, cases

_names = count(1)


@pytest.fixture
def namespace(api_server: ApiServer) -> Iterator[str]:
    yield api_server.namespace(f"corpus-{next(_names)}")


def put(server: ApiServer, namespace: str, case: Case) -> tuple[int, Any]:
    """Status and answer of creating the object, or of changing the one before into it."""
    kind = case.kind
    url = f"/apis/{kind.api_version}/namespaces/{namespace}/{kind.plural}"
    strict = "fieldValidation=Strict"
    if case.before is None:
        return server.request("POST", f"{url}?{strict}&dryRun=All", case.body)
    status, made = server.request("POST", f"{url}?{strict}", case.before)
    assert status == 201, made
    name, version = made["metadata"]["name"], made["metadata"]["resourceVersion"]
    changed = {**case.body, "metadata": {**case.body["metadata"], "resourceVersion": version}}
    return server.request("PUT", f"{url}/{name}?{strict}", changed)


@pytest.mark.parametrize("case", cases("accept"), ids=lambda case: case.name)
def test_accepted(api_server: ApiServer, namespace: str, case: Case) -> None:
    status, answer = put(api_server, namespace, case)
    assert status in (200, 201), answer


@pytest.mark.parametrize("case", cases("reject"), ids=lambda case: case.name)
def test_refused_with_a_remedy(api_server: ApiServer, namespace: str, case: Case) -> None:
    status, answer = put(api_server, namespace, case)
    assert status in (400, 422), answer
    for fragment in case.refused:
        assert fragment in answer["message"]
