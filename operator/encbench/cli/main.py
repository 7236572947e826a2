"""`kubectl encbench`: the command line for people who run campaigns and read reports.

Each command imports what it needs when it is called, so that auditing a CSV does not wait for a
Kubernetes client.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from encbench.cli.flags import parser
from encbench.cli.output import CommandError
from encbench.core.artefact import RecordError
from encbench.kube.parsing import Malformed
from encbench.ports import Rejected, Unavailable


async def run(args: argparse.Namespace) -> int:
    """Run one command; the exit code."""
    if args.command == "audit":
        from encbench.cli import audit  # noqa: PLC0415

        return audit.audit(args)
    from encbench.cli import compare, extend, images, plan, report, watch  # noqa: PLC0415
    from encbench.cli.connection import connected  # noqa: PLC0415

    if args.command == "plan":
        return await plan.plan(args)
    if args.command == "images":
        return await images.images(args)
    if args.command == "compare":
        return await compare.compare(args)
    async with connected(args.namespace) as (cluster, namespace):
        if args.command == "watch":
            return await watch.watch(cluster, namespace, args.campaign, args.timeout)
        if args.command == "extend":
            return await extend.extend(cluster, namespace, args)
        return await report.report(cluster, namespace, args)


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point; the exit code."""
    args = parser().parse_args(argv)
    try:
        return asyncio.run(run(args))
    except (CommandError, Malformed, RecordError, Rejected, Unavailable) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of our output has closed it.
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
