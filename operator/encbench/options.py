"""The operator's command line."""

import argparse
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from encbench.admission import limits
from encbench.admission.images import SERVERS, TOOLS

IMAGES = {
    "image": "image of agent and recorder: the operator's",
    "volume-image": "image with gocryptfs; without it, modes that need a privileged container are "
    "refused",
    "proxy-image": "image of the confidential proxy; without it, modes with columns are refused",
    "turnstile-image": "image of the turnstile; without it, interleaved blocks are refused",
}

CHOICES = {
    "server-image": (
        SERVERS,
        "ENGINE=REPOSITORY: server of templates without an image, whose version is the tag",
    ),
    "tool-image": (TOOLS, "TOOL=IMAGE: client of workloads without an image"),
}


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="encbench",
        description="Operator that measures what turning database encryption on costs.",
    )
    parser.add_argument(
        "command",
        nargs="?",
        choices=("run", "check", "let-go"),
        default="run",
        help="run: the operator; check: test that API server, object store and Prometheus answer; "
        "let-go: have no campaign wait for the operator, before it is uninstalled",
    )
    parser.add_argument(
        "--namespace",
        action="append",
        required=True,
        help="namespace to watch; may be given several times",
    )
    parser.add_argument(
        "--release-namespace",
        default="",
        help="the operator's own; when it is deleted, no campaign waits for the operator any more",
    )
    parser.add_argument(
        "--lease-namespace",
        default="",
        help="namespace of the leases of nodes, the same for all operators of a cluster; without "
        "it, the operator's own",
    )
    parser.add_argument(
        "--election",
        default="encbench",
        help="beginning of the names of the shards' Leases, the same for all processes of an "
        "installation and for no others",
    )
    parser.add_argument(
        "--shards", type=int, default=1, help="processes that share the campaigns among them"
    )
    parser.add_argument(
        "--pod",
        default="",
        help="the pod in which this process is the only one, so that it need not wait for the "
        "Lease of an earlier one",
    )
    for name, help_text in IMAGES.items():
        parser.add_argument(f"--{name}", default="", help=help_text)
        parser.add_argument(
            f"--{name}-pull-policy",
            default="IfNotPresent",
            choices=("Always", "IfNotPresent", "Never"),
        )
    for name, (known, help_text) in CHOICES.items():
        parser.add_argument(
            f"--{name}", action="append", default=[], type=partial(_choice, known), help=help_text
        )
    parser.add_argument(
        "--image-pull-secret",
        action="append",
        default=[],
        help="Secret in each watched namespace by which every pod may pull its images; may be "
        "given several times",
    )
    for what in ("label", "annotation"):
        parser.add_argument(
            f"--pod-{what}",
            action="append",
            default=[],
            type=_mark,
            metavar="NAME=VALUE",
            help=f"{what} of every pod of databases, loads and clients; may be given several times",
        )
    parser.add_argument(
        "--pod-priority-class",
        default="",
        help="PriorityClass of every such pod, if not the default",
    )
    parser.add_argument(
        "--admission-policy",
        action="append",
        default=[],
        help="binding of a ValidatingAdmissionPolicy of the chart; may be given several times",
    )
    limits.add_options(parser)
    parser.add_argument("--s3-endpoint", required=True, help="URL of the object store")
    parser.add_argument("--s3-external-endpoint", help="its URL for clients, if it differs")
    parser.add_argument("--s3-bucket", default="encbench", help="bucket for all artefacts")
    parser.add_argument("--s3-region", default="us-east-1")
    parser.add_argument(
        "--s3-credentials-dir",
        type=Path,
        help="directory with the files access-key, secret-key and, for temporary credentials, "
        "session-token; without it, the role of the service account is used",
    )
    parser.add_argument("--s3-ca-file", type=Path, help="CA certificates of the object store")
    parser.add_argument("--prometheus-url", required=True)
    parser.add_argument("--prometheus-ca-file", type=Path, help="CA certificates of Prometheus")
    parser.add_argument(
        "--metrics-port", type=int, help="serve the operator's own metrics there, at /metrics"
    )
    parser.add_argument("--liveness", help="URL to serve the liveness probe at")
    parser.add_argument("--log-format", choices=("text", "json"), default="text")
    parser.add_argument("--log-level", choices=("debug", "info", "warning"), default="info")
    return parser


def _choice(known: Mapping[str, str], text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if name not in known or not value:
        raise argparse.ArgumentTypeError(f"write one of {', '.join(known)}, = and a reference")
    return name, value


def _mark(text: str) -> tuple[str, str]:
    name, is_given, value = text.partition("=")
    if not name or not is_given or name.startswith("encbench.io/"):
        raise argparse.ArgumentTypeError("write a name that is not encbench's own, = and a value")
    return name, value
