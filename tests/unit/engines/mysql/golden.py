"""The children of a testbed in each mode, as the golden files show them.

Renew them with `PYTHONPATH=operator:. python -m tests.unit.engines.mysql.golden`, and
read what has changed before you commit it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from encbench.api.testbed import TestbedSpec
from encbench.engines.facts import facts
from tests.support.testbeds import PLAINTEXT, TLS, spec_of_testbed
from tests.unit.engines import golden_files, rendering

FOLDER = Path(__file__).parent / "golden"

ALL: dict[str, Any] = {"atRest": {"method": "engine"}}
TABLES: dict[str, Any] = {"atRest": {"method": "engine", "scope": ["tables"]}}

CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "plaintext": ("mysql", "8.4", PLAINTEXT),
    "tde": ("mysql", "8.4", ALL),
    "tls": ("mysql", "8.4", TLS),
    "percona-tde": ("percona", "8.0", ALL),
    "5.7-plaintext": ("mysql", "5.7", PLAINTEXT),
}
"""Engine, version and mode."""


def spec(
    mode: Mapping[str, Any] = PLAINTEXT,
    *,
    engine: str = "mysql",
    version: str = "8.4",
    **changes: Any,
) -> TestbedSpec:
    """A testbed's spec with upstream's image, on a server that holds MySQL's defaults."""
    resources = {"cpu": "500m", "memory": "1Gi"}
    image = f"{facts(engine).repository}:{version}"
    made: dict[str, Any] = {"resources": resources, "image": image, **changes}
    return spec_of_testbed(mode, engine=engine, version=version, **made)


def rendered(name: str) -> str:
    """The children of that case as YAML documents."""
    engine, version, mode = CASES[name]
    return rendering.rendered(spec(mode, engine=engine, version=version))


if __name__ == "__main__":
    golden_files.write(FOLDER, {name: rendered(name) for name in CASES})
