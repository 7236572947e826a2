"""The command line: ``python3 -m tests.cluster {up,down,lose,kubeconfig,images,status,build}``.

Progress goes to standard error, results such as paths to standard output.
"""

import argparse
import sys
from contextlib import AbstractContextManager, nullcontext

from . import (
    artefacts,
    binaries,
    bring_up,
    cache,
    cleanup,
    images,
    lock,
    nodes,
    packages,
    preflight,
    status,
)
from .console import ClusterError, Console
from .layout import Layout

_EPILOG = """\
environment:
  ENCBENCH_CACHE          compiled binaries and images, which 'down' leaves alone
                          (default: encbench in $XDG_CACHE_HOME or ~/.cache)
  ENCBENCH_CLUSTER_STATE  the cluster's data, logs and keys (default: /var/lib/encbench-cluster);
                          'down' removes it
  ENCBENCH_CLUSTER_NODES  the number of nodes, unless --nodes is given (default: 1)
  ENCBENCH_CLUSTER_POLICIES
                          1: NetworkPolicies are in force (default: 0)
  ENCBENCH_KUBERNETES     its minor version, such as 1.32 (default: 1.34)
"""


def main() -> int:
    """Run one command; a failure is one sentence."""
    options = _parser().parse_args()
    layout = Layout.from_environment()
    console = Console()
    try:
        _run(options, layout, console)
        return 0
    except ClusterError as error:
        console.say(f"failed: {error}")
    except KeyboardInterrupt:
        console.say("interrupted; run 'up' again to continue or 'down' to clean up")
    return 1


def _run(options: argparse.Namespace, layout: Layout, console: Console) -> None:
    if options.command == "kubeconfig":
        if not layout.kubeconfig.exists():
            raise ClusterError("there is no cluster; run 'up' first")
        print(layout.kubeconfig)
        return
    preflight.check_host()
    if options.command == "status":
        print("\n".join(status.lines(layout)))
        return
    with cache.exclusive(layout, console), _cluster_alone(options, console):
        cache.drop_unfinished(layout)
        if options.command == "down":
            cleanup.down(layout, console)
            console.say(f"the cluster is gone; {layout.cache} and Debian packages stay")
            return
        if options.command == "lose":
            cleanup.lose(layout, console, options.node)
            return
        packages.ensure(layout, console)
        images.prepare(layout)
        if options.command == "up":
            count = options.nodes or nodes.count_from_environment()
            further = _chosen(layout, options.images) if options.images else ()
            bring_up.up(layout, console, count, further, pull=options.pull)
            console.say("the cluster is ready")
            print(layout.kubeconfig)
            return
        builds = options.command == "build"
        usual = [name for name, part in binaries.PARTS.items() if not part.rare]
        parts = [*([] if options.names else usual), *binaries.core_parts()] if builds else ()
        names = _chosen(layout, options.names)
        # A node needs some, whatever is asked for.
        names = [*dict.fromkeys((*images.CORE_IMAGES, *names))] if builds else names
        _, archives = artefacts.make(layout, console, parts, names, pull=options.pull)
        if not builds:
            bring_up.import_images(layout, console, archives)


def _cluster_alone(options: argparse.Namespace, console: Console) -> AbstractContextManager[None]:
    """The lock of the cluster, which `build` leaves as it is."""
    return nullcontext() if options.command == "build" else lock.machine(console)


def _chosen(layout: Layout, names: list[str]) -> list[str]:
    """The images asked for, or all that can be built."""
    buildable = images.buildable(layout)
    names = [image for name in names for image in images.SETS.get(name, (name,))]
    for name in names:
        if name not in buildable:
            raise ClusterError(f"there is no image {name}; there are {', '.join(buildable)}")
    return names or buildable


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m tests.cluster",
        description="A real Kubernetes on this machine, without Docker and without a registry.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    up = commands.add_parser(
        "up", help="bring the cluster up, or have nodes join it, and print its kubeconfig's path"
    )
    up.add_argument(
        "--nodes", type=int, choices=range(1, nodes.MOST + 1), help="how many nodes it has"
    )
    up.add_argument(
        "--images", nargs="+", metavar="name", default=[], help="hand it these meanwhile, too"
    )
    commands.add_parser("down", help="end it and remove every trace but the cache and packages")
    lost = commands.add_parser("lose", help="cut a further node off; 'up' boots it again")
    lost.add_argument("node", help="its name, as Kubernetes has it")
    commands.add_parser("kubeconfig", help="print the path of the administrator's kubeconfig")
    built = commands.add_parser("images", help="build images and hand them to the running cluster")
    commands.add_parser("status", help="say what runs and where its files are")
    build = commands.add_parser(
        "build", help="fill the cache with all, or with what these images need; start nothing"
    )
    for command in (built, build):
        command.add_argument(
            "names",
            nargs="*",
            metavar="name",
            help=f"all unless named: {', '.join(images.RECIPES)}; or demo, for what it needs",
        )
    for command in (up, built, build):
        command.add_argument(
            "--pull", action="store_true", help="pull the base image instead of making it here"
        )
    return parser


if __name__ == "__main__":
    sys.exit(main())
