"""`kubectl encbench` as a wheel for pip, and as archives for krew.

krew unpacks an archive and puts one link on the PATH. It runs nothing, so that an archive has all
libraries: those in Python once, and those in C for each version of Python, of which the launcher
takes that of the user's.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import yaml

from tests.cluster.console import ClusterError

from . import archive
from .oci import About
from .source import REPO

PURE: Final = (
    "annotated-types",
    "botocore",
    "jmespath",
    "pydantic",
    "python-dateutil",
    "six",
    "typing-extensions",
    "typing-inspection",
    "urllib3",
)
COMPILED: Final = ("pydantic-core", "pyyaml")
PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS: Final = {
    ("linux", "amd64"): ("manylinux2014_x86_64", "manylinux_2_17_x86_64", "manylinux_2_28_x86_64"),
    ("linux", "arm64"): (
        "manylinux2014_aarch64",
        "manylinux_2_17_aarch64",
        "manylinux_2_28_aarch64",
    ),
    ("darwin", "amd64"): ("macosx_11_0_x86_64",),
    ("darwin", "arm64"): ("macosx_11_0_arm64",),
}
"""By the names of krew: what pip calls the platforms whose libraries run there."""
AWS: Final = ("s3", "sts")
"""Services that the store and the credentials of a role need; others are left out."""
_LAUNCHER: Final = Path(__file__).with_name("kubectl-encbench.sh")


def wheel(folder: Path, about: About) -> Path:
    """The wheel; what builds it is locked too."""
    with tempfile.TemporaryDirectory() as scratch:
        source, tools = Path(scratch) / "source", Path(scratch) / "tools"
        # A build leaves files beside its source.
        shutil.copytree(
            REPO / "operator/encbench",
            source / "operator/encbench",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        for name in ("pyproject.toml", "LICENSE", "NOTICE"):
            shutil.copy2(REPO / name, source)
        _run(sys.executable, "-m", "venv", str(tools))
        pip = (str(tools / "bin/python"), "-m", "pip", "--disable-pip-version-check", "--quiet")
        lock = str(REPO / "operator/requirements-build.lock")
        _run(*pip, "install", "--require-hashes", "--no-deps", "-r", lock)
        build = (*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index")
        _run(*build, "--wheel-dir", str(folder), str(source), epoch=about.epoch)
    (made,) = folder.glob("*.whl")
    return made


def krew(folder: Path, wheel_file: Path, about: About) -> list[Path]:
    """An archive for each platform."""
    made = []
    with tempfile.TemporaryDirectory() as scratch:
        common = Path(scratch) / "common"
        _install(common, locked(PURE))
        _run(*_pip(common), "--no-index", str(wheel_file))
        for service in (common / "botocore/data").iterdir():
            if service.is_dir() and service.name not in AWS:
                shutil.rmtree(service)
        for (system, machine), tags in PLATFORMS.items():
            target = folder / f"kubectl-encbench-{about.version}-{system}-{machine}.tar.gz"
            files: dict[str, Path | bytes] = {
                "kubectl-encbench": _LAUNCHER,
                "LICENSE": REPO / "LICENSE",
                "NOTICE": REPO / "NOTICE",
                **archive.below(common, "lib/common"),
            }
            for python in PYTHONS:
                own = Path(scratch) / system / machine / python
                chosen = [word for tag in tags for word in ("--platform", tag)]
                version = ("--implementation", "cp", "--python-version", python)
                _install(own, locked(COMPILED), *chosen, *version)
                files |= archive.below(own, f"lib/cp{python.replace('.', '')}")
            archive.pack(target, _without_programs(files), about.epoch)
            made.append(target)
    return made


def _without_programs(files: dict[str, Path | bytes]) -> dict[str, Path | bytes]:
    """Programs that pip makes name the Python of this machine."""
    return {name: file for name, file in files.items() if not re.match(r"lib/\w+/bin/", name)}


def write_manifest(folder: Path, archives: Iterable[Path], url: str, about: About) -> None:
    """Krew's manifest of the archives, which lie below `url`."""
    text = yaml.safe_dump(krew_manifest(archives, url, about), sort_keys=False, width=1000)
    (folder / "encbench.yaml").write_text(text)


def krew_manifest(archives: Iterable[Path], url: str, about: About) -> dict[str, Any]:
    platforms = []
    for file in archives:
        system, machine = file.name.removesuffix(".tar.gz").split("-")[-2:]
        platforms.append(
            {
                "selector": {"matchLabels": {"os": system, "arch": machine}},
                "uri": f"{url}/{file.name}",
                "sha256": archive.digest(file),
                "bin": "kubectl-encbench",
            }
        )
    return {
        "apiVersion": "krew.googlecontainertools.github.com/v1alpha2",
        "kind": "Plugin",
        "metadata": {"name": "encbench"},
        "spec": {
            "version": f"v{about.version}",
            "shortDescription": "Measures what database encryption costs",
            "description": (
                "Plans, watches and compares campaigns of encbench, an operator that measures what "
                "database encryption costs, and fetches their reports.\n"
            ),
            "caveats": "Needs Python 3.11 or later on the PATH.\n",
            "platforms": platforms,
        },
    }


def locked(names: Iterable[str]) -> str:
    """The lines of the operator's lock that pin these, with their hashes."""
    lock = (REPO / "operator/requirements.lock").read_text(encoding="utf-8")
    lines = []
    for name in names:
        found = re.search(rf"^{name}==\S+ \\\n(?:    --hash=\S+(?: \\)?\n)+", lock, re.M)
        if found is None:
            raise ClusterError(f"operator/requirements.lock does not pin {name}")
        lines.append(found[0])
    return "".join(lines)


def _pip(target: Path) -> tuple[str, ...]:
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install")
    return (*pip, "--no-deps", "--no-compile", "--only-binary=:all:", "--target", str(target))


def _install(target: Path, requirements: str, *options: str) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(requirements)
        file.flush()
        _run(*_pip(target), "--require-hashes", *options, "-r", file.name)


def _run(*command: str, epoch: int | None = None) -> None:
    more = {} if epoch is None else {"SOURCE_DATE_EPOCH": str(epoch)}
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, env=own | more, capture_output=True, text=True, check=False, timeout=600
    )
    if done.returncode != 0:
        raise ClusterError(f"'{' '.join(command)}' failed: {done.stderr.strip()[-1000:]}")
