"""`kubectl encbench compare`: two reports by name or by file."""

import argparse
import contextlib
from pathlib import Path

from encbench.cli import output
from encbench.cli.connection import connected
from encbench.cli.output import CommandError
from encbench.cli.report import fetch, find
from encbench.core.artefact import RecordError, decode
from encbench.report.compare import gate, renderings
from encbench.report.compare.difference import compare as compared
from encbench.report.document import Report

WORSE, OPEN = 1, 3


async def compare(args: argparse.Namespace) -> int:
    """Print how B differs from A; the exit code.

    1 if they have no condition in common. With `--fail-above` also 1 if an overhead grew by more,
    and 3 if that remains open.
    """
    async with contextlib.AsyncExitStack() as stack:
        reports = [await _read(name, args, stack) for name in (args.first, args.second)]
    for one, other in (reports, reports[::-1]):
        if other.campaign.uid in one.contained:
            raise CommandError(
                f"the figures of campaign {one.campaign.name} contain the blocks of campaign "
                f"{other.campaign.name}, which it extends: its page has what each says alone"
            )
    found = compared(*reports)
    if args.fail_above is not None and not args.allow_unlike and (unlike := gate.unlike(found)):
        raise CommandError(
            "the reports measured unlike things, so a difference would say nothing about what "
            f"changed: {'; '.join(unlike)}. Give --allow-unlike to compare them all the same"
        )
    output.write(renderings.RENDERINGS[args.output](found).encode(), args.file)
    if not found.pairs:
        return WORSE
    return 0 if args.fail_above is None else _judge(gate.judge(found, args.fail_above))


def _judge(judged: gate.Judged) -> int:
    for line in (*judged.worse, *judged.open):
        output.say(line)
    return WORSE if judged.worse else OPEN if judged.open else 0


async def _read(name: str, args: argparse.Namespace, stack: contextlib.AsyncExitStack) -> Report:
    if is_file(name):
        content = output.read(name)
    else:
        own, _, short = name.rpartition("/")
        cluster, space = await stack.enter_async_context(connected(args, own))
        content = await fetch(args, cluster, await find(cluster, space, short), "json")
    try:
        return decode(Report, content, name)
    except RecordError as error:
        raise CommandError(f"{error}: name a report.json or an OverheadReport") from error


def is_file(name: str) -> bool:
    """Whether this is a path, not an object's name: the file exists, or it looks like a path."""
    return name == "-" or name.endswith(".json") or Path(name).is_file()
