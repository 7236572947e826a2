"""`kubectl encbench compare`: two reports by name or by file."""

import argparse
import contextlib
from pathlib import Path

from encbench.cli import output
from encbench.cli.connection import connected
from encbench.cli.output import CommandError
from encbench.cli.report import fetch, find
from encbench.core.artefact import RecordError, decode
from encbench.report.compare import renderings
from encbench.report.compare.difference import compare as compared
from encbench.report.document import Report


async def compare(args: argparse.Namespace) -> int:
    """Print how B differs from A; exit code 1 if they have no condition in common."""
    async with contextlib.AsyncExitStack() as stack:
        reports = [await _read(name, args.namespace, stack) for name in (args.first, args.second)]
    found = compared(*reports)
    output.write(renderings.RENDERINGS[args.output](found).encode(), args.file)
    return 0 if found.pairs else 1


async def _read(name: str, namespace: str | None, stack: contextlib.AsyncExitStack) -> Report:
    if is_file(name):
        content = output.read(name)
    else:
        own, _, short = name.rpartition("/")
        cluster, space = await stack.enter_async_context(connected(own or namespace))
        content = await fetch(cluster, await find(cluster, space, short), "json")
    try:
        return decode(Report, content, name)
    except RecordError as error:
        raise CommandError(f"{error}: name a report.json or an OverheadReport") from error


def is_file(name: str) -> bool:
    """Whether this is a path, not an object's name: the file exists, or it looks like a path."""
    return name == "-" or name.endswith(".json") or Path(name).is_file()
