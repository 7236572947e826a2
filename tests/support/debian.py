"""Debian's programs for tests, installed without a daemon of theirs being started.

``python -m tests.support.debian`` installs all of them. Packages stay on the machine, and a test
looks for what the others leave on it; so they come before it looks for the first time.
"""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cluster.console import Console
from tests.cluster.layout import Layout
from tests.cluster.packages import alone, download, ensure, update

PACKAGES = {
    "chromium": "chromium",
    "fonts-liberation": "/usr/share/fonts/truetype/liberation",
    "gcc": "cc",
    "libc6-dev": "/usr/include/stdio.h",
    "libssl-dev": "/usr/include/openssl/ssl.h",
    "lua5.1": "lua5.1",
    "make": "make",
    "mariadb-client": "mariadb",
    "mariadb-server": "/usr/lib/mysql/plugin/file_key_management.so",
    "maven": "mvn",
    "nodejs": "node",
    "npm": "npm",
    "openjdk-17-jdk-headless": "javac",
    "postgresql-15": "/usr/lib/postgresql/15/bin/postgres",
    "skopeo": "skopeo",
    "sysbench": "sysbench",
}
"""Whatever tests install, each with a program or a path that shows that it is there."""

_CLUSTERS = Path("/etc/postgresql-common/createcluster.d")


def install(*packages: str) -> None:
    """Install those of `PACKAGES` that are missing, one caller after the other."""
    wanted = {package: PACKAGES[package] for package in packages}
    ensure(Layout.from_environment(), Console(), wanted, around=_no_clusters)


def extract(package: str, folder: Path) -> None:
    """Put a package's files into a folder, without the packages that it depends on."""
    layout = Layout.from_environment()
    with alone(layout), tempfile.TemporaryDirectory(prefix="encbench-package-") as scratch:
        archive = download(layout, package, Path(scratch))
        subprocess.run(["dpkg", "--extract", str(archive), str(folder)], check=True)


def extract_from(suite: str, keyring: Path, folder: Path, *packages: str) -> None:
    """Put packages of another suite into a folder; this machine keeps its own lists and packages.

    The packages that they depend on are left out.
    """
    with (
        alone(Layout.from_environment()),
        tempfile.TemporaryDirectory(prefix="encbench-suite-") as scratch,
    ):
        place = Path(scratch)
        source = f"deb [signed-by={keyring}] {_archive()} {suite} main\n"
        (place / "sources.list").write_text(source, encoding="ascii")
        (place / "lists" / "partial").mkdir(parents=True)
        # As root, for apt's own user may not write there. An index of unstable expires on mirrors.
        apt = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root"]
        apt += ["-o", f"Dir::Etc::SourceList={place}/sources.list", "-o", "Dir::Etc::SourceParts=-"]
        apt += ["-o", f"Dir::State::Lists={place}/lists", "-o", f"Dir::Cache={place}"]
        apt += ["-o", "Acquire::Check-Valid-Until=false"]
        subprocess.run([*apt, "update"], check=True)
        subprocess.run([*apt, "download", *packages], check=True, cwd=scratch)
        for archive in place.glob("*.deb"):
            subprocess.run(["dpkg", "--extract", str(archive), str(folder)], check=True)


def _archive() -> str:
    """Where this machine has its own packages from, which has Debian's other suites too."""
    # Only the archive's own files say whose they are.
    update(Layout.from_environment())
    own = ["Origin: Debian", "Label: Debian", "Created-By: Packages"]
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)", *own]
    said = subprocess.run(command, check=True, capture_output=True, text=True)
    return said.stdout.split()[0]


@contextmanager
def _no_clusters() -> Iterator[None]:
    """Debian's scripts make a cluster for each new version of PostgreSQL unless they are told."""
    _CLUSTERS.mkdir(parents=True, exist_ok=True)
    told = _CLUSTERS / "encbench-tests.conf"
    told.write_text("create_main_cluster = false\n", encoding="ascii")
    try:
        yield
    finally:
        told.unlink()


if __name__ == "__main__":
    install(*PACKAGES)
