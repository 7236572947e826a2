"""How the tests of encrypted column types come by their parts."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.layout import Layout
from tests.support import enclave


def test_the_wheel_needs_no_pip_of_the_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian 12's Python has none; the environment of the tests does."""
    layout = Layout(repo=tmp_path / "repo", cache=tmp_path / "cache", state=tmp_path / "state")
    asked: list[list[str]] = []

    def download(argv: list[str], **_: Any) -> None:
        asked.append(argv[:4])
        (folder,) = (one.removeprefix("--dest=") for one in argv if one.startswith("--dest="))
        Path(folder, "pgserver.whl").touch()

    monkeypatch.setattr(subprocess, "run", download)
    monkeypatch.setattr(Layout, "from_environment", lambda: layout)
    assert enclave._wheel().is_relative_to(layout.cache)
    assert asked == [[sys.executable, "-m", "pip", "download"]]
