"""Manifests as a cluster would hold them: read from files or kustomize, checked, and looked up.

Nothing is sent anywhere. The models from which the CRDs are generated find what the API server
would refuse of our own kinds.
"""

import argparse
import base64
import contextlib
import itertools
import json
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from encbench.adapters.kubectl import Kubectl, KubectlFailed
from encbench.adapters.kubernetes import KubernetesCluster
from encbench.admission.gather import Lookup
from encbench.api import resources
from encbench.api.base import API_VERSION, GROUP
from encbench.api.kinds import SECRET, STORAGE_CLASS, Kind
from encbench.cli import output
from encbench.cli.connection import connected
from encbench.cli.output import CommandError
from encbench.ports import Body, Rejected

_KINDS = {resource.kind.kind: resource.kind for resource in resources.RESOURCES}
_SUFFIXES = (".yaml", ".yml", ".json")
_DRAWN_AFTER = 58
"""Letters of `generateName` that the API server keeps; it adds five of its own."""
_drawn = itertools.count(1)


@dataclass(frozen=True)
class Refusal:
    """One object that the API server would refuse, and why."""

    kind: str
    name: str
    source: str
    """Its file."""
    problems: tuple[str, ...]


@dataclass
class Manifests:
    """What the files hold. A cluster would not hold `refused` ones, so `objects` lacks them."""

    objects: dict[tuple[str, str, str], Body] = field(default_factory=dict)
    """By kind, namespace and name."""
    refused: list[Refusal] = field(default_factory=list)

    def of(self, kind: Kind) -> list[Body]:
        """All objects of a kind, in the order of the files."""
        return [body for (own, _, _), body in self.objects.items() if own == kind.kind]

    def find(self, kind: Kind, namespace: str, name: str) -> Body | None:
        """The object; one that is in no namespace has that of its file all the same."""
        if kind.namespaced:
            return self.objects.get((kind.kind, namespace, name))
        return next((it for it in self.of(kind) if it["metadata"]["name"] == name), None)


def are_given(args: argparse.Namespace) -> bool:
    """Whether it is manifests, not a campaign in the cluster; CommandError unless one of them."""
    given = bool(args.filename or args.kustomize)
    if given == bool(args.campaign):
        raise CommandError("name either a campaign in the cluster, or manifests with -f or -k")
    return given


@contextlib.asynccontextmanager
async def given(
    args: argparse.Namespace,
) -> AsyncIterator[tuple[Manifests, KubernetesCluster | None]]:
    """The manifests that were given, and the cluster of `--live`."""
    async with contextlib.AsyncExitStack() as stack:
        live, namespace = None, args.namespace or "default"
        if args.live:
            live, namespace = await stack.enter_async_context(connected(args))
        yield await load(args.filename, args.kustomize, namespace), live


async def load(files: Sequence[str], folder: str | None, namespace: str) -> Manifests:
    """Everything in these files and folders, and what `kubectl kustomize` builds from `folder`.

    CommandError if something cannot be read or is not a manifest.
    """
    found = Manifests()
    for file in files:
        for path in _paths(file):
            _add(found, output.read(path), path, namespace)
    if folder is not None:
        _add(found, await _kustomize(folder), folder, namespace)
    if not found.objects and not found.refused:
        raise CommandError("the files contain no object: name files with manifests")
    return found


def _paths(file: str) -> list[str]:
    """The file, or a folder's manifests by name."""
    try:
        if file == "-" or not Path(file).is_dir():
            return [file]
        return sorted(str(path) for path in Path(file).iterdir() if path.suffix in _SUFFIXES)
    except OSError as error:
        raise CommandError(f"cannot read {file}: {error.strerror or error}") from error


async def _kustomize(folder: str) -> bytes:
    try:
        return (await Kubectl().ask("kustomize", folder)).encode()
    except KubectlFailed as error:
        raise CommandError(f"kubectl kustomize {folder}: {error}") from error


def _add(found: Manifests, content: bytes, source: str, namespace: str) -> None:
    for body in _documents(content, source):
        meta = body["metadata"]
        meta["namespace"] = meta.get("namespace") or namespace
        meta.setdefault("uid", f"00000000-0000-4000-8000-{len(found.objects):012d}")
        key = (body["kind"], meta["namespace"], meta["name"])
        problems = _problems(body)
        if key in found.objects:
            problems.append("metadata.name: another object has this kind and name: rename one")
        if problems:
            found.refused.append(Refusal(body["kind"], meta["name"], source, tuple(problems)))
        else:
            found.objects[key] = _with_data(body)


