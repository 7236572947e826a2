"""Every field that names a Secret, a ConfigMap or a claim: who may name it, and who looks at it.

The policy asks whether the author may read the object, and admission whether its owner has marked
it for this use. A new field that either of them does not know would let authors have any Secret of
the namespace used.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from encbench.admission.gather import _references, frozen_parts
from encbench.api.campaign import CampaignSpec, Resolved
from encbench.api.crd import schema
from encbench.api.kinds import CAMPAIGN, ENCRYPTION_MODE, INSTANCE_TEMPLATE, WORKLOAD, Kind
from encbench.api.resources import BY_KIND
from encbench.api.schema import Schema
from tests.support import manifests
from tests.support.chart import Manifest, Rendered

PARTS = {INSTANCE_TEMPLATE: "instances", ENCRYPTION_MODE: "modes", WORKLOAD: "workloads"}
JAR = {"class": "x.D", "url": "https://h/d.jar", "sha256": "0" * 64}
WITH_KEY = {**JAR, "urlTemplate": "jdbc:x://{host}?{mek}", "keySecretRef": {"name": "named"}}
MOUNTED = {"class": "x.D", "urlTemplate": "jdbc:x://{host}", "claimName": "named", "path": "d.jar"}
FAR = {"host": "h", "database": "d", "credentialsSecretRef": {"name": "named"}}
OWN = {"name": "named", "key": "own.lua"}
LOOKED_AT: dict[tuple[Kind, str], dict[str, Any]] = {
    (INSTANCE_TEMPLATE, "external.credentialsSecretRef"): {
        **dict.fromkeys(manifests.SPECS[INSTANCE_TEMPLATE]),
        **{"engine": "mysql", "version": "8.0", "external": FAR},
    },
    (ENCRYPTION_MODE, "atRest.keySecretRef"): {
        "atRest": {"method": "engine", "keySecretRef": {"name": "named"}}
    },
    (ENCRYPTION_MODE, "columns.mekSecretRef"): {
        "columns": {"method": "confidential", "ratio": 0, "mekSecretRef": {"name": "named"}}
    },
    (ENCRYPTION_MODE, "driver.jar.keySecretRef"): {"driver": {"jar": WITH_KEY}},
    (ENCRYPTION_MODE, "driver.jar.claimName"): {"driver": {"jar": MOUNTED}},
    (WORKLOAD, "sysbench.scriptConfigMapRef"): {"sysbench": {"scriptConfigMapRef": OWN}},
}
"""With a spec that names an object called `named` there."""
PULLED = ((INSTANCE_TEMPLATE, "imagePullSecrets"), (WORKLOAD, "client.imagePullSecrets"))
"""Those that the kubelet alone reads, to pull the author's own image."""


def names(node: Schema, path: str = "") -> Iterator[str]:
    """The paths of a spec's fields that name an object of Kubernetes' own."""
    for name, field in node.get("properties", {}).items():
        place = f"{path}.{name}" if path else name
        if re.search("secret|configmap|claim|ref", name, re.IGNORECASE):
            yield place
        yield from names(field, place)
    for inner in node.keys() & {"items", "additionalProperties"}:
        yield from names(node[inner], f"{path}[]")


@pytest.fixture
def policy(default: Rendered) -> Manifest:
    """The chart's policy about what parts may name."""
    (found,) = [
        body
        for body in default.all("ValidatingAdmissionPolicy")
        if body["metadata"]["name"].endswith("-references")
    ]
    return found


def test_no_field_is_forgotten() -> None:
    found = {
        (kind, path)
        for kind in PARTS
        for path in names(schema(BY_KIND[kind])["properties"]["spec"])
    }
    assert found == {*LOOKED_AT, *PULLED}


@pytest.mark.parametrize(
    ("kind", "path"), [*LOOKED_AT, *PULLED], ids=lambda one: getattr(one, "kind", one)
)
def test_the_policy_knows_it(policy: Manifest, kind: Kind, path: str) -> None:
    (rule,) = policy["spec"]["matchConstraints"]["resourceRules"]
    assert kind.plural in rule["resources"]
    cel = " ".join(one["expression"] for one in policy["spec"]["variables"])
    named = f"object.spec.{path}" + (".name" if path.endswith("Ref") else "")
    # Where its name is taken, and not only where it is asked whether there is one.
    without_questions = re.sub(r"has\([^)]*\)", "", cel)
    assert re.search(rf"{re.escape(named)}\b", without_questions)


@pytest.mark.parametrize(("kind", "path"), LOOKED_AT, ids=lambda one: getattr(one, "kind", one))
def test_admission_looks_at_it(kind: Kind, path: str) -> None:
    body = manifests.body(kind, "part", "ns", **LOOKED_AT[kind, path])
    campaign = CampaignSpec.model_validate(manifests.SPECS[CAMPAIGN])
    resolved = Resolved.model_validate({PARTS[kind]: {"part": body["spec"]}})
    found = _references(frozen_parts("ns", "study", campaign, resolved))
    assert [name for _, name, _ in found] == ["named"]
