"""A release's version and changelog, as the files of the commit say them."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from encbench import __version__
from encbench.admission.images import Images
from tests.cluster.console import ClusterError
from tests.release import source
from tests.release.__main__ import check_free, tag
from tests.release.build import IMAGES
from tests.release.oci import About
from tests.release.source import REPO, changes
from tests.support.chart import render
from tests.support.testbeds import spec_of_testbed
from tests.unit.chart.contents import operator_arguments

CHANGELOG = """\
# Changelog

## [Unreleased]

### Added

- Not this.

## [1.2.0] - 2026-11-23

### Added

- A thing, with
  two lines.
- Another.

### Fixed

- A fault.

## [1.1.0] - 2026-10-01

### Added

- Not this.
"""


def test_the_section_of_a_version() -> None:
    assert changes("1.2.0", CHANGELOG) == [
        ("added", "A thing, with two lines."),
        ("added", "Another."),
        ("fixed", "A fault."),
    ]


@pytest.mark.parametrize("version", ["1.3.0", "1.2", "Unreleased"])
def test_a_version_without_a_section_is_no_release(version: str) -> None:
    with pytest.raises(ClusterError, match=rf"no section '## \[{version}\] - YYYY-MM-DD'"):
        changes(version, CHANGELOG)


def test_a_kind_of_change_that_is_none() -> None:
    with pytest.raises(ClusterError, match="'### New' is none of"):
        changes("1.2.0", CHANGELOG.replace("### Fixed", "### New"))


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A checkout of this version in git."""
    for file in ("charts/encbench/Chart.yaml", "CHANGELOG.md"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPO / file, tmp_path / file)
    monkeypatch.setattr(source, "REPO", tmp_path)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message=one")
    yield tmp_path


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True)


@pytest.mark.parametrize(
    "options", [("--annotate", "--message=it"), ()], ids=["annotated", "light"]
)
def test_a_tag_of_another_commit_is_in_the_way(checkout: Path, options: tuple[str, ...]) -> None:
    git(checkout, "tag", "v9.9.9")
    git(checkout, "tag", *options, f"v{__version__}")
    assert source.released(__version__).version == __version__
    git(checkout, "commit", "--quiet", "--allow-empty", "--message=two")
    with pytest.raises(ClusterError, match=f"v{__version__} is the tag of another commit"):
        source.released(__version__)


def test_a_folder_of_another_commit_is_in_the_way(tmp_path: Path) -> None:
    about = About("1.2.0", "c0ffee", 1)
    check_free(tmp_path, about)
    for version, commit in (("1.2.0", "c0ffee"), ("1.1.0", "f00d")):
        (tmp_path / "index.json").write_text(f'{{"version": "{version}", "commit": "{commit}"}}')
        check_free(tmp_path, about)
    (tmp_path / "index.json").write_text('{"version": "1.2.0", "commit": "f00d"}')
    with pytest.raises(ClusterError, match=r"is of commit f00d.*--replace"):
        check_free(tmp_path, about)


def test_this_repositorys_changelog_is_kept() -> None:
    text = (REPO / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[([^\]]+)\]", text, re.M)
    assert versions[0] == "Unreleased"
    for version in versions[1:]:
        assert changes(version, text), version


def test_the_chart_is_of_the_same_version() -> None:
    chart = yaml.safe_load((REPO / "charts/encbench/Chart.yaml").read_text(encoding="utf-8"))
    assert chart["version"] == chart["appVersion"] == __version__


@pytest.mark.parametrize("page", ["README.md", "docs/quickstart.md", "docs/install.md"])
def test_documents_name_the_version_that_can_be_built(page: str) -> None:
    text = (REPO / page).read_text(encoding="utf-8")
    assert set(re.findall(r"make release VERSION=([\d.]+\d)", text)) == {__version__}


def test_builds_by_hand_make_the_images_of_this_version() -> None:
    """Without a registry before it, a name is one of Docker Hub's, which is not the project's."""
    found = set[str]()
    for file in (REPO / "images").glob("*/Containerfile"):
        text = file.read_text(encoding="utf-8")
        for name, said in re.findall(r"(?:--tag |from=\S+/)encbench/([\w-]+):(\S+)", text):
            assert said == tag(name, __version__), file
            found.add(name)
        assert "from=encbench/" not in text, file
    assert found == {"confidential-proxy", "operator", "postgresql", "tpcc", "turnstile"}


def test_a_release_has_the_images_that_its_chart_names() -> None:
    rendered = render({"privilegedVolumes": {"enabled": True}})
    args = operator_arguments(rendered)
    named = {container["image"] for _, container in rendered.containers()}
    named |= {args.image, args.volume_image, args.proxy_image, args.turnstile_image}
    named |= {image for _, image in args.tool_image}
    ours = {image.removeprefix("docker.io/") for image in named}
    template = spec_of_testbed(engine="postgresql", version="15", image=None).instance
    with_types = Images.chosen(args.server_image, ()).with_server(template, enclave=True)
    ours.add((with_types.image or "").removeprefix("docker.io/"))
    assert ours == {f"encbench/{name}:{tag(name, __version__)}" for name in IMAGES}


@pytest.mark.parametrize("name", IMAGES)
def test_no_image_has_one_name_in_two_releases(name: str) -> None:
    """Nodes keep an image under its name and do not ask for it again."""
    assert tag(name, "1.2.3") != tag(name, "1.2.4")
