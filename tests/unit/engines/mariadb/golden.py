"""The children of a testbed in each mode as files, and their renewal.

Run `PYTHONPATH=operator:. python -m tests.unit.engines.mariadb.golden`, and read the difference
before committing it.
"""

from pathlib import Path
from typing import Any

import yaml

from encbench.engines.registry import engine
from tests.support.testbeds import (
    PLAINTEXT,
    TDE,
    TLS,
    counting_tokens,
    database_context,
    spec_of_testbed,
)

FOLDER = Path(__file__).parent / "golden"
MODES: dict[str, dict[str, Any]] = {"plaintext": PLAINTEXT, "tde": TDE, "tls": TLS}


def children(mode: dict[str, Any]) -> list[dict[str, Any]]:
    """Every child of a testbed in that mode."""
    spec = spec_of_testbed(
        mode,
        settings={"innodb_log_file_size": "256M"},
        imagePullSecrets=["registry"],
        placement={
            "nodeSelector": {"disk": "fast"},
            "tolerations": [{"key": "database", "operator": "Exists", "effect": "NoSchedule"}],
        },
        storage={"size": "2Gi", "className": "fast"},
    )
    context, build, token = database_context(spec), engine("mariadb"), counting_tokens()
    made = [
        build.keys_secret(context, token),
        build.credentials_secret(context, token),
        build.config_map(context),
        build.service(context),
        build.volume_claim(context),
        build.stateful_set(context),
    ]
    return [child for child in made if child is not None]


class _Dumper(yaml.SafeDumper):
    """Without aliases, and with text of many lines as a block."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, data: str) -> yaml.ScalarNode:
    style = "|" if "\n" in data else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", data, style=style)


_Dumper.add_representer(str, _text)


def rendered(mode: dict[str, Any]) -> str:
    """The children as YAML documents."""
    return yaml.dump_all(children(mode), Dumper=_Dumper, sort_keys=False, width=100)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, mode in MODES.items():
        (FOLDER / f"{name}.yaml").write_text(rendered(mode), encoding="utf-8")
