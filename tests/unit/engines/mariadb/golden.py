"""The children of a testbed in each mode, as the golden files show them.

Renew them with `PYTHONPATH=operator:. python -m tests.unit.engines.mariadb.golden`, and
read what has changed before you commit it.
"""

from pathlib import Path
from typing import Any

from tests.support.testbeds import PLAINTEXT, TDE, TLS, spec_of_testbed
from tests.unit.engines import golden_files, rendering

FOLDER = Path(__file__).parent / "golden"
MODES: dict[str, dict[str, Any]] = {"plaintext": PLAINTEXT, "tde": TDE, "tls": TLS}


def rendered(mode: dict[str, Any]) -> str:
    """The children as YAML documents."""
    return rendering.rendered(
        spec_of_testbed(
            mode,
            settings={"innodb_log_file_size": "256M"},
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
