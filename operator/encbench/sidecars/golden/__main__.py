"""`python -m encbench.sidecars.golden`: obey the pod's annotation, and report."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from encbench.sidecars.golden.copies import CopyRefused, GoldenVolume
from encbench.wire import environment as names
from encbench.wire import failure
from encbench.wire.golden import Outcome

MESSAGE = failure.MESSAGE


def run(environment: Mapping[str, str]) -> Outcome:
    """Read the variables of `database.golden` and do the work. CopyRefused or OSError."""
    volume = GoldenVolume(
        root=Path(environment[names.ROOT]),
        folders=environment[names.FOLDERS].split(","),
        stopped=environment.get(names.STOPPED) or None,
    )
    cold = environment.get(names.CACHE) == "Cold"
    return volume.prepare(environment.get(names.RESET, ""), cold=cold)


def main() -> None:
    """Exit with 0 if the server may start."""
    try:
        report = json.dumps(run(os.environ))
    except CopyRefused as error:
        failure.leave(str(error), MESSAGE)
    except OSError as error:
        failure.leave(f"{error.filename or 'the volume'}: {error.strerror}", MESSAGE)
    print(report)
    MESSAGE.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
