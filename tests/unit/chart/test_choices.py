"""Every field by which a part names an image, a host, nodes or a StorageClass is on a list.

The operator and the chart's policy each name these fields. One that either does not know would let
authors choose what the administrator's lists leave out. `tests/support/choices.py` has a refused
spec for each, which the tests of both try.
"""

import re
from collections.abc import Iterator

import pytest

from encbench.api.crd import schema
from encbench.api.kinds import ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD, Kind
from encbench.api.resources import BY_KIND
from encbench.api.schema import Schema
from tests.support.chart import Rendered
from tests.support.choices import REFUSED

FIELDS = {*REFUSED, (INSTANCE_TEMPLATE, "external.host")}
CHOICE = re.compile("(image|host|url|className|nodeSelector|tolerations)$", re.IGNORECASE)


def choices(node: Schema, path: str = "") -> Iterator[str]:
    """The paths of a spec's fields that choose where a pod comes from, runs or connects."""
    for name, field in node.get("properties", {}).items():
        place = f"{path}.{name}" if path else name
        if CHOICE.search(name):
            yield place
        yield from choices(field, place)
    for inner in node.keys() & {"items", "additionalProperties"}:
        yield from choices(node[inner], f"{path}[]")


def test_no_field_is_forgotten() -> None:
    found = {
        (kind, path)
        for kind in (INSTANCE_TEMPLATE, ENCRYPTION_MODE, WORKLOAD)
        for path in choices(schema(BY_KIND[kind])["properties"]["spec"])
    }
    assert found == FIELDS


@pytest.mark.parametrize(
    ("kind", "path"), sorted(FIELDS, key=str), ids=lambda one: getattr(one, "kind", one)
)
def test_the_policy_knows_it(default: Rendered, kind: Kind, path: str) -> None:
    (policy,) = (
        body
        for body in default.all("ValidatingAdmissionPolicy")
        if body["metadata"]["name"].endswith("-choices")
    )
    (rule,) = policy["spec"]["matchConstraints"]["resourceRules"]
    assert kind.plural in rule["resources"]
    cel = " ".join(one["expression"] for one in policy["spec"]["variables"])
    # Where its value is taken, and not only where it is asked whether there is one.
    taken = re.sub(r"has\([^)]*\)", "", cel)
    field = path.removesuffix(".nodeSelector").removesuffix(".tolerations")
    assert re.search(rf"object\.spec\.{re.escape(field)}\b", taken)
