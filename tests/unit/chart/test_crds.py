"""The CRDs that the chart installs: those of crds/, which it has by a link, and no others."""

import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from encbench.api import crd
from encbench.api.resources import RESOURCES
from tests.support.chart import CHART, REPO, Manifest, Refused, Rendered, package, render

FILES = {path.name: path.read_bytes() for path in (REPO / crd.FOLDER).iterdir()}


def crds(rendered: Rendered) -> dict[str, Manifest]:
    """The rendered CRDs by name; an error if two have the same."""
    found = rendered.all("CustomResourceDefinition")
    by_name = {body["metadata"]["name"]: body for body in found}
    assert len(by_name) == len(found)
    return by_name


def expected(keep: bool) -> dict[str, Manifest]:
    """What must be rendered, from the files and, without a detour, from the models."""
    made = {name: yaml.load(text, Loader=yaml.CSafeLoader) for name, text in FILES.items()}
    by_name: dict[str, Any] = {body["metadata"]["name"]: body for body in made.values()}
    models = [crd.definition(resource) for resource in RESOURCES]
    assert by_name == {body["metadata"]["name"]: body for body in models}
    if keep:
        for body in by_name.values():
            body["metadata"]["annotations"] = {"helm.sh/resource-policy": "keep"}
    return by_name


@pytest.mark.parametrize("keep", [True, False])
def test_helm_renders_what_the_folder_has(keep: bool) -> None:
    assert crds(render({"crds": {"keep": keep}})) == expected(keep)


def test_helm_can_leave_them_out() -> None:
    assert crds(render({"crds": {"install": False}})) == {}


def test_a_packaged_chart_has_them(tmp_path: Path) -> None:
    archive = package(tmp_path)
    with tarfile.open(archive) as packed:
        inside = [name for name in packed.getnames() if "/files/crds/" in name]
        content = {Path(name).name: packed.extractfile(name) for name in inside}
        assert {name: file.read() for name, file in content.items() if file} == FILES
    assert crds(render(chart=archive)) == expected(keep=True)


def copied(tmp_path: Path) -> Path:
    """A copy of the chart with files in place of the link."""
    return Path(shutil.copytree(CHART, tmp_path / "chart"))


def test_braces_are_not_taken_for_templates(tmp_path: Path) -> None:
    chart = copied(tmp_path)
    text = (REPO / crd.FOLDER / "trials.encbench.io.yaml").read_text()
    braces = text.replace("description: Trial.", "description: '{{ fail }}.'")
    assert braces != text
    (chart / "files/crds/trials.encbench.io.yaml").write_text(braces)
    kind = crds(render(chart=chart))["trials.encbench.io"]["spec"]["versions"][0]
    properties = kind["schema"]["openAPIV3Schema"]["properties"]
    assert properties["kind"]["description"] == "{{ fail }}."


def test_a_chart_without_its_link_is_refused(tmp_path: Path) -> None:
    """As a checkout without symbolic links has it: a file that holds the link's target."""
    chart = copied(tmp_path)
    shutil.rmtree(chart / "files/crds")
    (chart / "files/crds").write_text("../../../crds")
    with pytest.raises(
        Refused, match=r"must be a link to the repository's crds/.* Flux .*packaged"
    ):
        render(chart=chart)
    assert crds(render({"crds": {"install": False}}, chart)) == {}
