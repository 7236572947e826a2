"""The children of a testbed in each mode, as the golden files show them.

Renew them with `PYTHONPATH=operator:. python -m tests.unit.engines.postgresql.golden`, and
read what has changed before you commit it.
"""

from pathlib import Path
from typing import Any

from encbench.api.testbed import TestbedSpec
from tests.support.testbeds import ENCLAVE, PLAINTEXT, TLS, TLS12, spec_of_testbed
from tests.unit.engines import golden_files, rendering

FOLDER = Path(__file__).parent / "golden"
MODES: dict[str, dict[str, Any]] = {
    "enclave": ENCLAVE,
    "plaintext": PLAINTEXT,
    "tls": TLS,
    "tls12": TLS12,
}
INSTANCE: dict[str, Any] = {
    "engine": "postgresql",
    "version": "15",
    "image": "registry.example.com/postgresql:15",
}


def spec(mode: dict[str, Any], **changes: Any) -> TestbedSpec:
    """A testbed's spec in that mode; `changes` are of its instance."""
    return spec_of_testbed(mode, **{**INSTANCE, **changes})


def rendered(mode: dict[str, Any]) -> str:
    """The children as YAML documents."""
    return rendering.rendered(
        spec(
            mode,
            settings={"shared_buffers": "256MB", "work_mem": "8MB"},
            imagePullSecrets=["registry"],
            placement={
                "nodeSelector": {"disk": "fast"},
                "tolerations": [{"key": "database", "operator": "Exists", "effect": "NoSchedule"}],
            },
            storage={"size": "2Gi", "className": "fast"},
        )
    )


if __name__ == "__main__":
    golden_files.write(FOLDER, {name: rendered(mode) for name, mode in MODES.items()})
