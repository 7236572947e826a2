"""The models and the CRDs refuse the same: every field of every spec, tried with odd values.

What is refused on one side only would be found out too late, by the operator instead of by `kubectl
apply`, or not at all by `kubectl encbench plan`. One oddity is left out: 1.0 for a whole number,
which the server takes, but not where a CEL rule reads the field; the models never do.
"""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from encbench.api.crd import schema
from encbench.api.resources import RESOURCES, Resource, problems
from tests.support.apiserver import ApiServer
from tests.support.manifests import body

ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    1,
    -1,
    7,
    2**31,
    2**53,
    0.5,
    1.5,
    "",
    "0",
    "1",
    "-1",
    "1.5",
    "a",
    "a b",
    "A",
    "a..b",
    "-a",
    "a\n",
    "1\n",
    "0s",
    "0m0s",
    "30",
    "30s",
    "1m30s",
    "500ms",
    "1234567s",
    "30S",
    "512Mi",
    "512m",
    "1e3",
    "0.0",
    ".5",
    "true",
    "ü",
    "x" * 63,
    "x" * 64,
    "1" * 33,
    "x" * 1025,
    [],
    [None],
    ["a"],
    ["a", "a"],
    [1, 1],
    [1, 2],
    [0],
    [{}],
    ["a"] * 65,
    {},
    {"a": "b"},
    {"a": 1},
    {"a": None},
    {"A": "b"},
    {"tables": "1"},
    {"mysql_host": "x"},
    {"a/b": "c"},
    {"a": "b c"},
    {f"a{n}": "b" for n in range(65)},
)

Path = tuple[str | int, ...]


FROZEN_COPIES = ("instance", "mode", "dataset", "workload")
"""Parts of what the operator writes that are the users' own specs, which have their turn."""


def fields(node: dict[str, Any], path: Path) -> Iterator[Path]:
    """Every place below a schema, the first item standing for all of a list."""
    yield path
    for name, field in node.get("properties", {}).items():
        if name not in FROZEN_COPIES:
            yield from fields(field, (*path, name))
    if "items" in node:
        yield from fields(node["items"], (*path, 0))


def changed(whole: Any, path: Path, value: Any) -> Any:
    """A copy with the value in that place, and what leads there made where it is missing."""
    if not path:
        return value
    first, *rest = path
    if isinstance(first, int):
        items = list(whole or [None])
        items[first] = changed(items[first], tuple(rest), value)
        return items
    made = dict(whole or {})
    made[first] = changed(made.get(first), tuple(rest), value)
    return made


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
def test_every_field_with_odd_values(api_server: ApiServer, resource: Resource) -> None:
    kind = resource.kind
    namespace = api_server.namespace("odd")
    url = (
        f"/apis/{kind.api_version}/namespaces/{namespace}/{kind.plural}"
        "?dryRun=All&fieldValidation=Strict"
    )
    disagreements = []
    tried = 0
    for path in fields(schema(resource)["properties"]["spec"], ("spec",)):
        for value in ODD:
            one = changed(copy.deepcopy(body(kind, "odd", namespace)), path, value)
            ours = problems(kind, one)
            status, answer = api_server.request("POST", url, one)
            tried += 1
            assert status in (201, 400, 422), answer
            if bool(ours) != (status != 201):
                disagreements.append(f"{path} = {value!r}: models {ours}, server {said(answer)}")
    assert not disagreements, "\n".join([f"{len(disagreements)} of {tried}:", *disagreements])
