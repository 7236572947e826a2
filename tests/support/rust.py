"""Format, warnings and tests of crates: `python -m tests.support.rust FOLDER...`.

What is compiled for it is kept in the cache, so that the second time takes seconds.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.cluster import crates
from tests.cluster.layout import Layout
from tests.support import debian

CHECKS = (
    ("fmt", "--check"),
    ("clippy", "--quiet", "--locked", "--all-targets", "--", "-D", "warnings"),
    ("test", "--quiet", "--locked"),
)
SECONDS = 1800.0
"""How long one of them may take, with everything still to be compiled."""


def check(crate: Path) -> int:
    """The exit code of the first command that fails, or 0."""
    cargo = crates.cargo()
    target = Layout.from_environment().cache / "cargo" / crate.name
    path = f"{Path(cargo).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "CARGO_TARGET_DIR": str(target)}
    for arguments in CHECKS:
        command = [cargo, *arguments]
        done = subprocess.run(command, cwd=crate, env=environment, timeout=SECONDS, check=False)
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    debian.install("gcc", "libc6-dev")
    sys.exit(max(check(Path(folder).resolve()) for folder in sys.argv[1:]))
