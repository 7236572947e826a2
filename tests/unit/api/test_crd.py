"""The generated files: up to date and complete; tests/unit/chart has what Helm makes of them."""

import re
from typing import Any

import pytest

from encbench.api import crd, pages
from encbench.api.kinds import CAMPAIGN
from encbench.api.resources import RESOURCES, Resource
from encbench.api.rules import VALIDATIONS


def test_the_committed_files_are_what_would_be_written() -> None:
    assert pages.stale(pages.ROOT, crd.files()) == [], "run python -m encbench.api.crd"
    surplus = set((pages.ROOT / crd.FOLDER).iterdir()) - {pages.ROOT / one for one in crd.files()}
    assert surplus == set(), "no kind has these names: delete the files"


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda one: one.kind.plural)
def test_every_kind_reads_well_in_kubectl(resource: Resource) -> None:
    body = crd.definition(resource)
    (version,) = body["spec"]["versions"]
    assert body["spec"]["names"]["categories"] == ["encbench"]
    columns = [column["name"] for column in version["additionalPrinterColumns"]]
    assert columns[-1] == "Age"
    assert ("status" in version.get("subresources", {})) == (resource.status is not None)


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda one: one.kind.plural)
def test_the_oldest_api_server_takes_every_rule_for_cheap_enough(resource: Resource) -> None:
    """`make contract-versions` asks it; this says so in every run, without one."""
    properties = crd.schema(resource)["properties"]
    assert _ruled(properties.get("status", {})) == []
    ruled = _ruled(properties["spec"])
    assert [path for path in ruled if "[]" in path and path.endswith("|int")] == []
    assert ruled


def test_a_campaign_that_no_operator_has_seen_is_not_done_to_kstatus() -> None:
    """It takes an object for one that needs no more if nothing in its status says otherwise."""
    for resource in RESOURCES:
        unseen = crd.schema(resource)["properties"].get("status", {}).get("default")
        assert unseen == ({"observedGeneration": -1} if resource.kind == CAMPAIGN else None)


def _ruled(node: dict[str, Any], path: str = "") -> list[str]:
    """The paths that have rules. `[]` is an entry of a list or map, `|int` int-or-string."""
    mark = "|int" if "x-kubernetes-int-or-string" in node else ""
    found = [path + mark] if VALIDATIONS in node else []
    for name, field in node.get("properties", {}).items():
        found += _ruled(field, f"{path}.{name}")
    for inner in node.keys() & {"items", "additionalProperties"}:
        found += _ruled(node[inner], f"{path}[]")
    return found


def test_short_names_are_free() -> None:
    """Those of Kubernetes itself, and of what often runs beside us."""
    others = {"po", "svc", "cm", "ns", "no", "pv", "pvc", "sa", "rs", "sts", "deploy", "ds", "ev"}
    others |= {"ep", "hpa", "ing", "cj", "pdb", "sc", "crd", "crds", "csr", "netpol", "wl", "it"}
    ours = [resource.kind.short for resource in RESOURCES if resource.kind.short]
    assert len(ours) == len(set(ours))
    assert not others & set(ours)


def test_columns_show_what_exists() -> None:
    """A column of a field that is not in the schema would stay empty without a word."""
    for resource in RESOURCES:
        whole = crd.schema(resource)
        for column in resource.columns:
            if column.path.startswith(".metadata"):
                continue
            node = whole
            # One condition among several, by its type: the column shows a field of such an item.
            path = re.sub(r"\[\?\(@\.type=='\w+'\)\]", ".", column.path)
            for part in path.removeprefix(".").split("."):
                node = node["properties"][part] if part else node["items"]
            assert node["type" if "type" in node else "x-kubernetes-int-or-string"]


def test_a_list_of_modes_tells_them_apart() -> None:
    """At a glance: what is encrypted; with -o wide how."""
    (modes,) = [one for one in RESOURCES if one.kind.kind == "EncryptionMode"]
    glance = [column.path for column in modes.columns if not column.priority]
    assert {".spec.atRest.method", ".spec.inTransit.version", ".spec.columns.method"} <= set(glance)
    wide = {column.path for column in modes.columns if column.priority}
    assert {".spec.inTransit.cipherSuite", ".spec.atRest.volume.storageClassName"} <= wide
