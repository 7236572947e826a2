"""`kubectl encbench verify`: a report, its records and its tables, checked against each other."""

import argparse
import asyncio
import contextlib
import re
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from encbench.cli import installation, output
from encbench.cli.connection import connected, kubectl
from encbench.cli.output import CommandError
from encbench.cli.report import find
from encbench.core.naming import INDEX
from encbench.report.analysis.bucket import Load, ObjectMissing
from encbench.wire.foreign import parsed

if TYPE_CHECKING:
    from encbench.ports import Store
    from encbench.report.verify.verification import Verified

_NAME = re.compile(r"([a-z0-9-]+/)?[a-z0-9][a-z0-9.-]*")
"""What could be an OverheadReport's name, as in name or namespace/name."""


async def verify(args: argparse.Namespace) -> int:
    """Print what is lost, altered, unnamed or differs; exit code 0 if nothing is, else 1."""
    try:
        # Its intervals are made again, with what is not among what the plugin always brings.
        import scipy  # noqa: F401, PLC0415
    except ModuleNotFoundError as error:
        advice = output.adding("scipy")
        raise CommandError(f"to make a report again needs {error.name}: {advice}") from error
    if _is_folder(args):
        what, found = f"folder {args.report}", _folder(args.report)
    else:
        _warn_of_a_folder(args)
        what, found = await _bucket(args)
    for note in found.notes:
        output.say(f"note: {note}")
    for one in found.findings:
        output.say(f"{one.kind:8} {one.key}{': ' if one.why else ''}{one.why}", sys.stdout)
    output.say(f"{what}: {found}", sys.stdout)
    return 1 if found.findings else 0


def _is_folder(args: argparse.Namespace) -> bool:
    """Whether this is a copy of a campaign's folder, and not an object's name.

    Other folders may have the name of a report, as those of its tables or its manifests.
    """
    name = args.report
    if "/" not in name and _names_a_cluster(args):
        return False
    if (Path(name) / INDEX).is_file():
        return True
    return Path(name).is_dir() and not _NAME.fullmatch(name)


def _warn_of_a_folder(args: argparse.Namespace) -> None:
    """A copy without its index is not taken for one."""
    name = args.report
    if Path(name).is_dir() and not _names_a_cluster(args):
        output.say(f"note: folder {name} has no {INDEX}: write ./{name} if you mean the folder")


def _names_a_cluster(args: argparse.Namespace) -> bool:
    return bool(args.namespace or args.context or args.kubeconfig)


@dataclass(frozen=True)
class Copy:
    """A copy of a campaign's folder; those of campaigns that it extends lie beside it."""

    root: Path
    prefix: str

    def load(self, key: str) -> bytes:
        """An object's content; ObjectMissing where the copy has no such file."""
        parts = PurePosixPath(key).parts
        own = PurePosixPath(self.prefix).parts
        inside = parts[: len(own)] == own
        path = self.root.joinpath(*parts[len(own) :]) if inside else _beside(self.root, parts)
        if ".." in parts or not path.is_file():
            raise ObjectMissing(key)
        return path.read_bytes()

    def keys(self) -> list[str]:
        """The key of every file."""
        files = (path for path in sorted(self.root.rglob("*")) if path.is_file())
        return [f"{self.prefix}/{path.relative_to(self.root).as_posix()}" for path in files]


def _beside(root: Path, parts: tuple[str, ...]) -> Path:
    """Campaigns of one namespace have their folders beside each other."""
    return root.resolve().parent.joinpath(*parts[1:])


def _folder(name: str) -> "Verified":
    from encbench.report.verify.verification import verify as verified  # noqa: PLC0415

    root = Path(name)
    if not (root / INDEX).is_file():
        raise CommandError(f"there is no {INDEX} in {root}: name a copy of a campaign's folder")
    copy = Copy(root, _prefix(root))
    return verified(copy.prefix, copy.keys(), copy.load, {})


def _prefix(root: Path) -> str:
    """The prefix in the bucket, which the folder copies; its name where neither file says."""
    for name in (INDEX, "report/report.json"):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            return str(parsed((root / name).read_bytes())["storage"]["prefix"])
    return root.resolve().name


async def _bucket(args: argparse.Namespace) -> tuple[str, "Verified"]:
    """The report's name with its namespace, and what was found."""
    space, _, name = args.report.rpartition("/")
    async with connected(args, space or None) as (cluster, namespace):
        report = await find(cluster, namespace, name)
        artefacts = report.status.artefacts
        if artefacts is None:
            raise CommandError(f"report {name} is not written yet: try again in a moment")
        own = (artefacts.index, artefacts.html, artefacts.markdown, artefacts.csv, artefacts.json_)
        named = {part.key: part.digest for part in (*own, *artefacts.tables)}
        prefix = artefacts.index.key.removesuffix(f"/{INDEX}")
        way = (kubectl(args), cluster, namespace, args.release_namespace)
        async with installation.store(*way) as store:
            if other := installation.other_bucket(artefacts.bucket, store):
                output.say(f"note: {other}")
            found = await _stored(store, prefix, named)
    return f"report {namespace}/{name}", found


async def _stored(store: "Store", prefix: str, published: Mapping[str, str]) -> "Verified":
    """In a thread, because what makes a report calls for its objects and waits for them."""
    from encbench.report.verify.verification import verify as verified  # noqa: PLC0415

    keys = await store.list(f"{prefix}/")
    loop = asyncio.get_running_loop()
    # The loop's own threads are waited for, also after Ctrl-C.
    thread = ThreadPoolExecutor(1)
    return await loop.run_in_executor(
        thread, verified, prefix, keys, _loader(store, loop), published
    )


def _loader(store: "Store", loop: asyncio.AbstractEventLoop) -> Load:
    def load(key: str) -> bytes:
        content = asyncio.run_coroutine_threadsafe(store.get(key), loop).result()
        if content is None:
            raise ObjectMissing(key)
        return content

    return load
