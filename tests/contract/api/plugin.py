"""`kubectl encbench` in front of a real API server."""

import subprocess
import sys

from tests.support.apiserver import REPOSITORY, ApiServer


def plugin(server: ApiServer, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The plugin as a user calls it, with the server's kubeconfig and kubectl."""
    return subprocess.run(
        [sys.executable, "-m", "encbench.cli.main", *arguments],
        cwd=REPOSITORY,
        env={
            "PYTHONPATH": "operator",
            "KUBECONFIG": str(server.kubeconfig),
            "PATH": f"{server.binaries}:/usr/bin:/bin",
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
