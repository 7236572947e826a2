"""The golden copy's container for a server on this machine: the real program as the pods' user."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from encbench.database import golden
from encbench.kube.pods import USER_ID
from encbench.sidecars.golden import __main__ as program


def prepared(volume: str, reset: str, *, below: bool = False, cold: bool = False) -> dict[str, Any]:
    """What the container says; AssertionError when it fails. `below` is of a FUSE file system."""
    folders = golden.CIPHERTEXT if below else ",".join(golden.FOLDERS)
    environment = {
        "ENCBENCH_ROOT": volume,
        "ENCBENCH_FOLDERS": folders,
        "ENCBENCH_CACHE": "Cold" if cold else "Warm",
        "ENCBENCH_STOPPED": golden.STOPPED if below else "",
        "ENCBENCH_RESET": reset,
    }
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o777)
        message = Path(folder, "message")
        child = os.fork()
        if child == 0:
            _run(environment, message)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0, "the golden copy failed; see its output"
        said: dict[str, Any] = json.loads(message.read_text(encoding="utf-8"))
        return said


def _run(environment: dict[str, str], message: Path) -> None:
    """In the child: never comes back."""
    code = 1
    try:
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(USER_ID)
            os.setuid(USER_ID)
        os.environ.update(environment)
        program.MESSAGE = message
        program.main()
        code = 0
    except SystemExit as ending:
        print(ending, flush=True)
    finally:
        os._exit(code)
