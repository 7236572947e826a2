"""``python -m tests.known_settings``: write each engine's ``settings.txt``, asked from its server.

`plan` compares a template's settings with these names. The servers are those of our own images.
"""

import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from tests.support import rootfs

ENGINES: Final = Path("operator/encbench/engines")


_ANYWHERE: Final = 'PATH=$PATH:$(echo /usr/lib/postgresql/*/bin) exec "$@"'
"""Debian's PostgreSQL lies in a folder of its version."""


class Source(NamedTuple):
    """How one server is asked."""

    title: str
    program: str
    asking: tuple[str, ...]
    names: Callable[[str], set[str]]


def _options(text: str) -> set[str]:
    """The table of variables at the end of ``--verbose --help``."""
    table = text.partition("Variables (--variable-name=value)")[2].partition("\n-")[2]
    table = table.partition("\n\n")[0]
    rows = re.findall(r"^([a-z][a-z0-9-]+)(?: |$)", table, re.MULTILINE)
    return {name.replace("-", "_") for name in rows}


def _parameters(text: str) -> set[str]:
    """``--describe-config``: a parameter a line, its name first."""
    return {line.partition("\t")[0].lower() for line in text.splitlines() if "\t" in line}


SERVERS: Final = {
    "mysql": Source("MySQL", "mysqld", ("--no-defaults", "--verbose", "--help"), _options),
    "mariadb": Source("MariaDB", "mariadbd", ("--no-defaults", "--verbose", "--help"), _options),
    "postgresql": Source("PostgreSQL", "postgres", ("--describe-config",), _parameters),
}


def generated(package: str) -> str:
    """The file's text, as the server of our image gives it."""
    source, root = SERVERS[package], rootfs.of_image(package)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        folder.chmod(0o777)

        def said(*arguments: str) -> str:
            words = ("sh", "-c", _ANYWHERE, "sh", source.program, *arguments)
            command = rootfs.inside(root, folder, *words)
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            return done.stdout

        version = re.search(r"[0-9]+(\.[0-9]+)+", said("--version"))
        names = source.names(said(*source.asking))
    assert version is not None, f"{source.program} does not say its version"
    head = f"# {source.title} {version[0]}: written by python -m tests.known_settings"
    return f"{head}\n{textwrap.fill(' '.join(sorted(names)), 98, break_on_hyphens=False)}\n"


def main() -> int:
    """Write all of them."""
    for package in SERVERS:
        target = ENGINES / package / "settings.txt"
        target.write_text(generated(package), encoding="utf-8")
        print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
