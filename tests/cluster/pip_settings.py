"""What ``pip`` needs inside a build, mounted for its duration so that no image remembers it.

Where this host's environment says which index to use or which certificates to trust, the build
follows; where it says nothing, pip's own defaults hold. Downloads are kept in the cache.
"""

import configparser
import os
from pathlib import Path
from typing import Final

from .layout import Layout

_INSIDE: Final = "/run/encbench-build"
_PASSED_ON: Final = {
    "PIP_INDEX_URL": "index-url",
    "PIP_EXTRA_INDEX_URL": "extra-index-url",
    "PIP_TRUSTED_HOST": "trusted-host",
    "PIP_DEFAULT_TIMEOUT": "timeout",
}
_CERTIFICATES: Final = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")


def volumes(layout: Layout, scratch: Path) -> list[str]:
    """Buildah arguments that mount all that; the settings file is written to ``scratch``."""
    downloads = layout.cache / "pip"
    downloads.mkdir(parents=True, exist_ok=True)
    settings = {"cache-dir": f"{_INSIDE}/downloads"}
    mounts = [f"{downloads}:{_INSIDE}/downloads"]
    settings |= {key: os.environ[name] for name, key in _PASSED_ON.items() if os.environ.get(name)}
    bundle = next((os.environ[name] for name in _CERTIFICATES if os.environ.get(name)), None)
    if bundle is not None and Path(bundle).is_file():
        settings["cert"] = f"{_INSIDE}/certificates.pem"
        mounts.append(f"{bundle}:{settings['cert']}:ro")
    wheels = os.environ.get("PIP_FIND_LINKS", "")
    if wheels and Path(wheels).is_dir():
        settings["find-links"] = f"{_INSIDE}/wheels"
        mounts.append(f"{wheels}:{settings['find-links']}:ro")
    parser = configparser.RawConfigParser()
    parser["global"] = settings
    file = scratch / "pip.conf"
    with file.open("w") as handle:
        parser.write(handle)
    mounts.append(f"{file}:/etc/pip.conf:ro")
    return [argument for mount in mounts for argument in ("--volume", mount)]
