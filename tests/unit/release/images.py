"""Images as they are before a release makes them reproducible."""

import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path

BUILT = 1_800_000_000


def saved(
    target: Path, files: Mapping[str, tuple[bytes, float]], *, now: int = BUILT, architecture: str
) -> Path:
    """An image as `podman save` writes it: one layer of files with their times."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, (content, mtime) in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.uid, info.uname = len(content), mtime, 7, "builder"
            if name.endswith("ping"):
                info.pax_headers = {"SCHILY.xattr.security.capability": "net_raw"}
            tar.addfile(info, io.BytesIO(content))
    config = {
        "architecture": architecture,
        "created": f"at {now}",
        "config": {
            "Cmd": ["run"],
            "Env": None,
            "Hostname": "builder",
            "Labels": {"io.buildah.version": "1"},
        },
        "history": [{"created": f"at {now}", "created_by": "ADD"}],
    }
    parts = {
        "manifest.json": json.dumps([{"Config": "config", "Layers": ["layer.tar"]}]).encode(),
        "config": json.dumps(config).encode(),
        "layer.tar": layer.getvalue(),
    }
    with tarfile.open(target, "w") as tar:
        for name, content in parts.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return target
