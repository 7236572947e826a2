"""``python -m tests.prose FILE...``: the prose of these files, linted by Vale; its exit code.

``.vale.ini`` says which rules hold for which files, and ``.vale/styles/encbench`` has the rules.
"""

import subprocess
import sys
from typing import Final

from tests.cluster import binaries
from tests.cluster.console import ClusterError

OPTIONS: Final = ("--no-global", "--output=line")
"""Findings are one a line, and a Vale configuration of the user's does not count."""


def vale() -> str:
    """Vale's program, compiled now unless the cache has it."""
    return str(binaries.compiled("vale") / "vale")


def main(files: list[str]) -> int:
    """Run Vale; findings go to standard output, one a line."""
    try:
        program = vale()
    except ClusterError as error:
        print(f"the prose linter cannot be built: {error}", file=sys.stderr)
        return 2
    return subprocess.run([program, *OPTIONS, *files], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
