"""What is kept of Secrets and ConfigMaps, which others write and which may be large."""

import base64
from typing import Any

import pytest

from encbench.admission.gather import gather
from encbench.admission.kept import LARGEST_SECRET, kept
from encbench.api.campaign import CampaignSpec
from encbench.api.kinds import (
    CAMPAIGN,
    CONFIG_MAP,
    ENCRYPTION_MODE,
    INSTANCE_TEMPLATE,
    SECRET,
    STORAGE_CLASS,
    WORKLOAD,
    Kind,
)
from encbench.cli.manifests import Manifests, Offline
from encbench.engines.external import unfit
from encbench.kube.labels import KEY, USE
from encbench.kube.secrets import entry
from encbench.ports import Body
from encbench.tools.sysbench.problems import LARGEST_SCRIPT
from tests.revisions.parts import PEM
from tests.support import manifests

SPACE = "bench"
MIB = 2**20


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def an_object(kind: Kind, name: str, **data: str) -> Body:
    meta = {"name": name, "namespace": SPACE, "labels": {USE: KEY, "x": "y"}}
    meta["annotations"] = {"large": "x" * 1000}
    return {"apiVersion": "v1", "kind": kind.kind, "metadata": meta, "data": data, "type": "Opaque"}


def test_the_mark_and_the_named_entries_are_kept() -> None:
    body = an_object(SECRET, "keys", a=encoded(b"1"), b=encoded(b"2"))
    assert kept(SECRET, body, ["a", "c"]) == {
        "kind": "Secret",
        "metadata": {"name": "keys", "namespace": SPACE, "labels": {USE: KEY}},
        "data": {"a": encoded(b"1")},
        "cut": [],
    }
    storage = {"metadata": {"name": "fast", "annotations": {"is-default": "true"}}}
    assert kept(STORAGE_CLASS, storage, []) == storage, "an administrator wrote it"


def test_a_long_script_is_still_too_long() -> None:
    body = an_object(CONFIG_MAP, "mine", **{"mine.lua": "x" * MIB})
    found = kept(CONFIG_MAP, body, ["mine.lua"])["data"]["mine.lua"]
    assert found == "x" * (LARGEST_SCRIPT + 1)


@pytest.mark.parametrize("shift", range(4))
def test_a_long_text_stays_a_text(shift: int) -> None:
    text = "x" * shift + "\N{EURO SIGN}" * 100_000
    found = entry(kept(SECRET, an_object(SECRET, "s", a=encoded(text.encode())), ["a"]), "a")
    assert found is not None
    assert text.startswith(found)
    assert 20_000 < len(found.encode()) < LARGEST_SECRET


@pytest.mark.parametrize("label", ["CERTIFICATE", "X509 CERTIFICATE"])
@pytest.mark.parametrize("shift", [0, 1, 300, 500, len(PEM) - 1])
def test_a_long_bundle_ends_with_a_whole_certificate(shift: int, label: str) -> None:
    bundle = "#" * shift + "\n" + PEM.replace("CERTIFICATE", label) * 108
    found = entry(kept(SECRET, an_object(SECRET, "s", a=encoded(bundle.encode())), ["a"]), "a")
    assert found is not None
    assert bundle.startswith(found)
    assert found.endswith(f"\n-----END {label}-----")
    assert len(found) > 20_000
    assert unfit("ca.crt", found) is None


def test_what_is_no_text_stays_none() -> None:
    for content in (b"\xff" * MIB, b"\xff", b"x" * MIB + b"\xff"):
        body = kept(SECRET, an_object(SECRET, "s", a=encoded(content)), ["a"])
        assert len(body["data"]["a"]) <= LARGEST_SECRET
        with pytest.raises(ValueError, match="utf-8"):
            entry(body, "a")


def test_lines_of_a_manifest_may_be_broken_and_entries_be_null() -> None:
    text = "x" * MIB
    wrapped = base64.encodebytes(text.encode()).decode()
    body = kept(SECRET, an_object(SECRET, "s", a=wrapped) | {}, ["a"])
    found = entry(body, "a")
    assert found is not None
    assert text.startswith(found)
    assert len(found) > 20_000
    for kind in (SECRET, CONFIG_MAP):
        null = {**an_object(kind, "s"), "data": {"a": None}}
        assert kept(kind, null, ["a"])["data"] == {}


async def test_a_campaign_s_objects_are_kept_so() -> None:
    def body(kind: Kind, name: str, **spec: Any) -> Body:
        return manifests.body(kind, name, SPACE, **spec)

    own = {"scriptConfigMapRef": {"name": "mine", "key": "mine.lua"}}
    at_rest = {"method": "engine", "keySecretRef": {"name": "keys", "key": "file"}}
    external = {"host": "h", "database": "d", "credentialsSecretRef": {"name": "login"}}
    login = {name: encoded(b"x" * MIB) for name in ("username", "password", "ca.crt", "other")}
    there = [
        manifests.body(CAMPAIGN, "study", SPACE),
        body(ENCRYPTION_MODE, "plain"),
        body(ENCRYPTION_MODE, "tde", atRest=at_rest),
        body(WORKLOAD, "oltp", sysbench=own),
        {
            **body(INSTANCE_TEMPLATE, "small"),
            "spec": {"engine": "mysql", "version": "8.0", "external": external},
        },
        an_object(CONFIG_MAP, "mine", **{"mine.lua": "x" * MIB, "other": "x" * MIB}),
        an_object(SECRET, "keys", file=encoded(b"1" * MIB), other=encoded(b"1" * MIB)),
        an_object(SECRET, "login", **login),
    ]
    bodies = {(one["kind"], SPACE, one["metadata"]["name"]): one for one in there}
    spec = CampaignSpec.model_validate(there[0]["spec"])
    found = await gather(Offline(Manifests(bodies)), SPACE, "study", spec)
    held = {key: one["data"] for key, one in found.objects.items()}
    assert {key: set(data) for key, data in held.items()} == {
        (CONFIG_MAP, "mine"): {"mine.lua"},
        (SECRET, "keys"): {"file"},
        (SECRET, "login"): {"username", "password", "ca.crt"},
    }
    assert sum(len(text) for data in held.values() for text in data.values()) < MIB / 2
