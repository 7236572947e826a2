"""Manifests as a cluster would hold them: read from files or kustomize, checked, and looked up.

Nothing is sent anywhere. What the API server would refuse of our own kinds is found by the models
that its schemas are generated from.
"""

import asyncio
import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from encbench.api import resources
from encbench.api.base import API_VERSION, GROUP
from encbench.api.kinds import CONFIG_MAP, SECRET, Kind
from encbench.cli import output
from encbench.cli.errors import CommandError
from encbench.ports import Body, Reader

_KINDS = {resource.kind.kind: resource.kind for resource in resources.RESOURCES}
_KINDS |= {kind.kind: kind for kind in (CONFIG_MAP, SECRET)}
_SUFFIXES = (".yaml", ".yml", ".json")
_FIRST_UID = "00000000-0000-4000-8000-000000000000"


@dataclass(frozen=True)
class Refusal:
    """One object that the API server would refuse, and what it would say."""

    kind: str
    name: str
    source: str
    """The file that it stands in."""
    problems: tuple[str, ...]


@dataclass
class Manifests:
    """What the files hold. `refused` objects are left out of `objects`, as they would be."""

    objects: dict[tuple[str, str, str], Body] = field(default_factory=dict)
    """By kind, namespace and name."""
    refused: list[Refusal] = field(default_factory=list)

    def of(self, kind: Kind) -> list[Body]:
        """All objects of a kind, in the order of the files."""
        return [body for (own, _, _), body in self.objects.items() if own == kind.kind]


async def load(files: Sequence[str], folder: str | None, namespace: str) -> Manifests:
    """Everything in these files and folders, and what `kubectl kustomize` makes of `folder`.

    CommandError where something cannot be read or is no manifest.
    """
    found = Manifests()
    for file in files:
        for path in _paths(file):
            _add(found, output.read(path), path, namespace)
    if folder is not None:
        _add(found, await _kustomize(folder), folder, namespace)
    if not found.objects and not found.refused:
        raise CommandError("there is no object in what was given: name files with manifests")
    return found


def _paths(file: str) -> list[str]:
    """The file, or the manifests of a folder by name."""
    if file == "-" or not Path(file).is_dir():
        return [file]
    return sorted(str(path) for path in Path(file).iterdir() if path.suffix in _SUFFIXES)


async def _kustomize(folder: str) -> bytes:
    try:
        process = await asyncio.create_subprocess_exec(
            *("kubectl", "kustomize", folder),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except FileNotFoundError as error:
        raise CommandError("kubectl is not on the PATH: install it, or use -f") from error
    said, complaint = await process.communicate()
    if process.returncode != 0:
        raise CommandError(f"kubectl kustomize {folder}: {complaint.decode().strip()}")
    return said


def _add(found: Manifests, content: bytes, source: str, namespace: str) -> None:
    for body in _documents(content, source):
        meta = body["metadata"]
        meta.setdefault("namespace", namespace)
        meta.setdefault("uid", f"{_FIRST_UID[:-6]}{len(found.objects):06d}")
        key = (body["kind"], meta["namespace"], meta["name"])
        problems = _problems(body)
        if key in found.objects:
            problems.append("metadata.name: there are two of this kind and name: rename one")
        if problems:
            found.refused.append(Refusal(body["kind"], meta["name"], source, tuple(problems)))
        else:
            found.objects[key] = _with_data(body)


def _documents(content: bytes, source: str) -> Iterable[Body]:
    """Every object of the file, those inside of lists too."""
    try:
        documents = list(yaml.safe_load_all(content))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise CommandError(f"{source} is not YAML: {error}") from error
    for number, document in enumerate(documents, 1):
        if document is None:
            continue
        items = document.get("items") if isinstance(document, Mapping) else None
        for body in items if isinstance(items, list) else [document]:
            yield _object(body, f"{source}, document {number}")


def _object(body: Any, where: str) -> Body:
    if not isinstance(body, Mapping):
        raise CommandError(f"{where} is no object: write apiVersion, kind, metadata and spec")
    meta = body.get("metadata")
    for part, value in (
        ("apiVersion", body.get("apiVersion")),
        ("kind", body.get("kind")),
        ("metadata.name", meta.get("name") if isinstance(meta, Mapping) else None),
    ):
        if not isinstance(value, str) or not value:
            raise CommandError(f"{where} has no {part}: add it")
    # A copy without dates and other things that YAML knows and JSON does not.
    copy: Body = json.loads(json.dumps(body, default=str))
    return copy


def _problems(body: Body) -> list[str]:
    version, name = body["apiVersion"], body["kind"]
    if version.partition("/")[0] != GROUP:
        return []
    kind = _KINDS.get(name)
    if version != API_VERSION or kind is None or kind.api_version != API_VERSION:
        known = ", ".join(own for own, kind in _KINDS.items() if kind.api_version == API_VERSION)
        return [f"there is no kind {name} in {version}: {API_VERSION} has {known}"]
    bare = {key: value for key, value in body.items() if key != "status"}
    return resources.problems(kind, bare)


def _with_data(body: Body) -> Body:
    """A Secret's stringData as the API server keeps it."""
    plain = body.get("stringData")
    if body["kind"] != SECRET.kind or not isinstance(plain, Mapping):
        return body
    encoded = {k: base64.b64encode(str(v).encode()).decode() for k, v in plain.items()}
    return {**body, "data": {**(body.get("data") or {}), **encoded}}


class Offline(Reader):
    """A cluster that holds the manifests and nothing else; `live` has what they lack."""

    def __init__(self, manifests: Manifests, live: Reader | None = None) -> None:
        self._manifests = manifests
        self._live = live

    async def get(self, kind: Kind, namespace: str, name: str) -> Body | None:
        """See `ports.Reader`."""
        found = self._manifests.objects.get((kind.kind, namespace, name))
        if found is None and self._live is not None:
            return await self._live.get(kind, namespace, name)
        return found

    async def list(
        self, kind: Kind, namespace: str | None, labels: Mapping[str, str] | None = None
    ) -> list[Body]:
        """See `ports.Reader`; nothing that a campaign names is found by a list."""
        del kind, namespace, labels
        return []

    async def logs(self, namespace: str, pod: str, container: str, lines: int) -> str:
        """See `ports.Reader`; nothing runs here."""
        del namespace, pod, container, lines
        return ""
