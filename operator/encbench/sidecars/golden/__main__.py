"""`python -m encbench.sidecars.golden`: obey the pod's annotation, and report."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from encbench.sidecars.golden.copies import CopyRefused, GoldenVolume, Outcome

MESSAGE = Path("/dev/termination-log")


def run(environment: Mapping[str, str]) -> Outcome:
    """Read the variables of `engines.prepare` and do the work. CopyRefused or OSError."""
    volume = GoldenVolume(
        root=Path(environment["ENCBENCH_ROOT"]),
        folders=environment["ENCBENCH_FOLDERS"].split(","),
        stopped=environment.get("ENCBENCH_STOPPED") or None,
    )
    cold = environment.get("ENCBENCH_CACHE") == "Cold"
    return volume.prepare(environment.get("ENCBENCH_RESET", ""), cold=cold)


def message(outcome: Outcome) -> str:
    """The termination message, which `reconcile.testbed.facts` reads."""
    return json.dumps(
        {
            "action": outcome.action,
            "files": outcome.amount.files,
            "bytes": outcome.amount.size_bytes,
            "seconds": outcome.seconds,
        }
    )


def main() -> None:
    """Exit with 0 if the server may start."""
    try:
        report = message(run(os.environ))
    except CopyRefused as error:
        sys.exit(f"encbench prepare: {error}")
    except OSError as error:
        sys.exit(f"encbench prepare: {error.filename or 'the volume'}: {error.strerror}")
    print(report)
    MESSAGE.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
