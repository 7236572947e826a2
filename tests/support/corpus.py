"""The manifests in tests/data/manifests, which models and CRDs must accept or refuse alike.

Each file has a base, which is a whole object, and named cases under `accept` and `reject`. A case
is a patch of the base: mappings merge, anything else replaces what is there, and `<absent>` removes
it. Two keys of a case are not part of the patch:

- `refused` lists what the refusal must contain.
- `before` is a patch of the base too and makes the object that exists already. The case then
  patches that object, and it is the change that is accepted or refused.
"""

import copy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from encbench.api.kinds import Kind
from encbench.api.resources import RESOURCES

FOLDER = Path(__file__).resolve().parents[1] / "data" / "manifests"
ABSENT = "<absent>"
_KINDS = {resource.kind.kind: resource.kind for resource in RESOURCES}


@dataclass(frozen=True)
class Case:
    """One case, with whole objects. `before` exists already, where the case is about a change."""

    name: str
    body: dict[str, Any]
    before: dict[str, Any] | None
    refused: tuple[str, ...]

    @property
    def kind(self) -> Kind:
        """The kind of the object."""
        return _KINDS[self.body["kind"]]


def cases(verdict: str) -> list[Case]:
    """All cases of `accept` or `reject`. A name is that of the file and that within the file."""
    found = [
        _case(f"{stem}-{name}", content["base"], patch)
        for stem, content in _files().items()
        for name, patch in content[verdict].items()
    ]
    return sorted(found, key=lambda case: case.name)


@cache
def _files() -> dict[str, Any]:
    return {
        path.stem: _Loader(path.read_text(encoding="utf-8")).get_single_data()
        for path in FOLDER.glob("*.yaml")
    }


class _Loader(yaml.CSafeLoader):
    """Refuses a key that is there twice, because the first case of two would be lost."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        names = [key.value for key, _ in node.value]
        for name in set(names):
            assert names.count(name) == 1, f"{name} is there twice:{node.start_mark}"
        return super().construct_mapping(node, deep)


def _case(name: str, base: dict[str, Any], case: dict[str, Any]) -> Case:
    patch = {key: value for key, value in case.items() if key not in ("before", "refused")}
    before = patched(base, case["before"]) if "before" in case else None
    body = patched(base if before is None else before, patch)
    return Case(name, body, before, tuple(case.get("refused", ())))


def patched(value: Any, patch: Any) -> Any:
    """A copy of the value with the patch applied; a value that is no mapping is replaced."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    made = copy.deepcopy(value) if isinstance(value, dict) else {}
    for key, part in patch.items():
        if part == ABSENT:
            del made[key]
        else:
            made[key] = patched(made.get(key), part)
    return made
