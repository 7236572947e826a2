"""What the recorder costs before it does anything."""

import json
import subprocess
import sys
from pathlib import Path

OPERATOR = Path(__file__).parents[4] / "operator"

_LOADED = """
import json, sys
before = set(sys.modules)
import encbench.sidecars.recorder.__main__
import encbench.tools.sysbench.progress
import encbench.tools.tpcc.progress
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def loaded() -> list[str]:
    done = subprocess.run(
        [sys.executable, "-S", "-c", _LOADED],
        env={"PYTHONPATH": str(OPERATOR)},
        capture_output=True,
        check=True,
        timeout=30,
    )
    return list(json.loads(done.stdout))


def test_the_standard_library_only() -> None:
    foreign = {name.partition(".")[0] for name in loaded()} - set(sys.stdlib_module_names)
    assert foreign == {"encbench"}


def test_nothing_heavy_is_imported_at_the_start() -> None:
    heavy = {"asyncio", "http.client", "http.server", "urllib.request", "random", "dataclasses"}
    assert heavy & set(loaded()) == set()
    assert "encbench.api.base" not in loaded()
