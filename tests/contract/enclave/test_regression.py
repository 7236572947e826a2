"""The extension's own regression tests, against every release that can be had."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cluster import base_image, cache
from tests.cluster.console import Console
from tests.cluster.layout import Layout
from tests.support import enclave
from tests.support.enclave import Programs
from tests.support.postgres import Postgres

RELEASE = Path(__file__).with_name("release.sh")


def test_debian_s_release(server: Postgres, programs: Programs) -> None:
    assert enclave.regress(server, programs) == ""


def test_sanitised(sanitised: Programs) -> None:
    with enclave.running(sanitised) as server:
        assert enclave.regress(server, sanitised) == ""
        assert "runtime error" not in server.said()
        assert "AddressSanitizer" not in server.said()


@pytest.mark.full
@pytest.mark.parametrize(("suite", "version"), [("trixie", "17"), ("sid", "18")])
def test_later_releases(suite: str, version: str, tmp_path: Path) -> None:
    """In a file system of the suite that has it, with that suite's compiler and libcrypto."""
    layout, console = Layout.from_environment(), Console()
    with cache.exclusive(layout, console):
        base = base_image.context(layout, console, suite)
    root = tmp_path / "root"
    root.mkdir()
    subprocess.run(["tar", "-C", str(root), "-xpf", str(base / "rootfs.tar")], check=True)
    ignored = shutil.ignore_patterns("*.o", "*.so", "results")
    shutil.copytree(enclave.SOURCE, root / "enclave", ignore=ignored)
    shutil.copy2(RELEASE, root)
    done = subprocess.run(
        ["unshare", "--mount", "sh", str(RELEASE), "outside", str(root), version, enclave.KEY],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    assert "All 9 tests passed" in done.stdout
