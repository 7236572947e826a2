"""The children of a testbed as YAML that a person can read, and what must hold of any of them."""

from typing import Any

import yaml

from encbench.api.testbed import TestbedSpec
from encbench.database.children import (
    config_map,
    credentials_secret,
    database_budget,
    jobs_budget,
    keys_secret,
    service,
    stateful_set,
    volume_claim,
)
from encbench.engines.engine import RandomToken
from tests.support.sidecars import PLACEHOLDERS
from tests.support.testbeds import counting_tokens, database_context

OWN_KEYS = {"keyfile": f"1;{'0a' * 32}\n", "mek": "0b" * 16}
"""Where a mode names keys of the user's."""


def children(spec: TestbedSpec, random_token: RandomToken | None = None) -> list[dict[str, Any]]:
    """Every child of a testbed with that spec; the tokens are counted unless given."""
    context, token = database_context(spec), random_token or counting_tokens()
    made = [
        keys_secret(context, token, OWN_KEYS),
        credentials_secret(context, token, {}, PLACEHOLDERS, OWN_KEYS),
        config_map(context),
        service(context),
        volume_claim(context),
        database_budget(context),
        jobs_budget(context),
        stateful_set(context),
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


def containers(pod: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """All containers of a pod's spec by name."""
    return {one["name"]: one for one in (*pod["initContainers"], *pod["containers"])}


def assert_guaranteed_and_restricted(pod: dict[str, Any]) -> None:
    """Every container has limits that are its requests, and no right that it does not need."""
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    for name, container in containers(pod).items():
        resources, rights = container["resources"], container["securityContext"]
        assert resources["requests"] == resources["limits"], (name, resources)
        assert set(resources["limits"]) == {"cpu", "memory"}, (name, resources)
        assert rights == {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        }, (name, rights)


def secrets_seen(pod: dict[str, Any]) -> dict[str, list[str]]:
    """Entries of Secrets by the container that has them mounted."""
    entries = {
        volume["name"]: [item["key"] for item in volume["secret"]["items"]]
        for volume in pod["volumes"]
        if "secret" in volume
    }
    return {
        name: sorted(
            entry for mount in container["volumeMounts"] for entry in entries.get(mount["name"], [])
        )
        for name, container in containers(pod).items()
    }