def _documents(content: bytes, source: str) -> Iterable[Body]:
    """Every object of the file, including those in lists."""
    for number, document in enumerate(_parsed(content, source), 1):
        if document is None:
            continue
        items = document.get("items") if isinstance(document, Mapping) else None
        for body in items if isinstance(items, list) else [document]:
            yield _object(body, f"{source}, document {number}")


class _Loader(yaml.SafeLoader):
    """Takes plain words for what kubectl takes them for: a date for text, 5e-2 for a number."""


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, form) for tag, form in found if tag != "tag:yaml.org,2002:timestamp"]
    for letter, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+$"),
    list("-+.0123456789"),
)


def _parsed(content: bytes, source: str) -> list[Any]:
    """The documents; as kubectl does, JSON is tried first, because YAML knows no tabs."""
    try:
        return [json.loads(content)]
    except ValueError:
        pass
    try:
        return list(yaml.load_all(content, Loader=_Loader))
    except (yaml.YAMLError, ValueError) as error:
        raise CommandError(f"{source} is not YAML: {error}") from error


def _object(body: Any, where: str) -> Body:
    if not isinstance(body, Mapping):
        raise CommandError(f"{where} is not an object: write apiVersion, kind, metadata and spec")
    meta = body.get("metadata")
    name = _name(meta) if isinstance(meta, Mapping) else None
    for part, value in (
        ("apiVersion", body.get("apiVersion")),
        ("kind", body.get("kind")),
        ("metadata.name", name),
    ):
        if not isinstance(value, str) or not value:
            raise CommandError(f"{where} has no {part}: add it")
    try:
        # YAML has values that JSON lacks.
        copy: Body = json.loads(json.dumps(body, default=str))
    except (TypeError, ValueError) as error:
        raise CommandError(f"{where} has what JSON cannot hold: {error}") from error
    copy["metadata"]["name"] = name
    if copy["apiVersion"].partition("/")[0] == GROUP:
        # It is the operator's to write, so kubectl apply leaves it out.
        copy.pop("status", None)
    return copy


def _name(meta: Mapping[str, Any]) -> Any:
    """The object's name; where the API server draws its end, another of the same length."""
    name, start = meta.get("name"), meta.get("generateName")
    if not name and isinstance(start, str) and start:
        return f"{start[:_DRAWN_AFTER]}x{next(_drawn) % 10_000:04}"
    return name


def _problems(body: Body) -> list[str]:
    version, name = body["apiVersion"], body["kind"]
    if version.partition("/")[0] != GROUP:
        return []
    if version != API_VERSION or name not in _KINDS:
        return [f"there is no kind {name} in {version}: {API_VERSION} has {', '.join(_KINDS)}"]
    return resources.problems(_KINDS[name], body)


def _with_data(body: Body) -> Body:
    """A Secret's stringData as the API server stores it."""
    plain = body.get("stringData")
    if body["kind"] != SECRET.kind or not isinstance(plain, Mapping):
        return body
    encoded = {k: base64.b64encode(str(v).encode()).decode() for k, v in plain.items()}
    return {**body, "data": {**(body.get("data") or {}), **encoded}}


class Offline:
    """A cluster that holds the manifests and, with `live`, what only that cluster has."""

    def __init__(self, manifests: Manifests, live: Lookup | None = None) -> None:
        self._manifests = manifests
        self._live = live

    async def get(self, kind: Kind, namespace: str, name: str) -> Body | None:
        """See `ports.Reader`."""
        found = self._manifests.find(kind, namespace, name)
        if found is None and self._live is not None:
            return await self._live.get(kind, namespace, name)
        return found


class Lenient:
    """A reader that takes StorageClasses to be there where its user may not read them."""

    def __init__(self, reader: Lookup) -> None:
        self._reader = reader

    async def get(self, kind: Kind, namespace: str, name: str) -> Body | None:
        """See `ports.Reader`."""
        try:
            return await self._reader.get(kind, namespace, name)
        except Rejected:
            if kind is not STORAGE_CLASS:
                raise
            return {"metadata": {"name": name}}
