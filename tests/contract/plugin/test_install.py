"""What `pipx install .` puts on a laptop: how much, and whether it works alone."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

KUSTOMIZE = "kustomization"
REPO = Path(__file__).resolve().parents[3]


def run(*command: str | Path, cwd: Path = REPO) -> str:
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.full
def test_the_plugin_in_an_environment_of_its_own(tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    binaries = tmp_path / "venv" / "bin"
    pip = (binaries / "python", "-m", "pip", "--disable-pip-version-check")
    # A build leaves files beside its source.
    source = tmp_path / "source"
    shutil.copytree(REPO / "operator" / "encbench", source / "operator" / "encbench")
    shutil.copy(REPO / "pyproject.toml", source)
    run(*pip, "wheel", "--no-deps", "--wheel-dir", tmp_path, source)
    (wheel,) = tmp_path.glob("encbench-*.whl")
    run(*pip, "install", f"{wheel}[cli]")
    installed = {one["name"] for one in json.loads(run(*pip, "list", "--format=json"))}
    assert len(installed - {"pip", "setuptools"}) <= 12

    plugin = binaries / "kubectl-encbench"
    manifests = [
        path for path in (REPO / "campaigns/demo").glob("*.yaml") if path.stem != KUSTOMIZE
    ]
    files = [word for path in manifests for word in ("-f", path)]
    assert json.loads(run(plugin, "plan", *files, "--output=json"))["campaigns"]
    assert run(plugin, "audit", REPO / "tests/data/reference/polardbx_driver_cpu.csv")
    reports = sorted((REPO / "tests/data/report/expected").rglob("report.json"))
    assert "A  " in run(plugin, "compare", reports[0], reports[0])
    assert run(binaries / "kubectl_complete-encbench", "rep") == "report\n:4\n"
