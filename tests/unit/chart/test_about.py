"""What the chart says about itself: README, Artifact Hub's metadata, and the pages about it."""

import re
import shutil
from pathlib import Path

import yaml
from prometheus_client.parser import text_string_to_metric_families

from encbench.api.base import GROUP, VERSION
from encbench.api.resources import RESOURCES
from tests.chart_readme import README, readme, values
from tests.support.chart import CHART, NAMESPACE, RELEASE, REPO, Rendered, render
from tests.support.metered import metered
from tests.unit.chart.variants import EXTERNAL

OPERATING = (REPO / "docs" / "operating.md").read_text(encoding="utf-8")


def test_each_value_is_listed_with_its_comment_and_default() -> None:
    text = """\
# The file.

# Some parts.
parts:
  # How many: 1 or
  # more.
  number: 3
  names:
    - a
  none: {}
quiet:
  is: true   # so it is
"""
    assert [(".".join(one.path), one.text, one.default) for one in values(text)] == [
        ("parts", "Some parts.", None),
        ("parts.number", "How many: 1 or more.", "3"),
        ("parts.names", "", '["a"]'),
        ("parts.none", "", "{}"),
        ("quiet.is", "", "true"),
    ]


def test_the_readme_has_the_table_of_values() -> None:
    assert README.read_text(encoding="utf-8") == readme(), "run python -m tests.chart_readme"


def test_artifact_hub_knows_all_kinds() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    listed = yaml.safe_load(chart["annotations"]["artifacthub.io/crds"])
    assert [(one["kind"], one["name"], one["version"], one["description"]) for one in listed] == [
        (it.kind.kind, f"{it.kind.plural}.{GROUP}", VERSION, it.description) for it in RESOURCES
    ]


def test_all_metrics_are_documented() -> None:
    families = text_string_to_metric_families(metered().exposition().decode())
    ours = {family.name for family in families if family.name.startswith("encbench_")}
    told = set(re.findall(r"`(encbench_[a-z_]+)`", OPERATING))
    names = {name.removesuffix("_total").removesuffix("_info") for name in told}
    assert names == {name.removesuffix("_info") for name in ours}


def test_all_short_names_are_documented() -> None:
    told = dict(re.findall(r"\| ([A-Za-z]+) \| `([a-z]+)` \|", OPERATING))
    assert told == {it.kind.kind: it.kind.short for it in RESOURCES}


def test_the_notes_say_where_images_come_from_until_a_registry_is_set(tmp_path: Path) -> None:
    """Helm renders notes for a cluster only, so they are a template of a copy here."""
    copy = tmp_path / "encbench"
    shutil.copytree(CHART, copy)
    notes = (copy / "templates" / "NOTES.txt").read_text(encoding="utf-8")
    (copy / "templates" / "_notes.tpl").write_text(
        '{{- define "notes" -}}' + notes + "{{- end -}}", encoding="utf-8"
    )
    (copy / "templates" / "notes.yaml").write_text(
        'kind: Notes\nmetadata: {}\ntext: {{ include "notes" . | quote }}\n', encoding="utf-8"
    )
    for given, warned in (
        ({}, True),
        ({"global": {"imageRegistry": "docker.io"}}, True),
        ({"global": {"imageRegistry": "registry.example.com/mirror"}}, False),
        ({"image": {"repository": "registry.example.com/encbench/operator"}}, False),
    ):
        (said,) = render(given, copy).all("Notes")
        assert ("set global.imageRegistry" in said["text"]) is warned, given
        assert ("delete pod bench-encbench-minio-0" in said["text"]) is warned, given
    (said,) = render({**EXTERNAL}, copy).all("Notes")
    assert "set global.imageRegistry" in said["text"]
    assert "minio-0" not in said["text"]


def test_what_a_deleted_namespace_leaves_is_removed_by_the_documented_commands(
    any_variant: Rendered,
) -> None:
    text = (REPO / "docs" / "install.md").read_text(encoding="utf-8").replace("\\\n", "")
    given = re.findall(r"(?m)^kubectl delete -l (\S+) +(--all-namespaces )?(\S+)$", text)
    kinds: dict[bool, set[str]] = {False: set(), True: set()}
    for _, wide, named in given:
        kinds[bool(wide)] |= {*named.split(",")}
    (selector,) = {one for one, _, _ in given}
    wanted = {
        **dict(pair.split("=") for pair in selector.split(",")),
        "app.kubernetes.io/instance": RELEASE,
    }
    for body in any_variant.manifests:
        space, kind = body["metadata"].get("namespace"), body["kind"].lower()
        if space == NAMESPACE or kind == "customresourcedefinition":
            continue
        plural = f"{kind.removesuffix('y')}ies" if kind.endswith("y") else f"{kind}s"
        assert plural in kinds[space is not None], (kind, space)
        assert wanted.items() <= body["metadata"]["labels"].items()
