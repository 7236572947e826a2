"""Manifests as a cluster would hold them."""

import json
from pathlib import Path

import pytest

from encbench.api.kinds import (
    CAMPAIGN,
    CONFIG_MAP,
    ENCRYPTION_MODE,
    NAMESPACE,
    SECRET,
    STORAGE_CLASS,
)
from encbench.cli.manifests import Manifests, Offline, load
from encbench.cli.output import CommandError
from tests.support.fake_cluster import FakeCluster
from tests.support.manifests import body

MODE = "apiVersion: encbench.io/v1alpha1\nkind: EncryptionMode\nmetadata: {name: %s}\nspec: %s\n"


async def loaded(folder: Path, *texts: str) -> Manifests:
    files = []
    for number, text in enumerate(texts):
        path = folder / f"{number}.yaml"
        path.write_text(text)
        files.append(str(path))
    return await load(files, None, "bench")


async def test_documents_lists_and_folders(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"---\n{MODE % ('a', '{}')}---\n{MODE % ('b', '{}')}---\n")
    listed = '{"apiVersion": "v1", "kind": "List", "items": [%s]}'
    inner = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {}}'
    (tmp_path / "b.json").write_text(listed % inner)
    (tmp_path / "README.md").write_text("no manifest")
    found = await load([str(tmp_path)], None, "bench")
    assert [m["metadata"]["name"] for m in found.of(ENCRYPTION_MODE)] == ["a", "b"]
    assert [m["metadata"]["namespace"] for m in found.of(CONFIG_MAP)] == ["bench"]
    assert not found.refused


async def test_what_the_api_server_would_refuse_is_said_with_its_place(tmp_path: Path) -> None:
    found = await loaded(
        tmp_path,
        MODE % ("good", "{}"),
        MODE % ("bad", "{atRest: {method: magic}, more: 1}"),
        MODE % ("good", "{}"),
        "apiVersion: encbench.io/v1alpha1\nkind: Campain\nmetadata: {name: x}\n",
        "apiVersion: encbench.io/v2\nkind: Campaign\nmetadata: {name: x}\n",
    )
    said = {(r.name, Path(r.source).name): "\n".join(r.problems) for r in found.refused}
    assert "spec.atRest.method" in said["bad", "1.yaml"]
    assert "spec.more" in said["bad", "1.yaml"]
    assert "another object has this kind and name" in said["good", "2.yaml"]
    assert "there is no kind Campain" in said["x", "3.yaml"]
    assert "there is no kind Campaign in encbench.io/v2" in said["x", "4.yaml"]
    assert len(found.of(ENCRYPTION_MODE)) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "is not YAML"),
        ("just words", "is not an object"),
        ("kind: X\nmetadata: {name: y}\n", "has no apiVersion"),
        ("apiVersion: v1\nmetadata: {name: y}\n", "has no kind"),
        ("apiVersion: v1\nkind: ConfigMap\n", "has no metadata.name"),
        ("---\n", "the files contain no object"),
        ("a: !!timestamp 2026-02-30\n", "is not YAML"),
        ((MODE % ("a", "{}")) + "more: {? !!timestamp 2026-02-28 : x}\n", "JSON cannot hold"),
        ((MODE % ("a", "&own {more: *own}")), "JSON cannot hold"),
    ],
)
async def test_what_is_no_manifest_is_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=said):
        await loaded(tmp_path, text)


@pytest.mark.parametrize(("start", "kept"), [("night-", "night-"), ("n" * 70, "n" * 58)])
async def test_a_name_that_the_api_server_draws_is_stood_in_for(
    start: str, kept: str, tmp_path: Path
) -> None:
    """As in what `kubectl create` takes, which may draw several after the same letters."""
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{generateName: {start}}}\n"
    found = await loaded(tmp_path, f"{text}---\n{text}")
    names = {body["metadata"]["name"] for body in found.of(CONFIG_MAP)}
    assert len(names) == 2
    assert all(name.startswith(kept) and len(name) == len(kept) + 5 for name in names)


