"""THIRD-PARTY.md: what the images contain, with licences: `python -m tests.third_party`.

The programs stand in a table here, because each was chosen by hand. Libraries come from the lock
files, and their licences from what their packages say of themselves on this machine: Python's from
the tests' environment, Rust's from cargo. A unit test holds the page to the lock files; it needs
neither.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "THIRD-PARTY.md"
PYTHON = ROOT / "operator" / "requirements.lock"
CARGO = [ROOT / "images" / name / "Cargo.lock" for name in ("confidential-proxy", "turnstile")]
TARGET = "x86_64-unknown-linux-gnu"

PROGRAMS = {
    "operator": "CPython (PSF-2.0), and the Python packages below",
    "confidential-proxy": "the crates below",
    "turnstile": "the crates below",
    "tpcc": "OpenJDK 17 (GPL-2.0 with Classpath exception), and the jars below",
    "mariadb": "MariaDB (GPL-2.0)",
    "mysql": "MySQL (GPL-2.0)",
    "postgresql": "PostgreSQL (PostgreSQL), OpenSSL (Apache-2.0)",
    "sysbench": "sysbench (GPL-2.0), LuaJIT (MIT)",
    "minio": "MinIO (AGPL-3.0), with the Go modules of tests/cluster/tools/minio/go.mod",
    "prometheus": "Prometheus (Apache-2.0), with those of tests/cluster/tools/clients/go.mod",
    "node-exporter": "Prometheus node exporter (Apache-2.0)",
    "gocryptfs": "gocryptfs (MIT), go-fuse (BSD-3-Clause), libfuse's fusermount3 (GPL-2.0), with "
    "the modules of tests/cluster/tools/volumes/go.mod",
    "coredns": "CoreDNS (Apache-2.0); only the tests' own cluster runs it",
    "local-path-provisioner": "local-path-provisioner (Apache-2.0); likewise",
    "pause": "nothing but its own source",
}
"""By image; all but coredns and pause are based on Debian."""

JARS = {
    "org.hdrhistogram:HdrHistogram": "CC0-1.0 OR BSD-2-Clause",
    "org.postgresql:postgresql": "BSD-2-Clause",
    "com.mysql:mysql-connector-j": "GPL-2.0 with the Universal FOSS Exception",
    "org.mariadb.jdbc:mariadb-java-client": "LGPL-2.1-or-later",
}
"""Of the TPC-C client; checker-qual (MIT) comes with PostgreSQL's."""

LONG = {
    "MIT License": "MIT",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "BSD 3-Clause License": "BSD-3-Clause",
    "Dual License": "Apache-2.0 OR BSD-3-Clause",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "BSD License": "BSD-3-Clause",
}
"""SPDX by what packages write instead."""


def locked(path: Path) -> Iterator[tuple[str, str]]:
    """Name and version of what a lock file of Python's or Rust's names."""
    text = path.read_text(encoding="utf-8")
    of_python, of_rust = r"^([a-z0-9_.-]+)==([^ \\;]+)", r'^name = "(.+)"\nversion = "(.+)"\nsource'
    pattern = of_rust if path.name == "Cargo.lock" else of_python
    yield from re.findall(pattern, text, re.MULTILINE)


def jars() -> Iterator[tuple[str, str]]:
    """Group and artifact of each jar, and its version."""
    text = (ROOT / "images" / "tpcc" / "pom.xml").read_text(encoding="utf-8")
    pattern = r"<groupId>(.+)</groupId>\s*<artifactId>(.+)</artifactId>\s*<version>(.+)</version>"
    for group, artifact, version in re.findall(pattern, text):
        if f"{group}:{artifact}" in JARS:
            yield f"{group}:{artifact}", version


def _of_python(name: str) -> str:
    about = metadata(name)
    given = [*(about.get_all("License-Expression") or ()), *(about.get_all("License") or ())]
    given = [text.partition("\n")[0].strip() for text in given]
    given += [
        one.rpartition(" :: ")[2]
        for one in about.get_all("Classifier") or ()
        if one.startswith("License ::")
    ]
    for text in given:
        named: str = LONG.get(text, text)
        if re.fullmatch(r"[A-Za-z0-9.+-]+( (AND|OR|WITH) [A-Za-z0-9.+-]+)*", named):
            return named
    raise SystemExit(f"{name} does not name its licence: {given}")


def _of_rust(lock: Path) -> dict[str, str]:
    command = ["cargo", "metadata", "--locked", "--format-version=1", f"--filter-platform={TARGET}"]
    done = subprocess.run(command, cwd=lock.parent, check=True, capture_output=True)
    packages = json.loads(done.stdout)["packages"]
    return {one["name"]: one["license"].replace("/", " OR ") for one in packages if one["license"]}


def page() -> str:
    """The content of THIRD-PARTY.md."""
    lines = [
        "<!-- Written by `make third-party`; do not edit. -->",
        "# Third-party software",
        "",
        "encbench itself is under the Apache License 2.0. Its images contain the following.",
        "The licences of Debian's packages are in `/usr/share/doc` of each image.",
        "",
        "| image | contains |",
        "|---|---|",
        *(f"| {name} | {what} |" for name, what in PROGRAMS.items()),
        "",
        "## Python packages of the operator",
        "",
        "| package | version | licence |",
        "|---|---|---|",
        *(f"| {name} | {version} | {_of_python(name)} |" for name, version in locked(PYTHON)),
        "",
        "## Crates of the proxy and the turnstile",
        "",
        "Some are for tests or for other platforms alone, and in no image; their licence is left "
        "open here",
        "where cargo does not fetch them.",
        "",
        "| crate | version | licence |",
        "|---|---|---|",
        *sorted(
            {
                f"| {name} | {version} | {licences.get(name, '')} |"
                for lock in CARGO
                for licences in [_of_rust(lock)]
                for name, version in locked(lock)
            }
        ),
        "",
        "## Jars of the TPC-C client",
        "",
        "| jar | version | licence |",
        "|---|---|---|",
        *(f"| {name} | {version} | {JARS[name]} |" for name, version in jars()),
        "",
        "checker-qual (MIT) comes with PostgreSQL's driver.",
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
