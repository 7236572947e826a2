"""The models and the CRDs refuse the same: every field of every spec, tried with odd values.

What is refused on one side only would be found out too late, by the operator instead of by `kubectl
apply`, or not at all by `kubectl encbench plan`. One oddity is left out: 1.0 for a whole number,
which the server takes, but not where a CEL rule reads the field; the models never do.
"""

import copy
from typing import Any

import pytest

from encbench.api.crd import schema
from encbench.api.resources import RESOURCES, Resource, problems
from tests.support.apiserver import ApiServer
from tests.support.manifests import body
from tests.support.odd import INJECTIONS, ODD, at, changed, fields, telling

FROZEN_COPIES = ("instance", "mode", "dataset", "workload")
"""Parts of what the operator writes that are the users' own specs, which have their turn."""


def said(answer: Any) -> str:
    return str(answer.get("message", answer)) if isinstance(answer, dict) else str(answer)


USERS = ("instancetemplates", "encryptionmodes", "workloads", "campaigns")
"""What people write; the other kinds are the operator's own."""


@pytest.mark.parametrize(
    "resource",
    [
        pytest.param(
            one, id=one.kind.plural, marks=[] if one.kind.plural in USERS else [pytest.mark.full]
        )
        for one in RESOURCES
    ],
)
@pytest.mark.parametrize("values", ["telling", pytest.param("all", marks=pytest.mark.full)])
def test_every_field_with_odd_values(
    api_server: ApiServer, resource: Resource, values: str
) -> None:
    kind, spec = resource.kind, schema(resource)["properties"]["spec"]
    namespace = api_server.namespace("odd")
    url = (
        f"/apis/{kind.api_version}/namespaces/{namespace}/{kind.plural}"
        "?dryRun=All&fieldValidation=Strict"
    )
    disagreements = []
    tried = 0
    for path in fields(spec, ("spec",), FROZEN_COPIES):
        own = telling(at(spec, path[1:]))
        for value in own if values == "telling" else (*ODD, *INJECTIONS):
            one = changed(copy.deepcopy(body(kind, "odd", namespace)), path, value)
            ours = problems(kind, one)
            status, answer = api_server.request("POST", url, one)
            tried += 1
            assert status in (201, 400, 422), answer
            if bool(ours) != (status != 201):
                disagreements.append(f"{path} = {value!r}: models {ours}, server {said(answer)}")
    assert tried > 10, "fields were found"
    assert not disagreements, "\n".join([f"{len(disagreements)} of {tried}:", *disagreements])
