"""The manifests in tests/data/manifests, which models and CRDs must take or refuse alike.

A file holds one object, or two of one name: the object and what it shall be changed to, and then it
is the change that is taken or refused. Lines `# refused: <text>` say what the refusal must contain.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from encbench.api.kinds import Kind
from encbench.api.resources import RESOURCES

FOLDER = Path(__file__).resolve().parents[1] / "data" / "manifests"
_MARK = "# refused:"
_KINDS = {resource.kind.kind: resource.kind for resource in RESOURCES}


@dataclass(frozen=True)
class Case:
    """One file. `before` is the object that exists already, where the case is about a change."""

    name: str
    body: dict[str, Any]
    before: dict[str, Any] | None
    refused: tuple[str, ...]

    @property
    def kind(self) -> Kind:
        """The kind of the object."""
        return _KINDS[self.body["kind"]]


def cases(folder: str) -> list[Case]:
    """All cases of `accept` or `reject`, by name."""
    return [_case(path) for path in sorted((FOLDER / folder).glob("*.yaml"))]


def _case(path: Path) -> Case:
    text = path.read_text()
    *before, body = yaml.safe_load_all(text)
    marked = [line for line in text.splitlines() if line.startswith(_MARK)]
    return Case(
        name=path.stem,
        body=body,
        before=before[0] if before else None,
        refused=tuple(line.removeprefix(_MARK).strip() for line in marked),
    )
