"""The plugin's archives: what is in them, what finds it, and the chart's package."""

import platform
import subprocess
import sys
import tarfile
from importlib.metadata import requires
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from tests.release import archive, chart
from tests.release.__main__ import _parser
from tests.release.oci import About
from tests.release.plugin import COMPILED, PLATFORMS, PURE, PYTHONS, krew_manifest, locked
from tests.release.source import REPO
from tests.support.chart import Rendered, render

ABOUT = About("1.2.0", "c0ffee", 1_700_000_000)
LAUNCHER = REPO / "tests/release/kubectl-encbench.sh"
MAIN = """
import os, sys, compiled, pydantic_core

def program():
    print(compiled.answer, *sys.argv[1:], os.environ.get("PYTHONPATH"))
    sys.exit(3)
"""


def test_it_has_all_that_the_plugin_needs() -> None:
    import tomllib

    project = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed, left = set[str](), [Requirement(text) for text in project["dependencies"]]
    while left:
        one = left.pop()
        if one.name not in needed and (one.marker is None or one.marker.evaluate({"extra": ""})):
            needed.add(one.name)
            left += [Requirement(text) for text in requires(one.name) or ()]
    assert {name.replace("_", "-") for name in needed} == {*PURE, *COMPILED}


def test_each_library_is_pinned_with_its_hashes() -> None:
    for name in (*PURE, *COMPILED):
        lines = locked([name])
        assert lines.startswith(f"{name}==")
        assert "--hash=sha256:" in lines


def test_the_manifest_names_each_platform(tmp_path: Path) -> None:
    names = [f"kubectl-encbench-1.2.0-{system}-{machine}.tar.gz" for system, machine in PLATFORMS]
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
    files = [tmp_path / name for name in names]
    spec = krew_manifest(files, "https://example.com/1.2.0", ABOUT)["spec"]
    assert spec["version"] == "v1.2.0"
    selected = [tuple(one["selector"]["matchLabels"].values()) for one in spec["platforms"]]
    assert selected == list(PLATFORMS)
    assert [one["uri"] for one in spec["platforms"]] == [
        f"https://example.com/1.2.0/{name}" for name in names
    ]


def test_without_a_url_none_is_made_up() -> None:
    """By it, krew would ask a server that is not the project's."""
    assert _parser().parse_args(["1.2.0"]).url is None


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """An installation as krew leaves it: an archive unpacked, and a link to its launcher."""
    store, links = tmp_path / "store", tmp_path / "bin"
    own = store / f"lib/cp{sys.version_info.major}{sys.version_info.minor}"
    own.mkdir(parents=True)
    (own / "compiled.py").write_text("answer = 'compiled'")
    (own / "pydantic_core.py").write_text("")
    package = store / "lib/common/encbench/cli"
    package.mkdir(parents=True)
    (package / "main.py").write_text(MAIN)
    (store / "kubectl-encbench").write_text(LAUNCHER.read_text())
    (store / "kubectl-encbench").chmod(0o755)
    links.mkdir()
    (links / "kubectl-encbench").symlink_to("../store/kubectl-encbench")
    return links / "kubectl-encbench"


def run(program: Path, path: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(program), "plan", "a b"]
    return subprocess.run(
        command, env={"PATH": path}, cwd=cwd, capture_output=True, text=True, check=False
    )


def shell(folder: Path) -> Path:
    """A folder for the PATH with what the launcher runs, and no Python."""
    tools = folder / "tools"
    tools.mkdir()
    for name in ("sh", "readlink", "dirname", "uname"):
        (tools / name).symlink_to(f"/usr/bin/{name}")
    return tools


def write_python(program: Path, setting: str) -> None:
    """A Python that has one more variable in its environment."""
    program.write_text(f'#!/bin/sh\n{setting} exec {sys.executable} "$@"\n')
    program.chmod(0o755)


def test_the_launcher_finds_its_libraries_through_a_link(unpacked: Path) -> None:
    done = run(unpacked, "/usr/bin:/bin")
    assert (done.stdout, done.returncode) == ("compiled plan a b None\n", 3), done.stderr


