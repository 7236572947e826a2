"""What is released: a commit whose files say the version, and its part of the changelog."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import yaml

from encbench import __version__
from tests.cluster.console import ClusterError

from .oci import About

REPO = Path(__file__).resolve().parents[2]
_KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")


def released(version: str) -> About:
    """The commit that is checked out, if it is that version and nothing is changed."""
    changed = _git("status", "--porcelain")
    if changed:
        files = ", ".join(line[3:] for line in changed.splitlines()[:3])
        raise ClusterError(f"a release is of a commit; commit or remove {files}")
    chart = yaml.safe_load((REPO / "charts/encbench/Chart.yaml").read_text(encoding="utf-8"))
    said = {
        "operator/encbench/__init__.py": __version__,
        "charts/encbench/Chart.yaml (version)": chart["version"],
        "charts/encbench/Chart.yaml (appVersion)": chart["appVersion"],
    }
    for file, other in said.items():
        if other != version:
            raise ClusterError(f"{file} says {other}: write {version} there, and commit")
    commit = _git("rev-parse", "HEAD")
    tagged = _git("for-each-ref", "--format=%(objectname)%(*objectname)", f"refs/tags/v{version}")
    if tagged and not tagged.endswith(commit):
        raise ClusterError(
            f"v{version} is the tag of another commit: check that one out, or release the next "
            "version"
        )
    changes(version, (REPO / "CHANGELOG.md").read_text(encoding="utf-8"))
    return About(version, commit, int(_git("log", "-1", "--format=%ct")))


def changes(version: str, changelog: str) -> list[tuple[str, str]]:
    """Kind and text of each change, from the version's section of a kept changelog."""
    head = re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changelog, re.M)
    if head is None:
        raise ClusterError(f"CHANGELOG.md has no section '## [{version}] - YYYY-MM-DD'")
    section = re.split(r"^## ", changelog[head.end() :], maxsplit=1, flags=re.M)[0]
    return list(_entries(section))


def _entries(section: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^### ", section, flags=re.M)[1:]:
        kind, _, text = part.partition("\n")
        if kind.strip() not in _KINDS:
            raise ClusterError(f"CHANGELOG.md: '### {kind}' is none of {', '.join(_KINDS)}")
        for item in re.split(r"^- ", text, flags=re.M)[1:]:
            yield kind.strip().lower(), " ".join(item.split())


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=REPO, check=True, capture_output=True, text=True)
    return done.stdout.strip()
