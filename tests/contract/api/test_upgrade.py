"""Objects outlive an upgrade of the CRDs from those of the first release, and the way back.

The first release is 0.1.0 of CHANGELOG.md. No tag marks it, so that its CRDs are kept in
`tests/data/releases`, with objects as they were written under them. An API server validates the
whole object in each write, also where only a status changes. A rule that today's CRDs have and
those had not would therefore stop the operator at objects of its own.
"""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from encbench.api.crd import FOLDER
from encbench.api.resources import BY_KIND, RESOURCES, problems
from tests.cluster.binaries import kubernetes
from tests.support.apiserver import REPOSITORY, ApiServer, running
from tests.support.kube import wait_for

RELEASES = REPOSITORY / "tests" / "data" / "releases"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
GROUP = "encbench.io/v1alpha1"
KINDS = {kind.kind: kind for kind in BY_KIND}
AS_USER = "?fieldManager=user&force=true"
APPLY, MERGE = "application/apply-patch+yaml", "application/merge-patch+json"
Manifest = dict[str, Any]


def first_release() -> list[Manifest]:
    text = (RELEASES / "crds-0.1.0.yaml").read_text(encoding="utf-8")
    found: list[Manifest] = yaml.load(text, Loader=yaml.CSafeLoader)
    return found


def today() -> list[Manifest]:
    paths = sorted((REPOSITORY / FOLDER).glob("*.yaml"))
    return [yaml.load(path.read_text(), Loader=yaml.CSafeLoader) for path in paths]


def written() -> list[Manifest]:
    text = (RELEASES / "objects-0.1.0.yaml").read_text(encoding="utf-8")
    return [*yaml.load_all(text, Loader=yaml.CSafeLoader)]


@pytest.fixture(scope="module")
def server() -> Iterator[ApiServer]:
    """An API server of its own, whose CRDs no other test needs."""
    if kubernetes() == "kubernetes-1.32":
        pytest.skip("its API server refuses the first release's CRDs as too expensive")
    with running() as one:
        one.install(first_release())
        yield one


def url(namespace: str, body: Manifest) -> str:
    plural = KINDS[body["kind"]].plural
    return f"/apis/{GROUP}/namespaces/{namespace}/{plural}/{body['metadata']['name']}"


def write(server: ApiServer, namespace: str) -> None:
    """Every object as a user or the operator wrote it, and its status as the operator did."""
    for body in written():
        here = url(namespace, body)
        collection = here.rpartition("/")[0]
        one = {key: value for key, value in body.items() if key != "status"}
        status, made = server.request("POST", f"{collection}?fieldValidation=Strict", one)
        assert status == 201, made
        if "status" in body:
            made["status"] = body["status"]
            code, answer = server.request("PUT", f"{here}/status?fieldValidation=Strict", made)
            assert code == 200, answer


def exchange(server: ApiServer, definitions: list[Manifest]) -> None:
    """Apply these CRDs over those that are there, and wait until they are in force."""
    for body in definitions:
        name = body["metadata"]["name"]
        path = f"{DEFINITIONS}/{name}?fieldManager=helm&force=true"
        status, answer = server.request("PATCH", path, body, APPLY)
        assert status == 200, answer
    wait_for("the new CRDs", lambda: _described(server) == _meant(definitions), 60, 0.2)


def _described(server: ApiServer) -> dict[str, Any]:
    """What the server says about each kind's spec; it says so after the schema is in force."""
    _, document = server.request("GET", f"/openapi/v3/apis/{GROUP}")
    found = {}
    for schema in document["components"]["schemas"].values():
        for meant in schema.get("x-kubernetes-group-version-kind", ()):
            if meant["group"] == "encbench.io" and "spec" in schema["properties"]:
                spec = schema["properties"]["spec"]
                found[meant["kind"]] = (spec.get("description"), {*spec.get("properties", ())})
    return found


def _meant(definitions: list[Manifest]) -> dict[str, Any]:
    found = {}
    for body in definitions:
        (version,) = body["spec"]["versions"]
        spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
        names = {*spec.get("properties", ())}
        found[body["spec"]["names"]["kind"]] = (spec.get("description"), names)
    return found


def contains(whole: Any, part: Any) -> bool:
    """Whether nothing of `part` is lost in `whole`, which may have defaults besides."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            value is None or (name in whole and contains(whole[name], value))
            for name, value in part.items()
        )
    if isinstance(part, list):
        return len(whole) == len(part) and all(map(contains, whole, part))
    return bool(whole == part)


def keep_working(server: ApiServer, namespace: str) -> None:
    """Each object still reads as it was, and takes what its user and the operator write."""
    for body in written():
        here, name = url(namespace, body), body["metadata"]["name"]
        status, live = server.request("GET", here)
        assert status == 200, (name, live)
        for part in ("spec", "status"):
            assert contains(live.get(part, {}), body.get(part, {})), (name, part, live)
        assert problems(KINDS[body["kind"]], live) == [], "today's operator reads it"
        one = {key: value for key, value in body.items() if key != "status"}
        status, applied = server.request("PATCH", f"{here}{AS_USER}", one, APPLY)
        assert status == 200, (name, applied)
        for answer in (applied, put(server, here, applied)):
            assert answer["metadata"]["generation"] == 1, f"{name}: no change of its spec"
        if "status" in live:
            seen = live["status"].get("observedGeneration", 0) + 1
            patch = {"status": {"observedGeneration": seen}}
            status, patched = server.request("PATCH", f"{here}/status", patch, MERGE)
            assert status == 200, (name, patched)
            assert patched["status"] == {**live["status"], "observedGeneration": seen}, name
            back = put(server, f"{here}/status", {**patched, "status": live["status"]})
            assert back["status"] == live["status"], name


def put(server: ApiServer, path: str, body: Manifest) -> Manifest:
    """Write an object back; its new state."""
    status, answer = server.request("PUT", path, body)
    assert status == 200, answer
    made: Manifest = answer
    return made


def delete(server: ApiServer, namespace: str) -> None:
    """Let go of each object as the operator does, by its finalizer, and delete it."""
    for body in written():
        here = url(namespace, body)
        for finalizers in (["encbench.io/test"], None):
            patch = {"metadata": {"finalizers": finalizers}}
            status, answer = server.request("PATCH", here, patch, MERGE)
            assert status == 200, answer
        status, answer = server.request("DELETE", here)
        assert status == 200, answer
        assert server.request("GET", here)[0] == 404


def test_the_objects_are_of_every_kind() -> None:
    assert {body["kind"] for body in written()} == {one.kind.kind for one in RESOURCES}
    with_status = {body["kind"] for body in written() if "status" in body}
    assert with_status == {one.kind.kind for one in RESOURCES if one.status is not None}


def test_objects_outlive_an_upgrade_and_the_way_back(server: ApiServer) -> None:
    for namespace in ("gone-after-upgrade", "kept"):
        write(server, server.namespace(namespace))
    exchange(server, today())
    for namespace in ("gone-after-upgrade", "kept"):
        keep_working(server, namespace)
    delete(server, "gone-after-upgrade")
    exchange(server, first_release())
    keep_working(server, "kept")
    delete(server, "kept")
