"""The options by which an installation says what it has, and limits what authors choose.

The operator gets them; `kubectl encbench plan` reads them from the operator's Deployment.
"""

import argparse

from encbench.admission.gather import Allowed, Installed
from encbench.admission.images import Images

_ALLOWED = {
    "allowed-image": "registry, folder or repository of images that campaigns may name; may be "
    "given several times; without it, all",
    "allowed-host": "host of external databases and of jars; *.example.com for all below it; may "
    "be given several times; without it, all",
    "allowed-node-label": "label that a nodeSelector may ask for, key or key=value; may be given "
    "several times; without it, all",
    "allowed-taint": "taint that pods may tolerate, key or key=value; may be given several times; "
    "without it, all",
    "allowed-storage-class": "StorageClass that may be named; may be given several times; without "
    "it, all",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """All of them; without any, nothing is limited."""
    for name, help_text in _ALLOWED.items():
        parser.add_argument(f"--{name}", action="append", default=[], help=help_text)
    parser.add_argument(
        "--image-digests-only", action="store_true", help="refuse images without a digest"
    )
    parser.add_argument(
        "--namespace-trials",
        type=int,
        default=0,
        help="trials that the campaigns of a namespace may plan together; without it, any number",
    )


def installed(options: argparse.Namespace) -> Installed:
    """What an operator with these options has and allows; its choices of images are pairs."""
    return Installed(
        proxy=bool(options.proxy_image),
        fuse=bool(options.volume_image),
        turnstile=bool(options.turnstile_image),
        allowed=_allowed(options),
        images=Images.chosen(options.server_image, options.tool_image),
        namespace_trials=options.namespace_trials,
    )


def _allowed(options: argparse.Namespace) -> Allowed:
    return Allowed(
        images=tuple(one.rstrip("/") for one in options.allowed_image),
        digests_only=options.image_digests_only,
        hosts=tuple(one.lower() for one in options.allowed_host),
        node_labels=tuple(options.allowed_node_label),
        taints=tuple(options.allowed_taint),
        storage_classes=tuple(options.allowed_storage_class),
    )