async def test_words_are_what_kubectl_takes_them_for(tmp_path: Path) -> None:
    values = "{a: 2026-02-28, b: 2026-02-30, 2026-03-01: c, d: 5e-2, e: .5E+1, f: '5e-2', g: 1e}"
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: %s\n"
    (found,) = (await loaded(tmp_path, text % values)).of(CONFIG_MAP)
    assert found["data"] == {
        "a": "2026-02-28",
        "b": "2026-02-30",
        "2026-03-01": "c",
        "d": 0.05,
        "e": 5.0,
        "f": "5e-2",
        "g": "1e",
    }


async def test_json_may_have_tabs(tmp_path: Path) -> None:
    indented = json.dumps(body(CAMPAIGN, "study", "bench"), indent="\t")
    assert len((await loaded(tmp_path, indented)).of(CAMPAIGN)) == 1


async def test_a_folder_that_may_not_be_read_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: Path) -> list[Path]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refused)
    with pytest.raises(CommandError, match=f"cannot read {tmp_path}: Permission denied"):
        await load([str(tmp_path)], None, "bench")


async def test_a_secret_s_plain_text_is_there_as_data(tmp_path: Path) -> None:
    text = "apiVersion: v1\nkind: Secret\nmetadata: {name: k}\nstringData: {keyfile: '1;ab'}\n"
    found = await loaded(tmp_path, text)
    assert found.of(SECRET)[0]["data"] == {"keyfile": "MTthYg=="}


async def test_the_cluster_fills_in_what_the_manifests_lack(tmp_path: Path) -> None:
    found = await loaded(tmp_path, MODE % ("mine", "{}"))
    live = FakeCluster()
    live.add(ENCRYPTION_MODE, body(ENCRYPTION_MODE, "theirs", "bench"))
    for cluster, known in ((Offline(found), False), (Offline(found, live), True)):
        assert await cluster.get(ENCRYPTION_MODE, "bench", "mine") is not None
        assert (await cluster.get(ENCRYPTION_MODE, "bench", "theirs") is not None) is known
        assert await cluster.get(ENCRYPTION_MODE, "other", "mine") is None


async def test_what_is_in_no_namespace_is_found_without_one(tmp_path: Path) -> None:
    fast = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\n"
    space = "apiVersion: v1\nkind: Namespace\nmetadata: {name: bench}\n"
    offline = Offline(await loaded(tmp_path, fast, space))
    assert await offline.get(STORAGE_CLASS, "", "fast") is not None
    assert await offline.get(STORAGE_CLASS, "", "slow") is None
    assert await offline.get(NAMESPACE, "", "bench") is not None


@pytest.mark.parametrize("empty", ["null", "''"])
async def test_an_empty_namespace_is_none(empty: str, tmp_path: Path) -> None:
    named = f"{{name: mine, namespace: {empty}}}"
    found = await loaded(tmp_path, (MODE % ("mine", "{}")).replace("{name: mine}", named))
    assert await Offline(found).get(ENCRYPTION_MODE, "bench", "mine") is not None


async def test_the_status_of_a_file_is_not_the_campaign_s(tmp_path: Path) -> None:
    """As `kubectl get campaign -o yaml` writes it: a plan would take it for an accepted one."""
    accepted = {**body(CAMPAIGN, "study", "bench"), "status": {"resolved": {"instances": {}}}}
    found = await loaded(tmp_path, json.dumps(accepted))
    assert not found.refused
    assert "status" not in found.of(CAMPAIGN)[0]


async def test_a_plan_only_reads(tmp_path: Path) -> None:
    offline = Offline(await loaded(tmp_path, MODE % ("mine", "{}")), FakeCluster())
    assert {name for name in dir(offline) if not name.startswith("_")} == {"get"}


async def test_kustomize_needs_kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandError, match="kubectl is not on the PATH"):
        await load([], str(tmp_path), "bench")
    kubectl = tmp_path / "kubectl"
    kubectl.write_text("#!/bin/sh\necho 'no kustomization file' >&2; exit 1\n")
    kubectl.chmod(0o755)
    with pytest.raises(CommandError, match=r"kubectl kustomize .*: no kustomization file"):
        await load([], str(tmp_path), "bench")
