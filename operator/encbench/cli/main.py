"""`kubectl encbench`: the command line for people who run campaigns."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from encbench import __version__
from encbench.adapters.kubernetes import KubernetesCluster, connect
from encbench.cli import report, watch
from encbench.cli.errors import CommandError
from encbench.ports import Rejected, Unavailable


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="kubectl encbench", description="Watch campaigns and read their reports."
    )
    top.add_argument("--version", action="version", version=f"encbench {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="command")
    watching = commands.add_parser(
        "watch", help="show a campaign's progress until it ends; exit code 1 when it fails"
    )
    reading = commands.add_parser("report", help="print a campaign's report, or fetch it")
    for command in (watching, reading):
        command.add_argument("campaign", help="name of the campaign")
        command.add_argument("-n", "--namespace", help="its namespace; the kubeconfig's by default")
    watching.add_argument(
        "--timeout", type=float, metavar="SECONDS", help="give up after this time with exit code 3"
    )
    reading.add_argument(
        "-o",
        "--output",
        choices=("text", "html", "md", "csv", "json"),
        default="text",
        help="text prints the table; the others are fetched from the bucket",
    )
    reading.add_argument("-f", "--file", help="write to this file instead of standard output")
    return top


async def run(args: argparse.Namespace) -> int:
    """Run one command; the exit code."""
    client = await connect()
    try:
        cluster = KubernetesCluster(client)
        namespace = args.namespace or await current_namespace()
        if args.command == "watch":
            return await watch.watch(cluster, namespace, args.campaign, args.timeout)
        return await report.report(cluster, namespace, args.campaign, args.output, args.file)
    finally:
        await client.close()  # type: ignore[no-untyped-call]


async def current_namespace() -> str:
    """The namespace of the kubeconfig's current context."""
    process = await asyncio.create_subprocess_exec(
        "kubectl",
        "config",
        "view",
        "--minify",
        "--output=jsonpath={..namespace}",
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate()
    return said.decode().strip() or "default"


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point; the exit code."""
    args = parser().parse_args(argv)
    try:
        return asyncio.run(run(args))
    except (CommandError, Unavailable, Rejected) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
