"""`kubectl encbench`: the command line for people who run campaigns and read reports.

Each command is the function of its name in the module of its name, which is imported when the
command is called, so that auditing a CSV does not wait for what a plan needs.
"""

import argparse
import asyncio
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from pydantic import ValidationError

from encbench.cli.flags import parser
from encbench.cli.output import CommandError, reason, say, write_in_any_encoding
from encbench.core.artefact import RecordError
from encbench.kube.parsing import Malformed
from encbench.ports import NotAuthenticated, NotNow, NotServed, Rejected, Unavailable

MAY_DO_WITHOUT = ("plan", "images", "compare", "history", "verify")
"""Commands that need a cluster for some of their arguments only."""
ENDED_BY_SIGNAL = (130, 143, 129)
"""Exit codes after Ctrl-C, SIGTERM and SIGHUP."""


async def run(args: argparse.Namespace) -> int:
    """Run one command; the exit code."""
    command = getattr(import_module(f"encbench.cli.{args.command}"), args.command)
    if args.command == "audit":
        return int(command(args))
    if args.command in MAY_DO_WITHOUT:
        return int(await command(args))
    from encbench.cli.connection import connected  # noqa: PLC0415

    async with connected(args) as (cluster, namespace):
        return int(await command(cluster, namespace, args))


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point; the exit code."""
    write_in_any_encoding()
    args = parser().parse_args(argv)
    try:
        code = asyncio.run(run(args))
        sys.stdout.flush()
    except NotServed as error:
        say(f"error: {error}, or name another context with --context")
        return 2
    except (CommandError, Malformed, RecordError, Rejected, NotNow, NotAuthenticated) as error:
        # An object or a record that does not fit its model is of another version as a rule.
        is_unfit = isinstance(error.__cause__, ValidationError)
        say(f"error: {error}" + (": use the plugin of the operator's version" if is_unfit else ""))
        return 2
    except Unavailable as error:
        # The API server: `installation` has a CommandError where the object store is away.
        say(
            f"error: the cluster does not answer ({error}): see that it runs, or name another "
            "context with --context"
        )
        return 2
    except OSError as error:
        _drop_output()
        if isinstance(error, BrokenPipeError):
            # As if SIGPIPE had ended it: 0 would be a verdict that was not read.
            return 141
        say(f"error: {reason(error)}")
        return 2
    except KeyboardInterrupt:
        return 130
    except Exception:
        # Python would exit with 1, which is the code of a bad answer.
        say(traceback.format_exc())
        return 2
    return code


def program() -> NoReturn:
    """What the shell starts: `main`, and the end of the process with its exit code.

    Python would first wait for threads that a signal left behind, which a store that does not
    answer holds for a minute and a half.
    """
    try:
        code = main()
    except SystemExit as ended:
        if ended.code not in ENDED_BY_SIGNAL:
            raise
        code = int(ended.code)
    if code not in ENDED_BY_SIGNAL:
        sys.exit(code)
    _drop_output()
    os._exit(code)


def _drop_output() -> None:
    """Drop what standard output does not take, which Python would try again at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    program()
