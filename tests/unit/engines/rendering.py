"""The children of a testbed as YAML that a person can read."""

from typing import Any

import yaml

from encbench.api.testbed import TestbedSpec
from encbench.engines.registry import engine
from tests.support.testbeds import counting_tokens, database_context


def children(spec: TestbedSpec) -> list[dict[str, Any]]:
    """Every child of a testbed with that spec."""
    context, build, token = database_context(spec), engine(spec.instance.engine), counting_tokens()
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


def rendered(spec: TestbedSpec) -> str:
    """The children as YAML documents."""
    return yaml.dump_all(children(spec), Dumper=_Dumper, sort_keys=False, width=100)