def test_the_launcher_imports_nothing_from_the_current_folder(
    unpacked: Path, tmp_path: Path
) -> None:
    for name in ("encbench.py", "compiled.py", "argparse.py", "pydantic_core.py"):
        (tmp_path / name).write_text("raise SystemExit('from the current folder')")
    done = run(unpacked, "/usr/bin:/bin", tmp_path)
    assert done.returncode == 3, done.stderr


def test_without_a_python_the_launcher_says_so(unpacked: Path, tmp_path: Path) -> None:
    done = run(unpacked, str(shell(tmp_path)))
    assert done.returncode == 1
    needed = f"needs Python 3.11, 3.12, 3.13 or 3.14 for {platform.machine()} on the PATH\n"
    assert done.stderr == f"kubectl encbench {needed}"


def test_the_launcher_passes_over_a_python_of_another_machine(
    unpacked: Path, tmp_path: Path
) -> None:
    """As an Intel Mac's, first on the PATH, that cannot load what is compiled for Apple silicon."""
    (library,) = (tmp_path / "store/lib").glob("cp*/pydantic_core.py")
    library.write_text("import os\nif os.environ['RUN_AS'] == 'python3': import of_another_machine")
    tools = shell(tmp_path)
    for name in ("python3", f"python3.{sys.version_info.minor}"):
        write_python(tools / name, f"RUN_AS={name}")
    done = run(unpacked, str(tools))
    assert (done.stdout, done.stderr) == ("compiled plan a b None\n", "")


def test_the_launcher_takes_no_libraries_of_another_installation(
    unpacked: Path, tmp_path: Path
) -> None:
    (own,) = (tmp_path / "store/lib").glob("cp*")
    elsewhere = own.rename(tmp_path / "elsewhere")
    tools = shell(tmp_path)
    write_python(tools / "python3", f"PYTHONPATH={elsewhere}")
    assert "needs Python" in run(unpacked, str(tools)).stderr


def test_the_supported_pythons_begin_with_the_least() -> None:
    text = (REPO / "pyproject.toml").read_text(encoding="utf-8")
    assert f'requires-python = ">={PYTHONS[0]}"' in text
    for python in PYTHONS:
        assert f"python{python}" in LAUNCHER.read_text(), "the launcher looks for it"


def test_an_archive_keeps_order_and_rights_and_has_one_time(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("x")
    program.chmod(0o755)
    archive.pack(tmp_path / "a.tar.gz", {"b": b"text", "a": program}, 5)
    archive.pack(tmp_path / "b.tar.gz", {"a": program, "b": b"text"}, 5)
    assert (tmp_path / "a.tar.gz").read_bytes() == (tmp_path / "b.tar.gz").read_bytes()
    with tarfile.open(tmp_path / "a.tar.gz") as tar:
        assert [(one.name, one.mode, one.mtime) for one in tar] == [
            ("a", 0o755, 5),
            ("b", 0o644, 5),
        ]


def test_the_packaged_chart_installs_the_same(tmp_path: Path) -> None:
    told = [("added", "A thing.")]
    one = chart.write(tmp_path, told, {"encbench/operator:1.2.0": ["amd64", "arm64"]}, ABOUT)
    content = one.read_bytes()
    chart.write(tmp_path, told, {"encbench/operator:1.2.0": ["amd64", "arm64"]}, ABOUT)
    assert one.read_bytes() == content, "equal when packaged again"
    packaged: Rendered = render(chart=one)
    assert len(packaged.manifests) == len(render().manifests)
    with tarfile.open(one) as tar:
        assert {"encbench/LICENSE", "encbench/NOTICE"} <= set(tar.getnames())
        file = tar.extractfile("encbench/Chart.yaml")
        assert file is not None
        notes = yaml.safe_load(file.read())["annotations"]
    assert yaml.safe_load(notes["artifacthub.io/changes"]) == [
        {"kind": "added", "description": "A thing."}
    ]
    assert yaml.safe_load(notes["artifacthub.io/images"]) == [
        {
            "name": "operator",
            "image": "encbench/operator:1.2.0",
            "platforms": ["linux/amd64", "linux/arm64"],
        }
    ]
