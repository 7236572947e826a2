"""The options by which an administrator limits what authors choose.

The operator gets them; `kubectl encbench plan` reads them from the operator's Deployment.
"""

import argparse

from encbench.admission.gather import Allowed

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


def allowed(options: argparse.Namespace) -> Allowed:
    """What such options allow."""
    return Allowed(
        images=tuple(one.rstrip("/") for one in options.allowed_image),
        digests_only=options.image_digests_only,
        hosts=tuple(one.lower() for one in options.allowed_host),
        node_labels=tuple(options.allowed_node_label),
        taints=tuple(options.allowed_taint),
        storage_classes=tuple(options.allowed_storage_class),
    )
