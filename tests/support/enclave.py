"""The PostgreSQL extension of `images/postgresql/enclave`, and servers that have it.

A server finds its extensions by the place of its own program. So the programs are copied, and the
extension is installed into the copy: the PostgreSQL of this machine stays as it is. The key is the
one that the regression tests' known answers were sealed with.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from encbench.kube.pods import USER_ID
from tests.cluster import cache
from tests.cluster.console import Console
from tests.cluster.layout import Layout
from tests.support import debian, once, postgres
from tests.support.postgres import ADMIN, Postgres
from tests.support.testbeds import PLAINTEXT

SOURCE = Path(__file__).resolve().parents[2] / "images" / "postgresql" / "enclave"
KEY = "000102030405060708090a0b0c0d0e0f"
FREE = {"encbench_enclave.transition_ns": "0", "encbench_enclave.value_ns": "0"}
"""Costs of a boundary that is off. Without any, nothing crosses it."""
RULES = "local replication postgres trust\n"
"""Of access, for servers that no client reaches over the network."""

WHEEL = (
    "pgserver==0.1.4 --hash=sha256:d595789b47624a3d963aa9aa6359da9be31beb7e61f1a45541953242068b8813"
)
"""PostgreSQL 16.2 with all that PGXS needs, and with few libraries."""
WHEEL_FOR = ("--python-version=3.11", "--platform=manylinux2014_x86_64", "--only-binary=:all:")


@dataclass(frozen=True)
class Programs:
    """A PostgreSQL that has the extension, and the one for tests that stands for its client."""

    binaries: Path
    pg_regress: Path
    variables: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def debian_programs() -> Iterator[Programs]:
    """Debian's own release."""
    postgres.install()
    debian.install("libssl-dev", "gcc", "make")
    with _folder() as folder:
        binaries = folder / "usr/lib/postgresql/15/bin"

        def make() -> None:
            for place in ("usr/lib/postgresql/15", "usr/share/postgresql/15"):
                ignored = shutil.ignore_patterns("bitcode", "man")
                shutil.copytree(f"/{place}", folder / place, symlinks=True, ignore=ignored)
            debian.extract("postgresql-server-dev-15", folder)
            install(binaries / "pg_config")

        once.made(folder, ["enclave", "Debian"], make)
        yield Programs(binaries, binaries.parent / "lib/pgxs/src/test/regress/pg_regress")


@contextmanager
def sanitised_programs() -> Iterator[Programs]:
    """Release 16, with an extension that AddressSanitizer and UBSan watch.

    Debian's own server is linked with GnuTLS, with which a process under bookworm's
    AddressSanitizer waits for itself when it starts or ends.
    """
    postgres.install()
    debian.install("libssl-dev", "gcc", "make")
    with _folder() as folder:
        binaries = folder / "pgserver/pginstall/bin"
        regress = folder / "pgserver/pginstall/lib/postgresql/pgxs/src/test/regress/pg_regress"

        def make() -> None:
            with zipfile.ZipFile(_wheel()) as wheel:
                wheel.extractall(folder)
            for program in (*binaries.iterdir(), regress):
                program.chmod(0o755)
            install(binaries / "pg_config", "SANITIZE=address,undefined")

        once.made(folder, ["enclave", "sanitised"], make)
        variables = {
            "LD_PRELOAD": _said("gcc", "-print-file-name=libasan.so"),
            "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1",
            "UBSAN_OPTIONS": "print_stacktrace=1",
        }
        yield Programs(binaries, regress, variables)


def install(pg_config: Path, *variables: str) -> None:
    """Compile both extensions from a clean copy of the sources, and install them."""
    with tempfile.TemporaryDirectory(prefix="encbench-enclave-") as folder:
        copy = Path(folder, "enclave")
        ignored = shutil.ignore_patterns("*.o", "*.so", "results")
        shutil.copytree(SOURCE, copy, ignore=ignored)
        for part in (copy, copy / "client"):
            made = subprocess.run(
                ["make", "-s", "-j2", f"PG_CONFIG={pg_config}", *variables, "install"],
                cwd=part,
                capture_output=True,
                text=True,
                check=False,
            )
            assert made.returncode == 0, made.stderr


@contextmanager
def running(
    programs: Programs, *, overrides: Mapping[str, str] | None = None, rules: str | None = RULES
) -> Iterator[Postgres]:
    """A server with the key and a boundary that is off, whose database has both extensions."""
    with (
        key_file() as key,
        postgres.running(
            PLAINTEXT,
            overrides={
                "encbench_enclave.key_file": str(key),
                "session_preload_libraries": "encbench_enclave",
                **FREE,
                **(overrides or {}),
            },
            rules=rules,
            binaries=programs.binaries,
            variables=programs.variables,
        ) as server,
    ):
        server.admin("CREATE EXTENSION encbench_enclave", "CREATE EXTENSION enclave_client")
        yield server


@contextmanager
def key_file() -> Iterator[Path]:
    """The key's file, as a pod's Secret would hold it."""
    with _folder() as folder:
        key = folder / "key"
        key.write_text(f"{KEY}\n", encoding="ascii")
        os.chown(key, 0, USER_ID)
        key.chmod(0o440)
        yield key


def regress(server: Postgres, programs: Programs) -> str:
    """Run the regression tests: an empty text, or what differs from what is expected."""
    names = next(
        line.removeprefix("REGRESS = ").split()
        for line in (SOURCE / "Makefile").read_text().splitlines()
        if line.startswith("REGRESS = ")
    )
    with tempfile.TemporaryDirectory(prefix="encbench-regress-") as folder:
        where = [f"--host={Path(server.layout.socket).parent}", f"--port={server.layout.port}"]
        done = subprocess.run(
            [
                *(str(programs.pg_regress), f"--bindir={programs.binaries}", f"--user={ADMIN}"),
                *(*where, "--dbname=regress", "--no-locale"),
                *(f"--inputdir={SOURCE}", f"--outputdir={folder}", *names),
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
        )
        differences = Path(folder, "regression.diffs")
        if done.returncode == 0:
            return ""
        return differences.read_text() if differences.exists() else done.stdout + done.stderr


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder that the server's user may read."""
    with tempfile.TemporaryDirectory(prefix="encbench-enclave-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def _wheel() -> Path:
    layout, console = Layout.from_environment(), Console()

    def download(made: Path) -> None:
        made.mkdir()
        requirements = made / "requirements.txt"
        requirements.write_text(WHEEL)
        # That of the tests' environment: the machine's own Python may have none.
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
        command = [*pip, *WHEEL_FOR, f"--dest={made}", f"--requirement={requirements}"]
        subprocess.run(command, check=True)

    with cache.exclusive(layout, console):
        key = cache.content_key(WHEEL, *WHEEL_FOR)
        (wheel,) = cache.entry(layout, "enclave", "pgserver", key, download).glob("*.whl")
    return wheel


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
