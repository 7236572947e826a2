"""The packaged chart, with what Artifact Hub shows about a version."""

import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.support.chart import CHART, helm

from . import archive
from .oci import About
from .source import REPO


def write(
    folder: Path,
    changes: Sequence[tuple[str, str]],
    images: Mapping[str, Sequence[str]],
    about: About,
) -> Path:
    """The chart's package. `images` has the architectures of each image by its reference."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / CHART.name
        shutil.copytree(CHART, copy)  # with the CRDs that the chart has by a link
        for name in ("LICENSE", "NOTICE"):
            shutil.copy2(REPO / name, copy)
        described = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
        described["annotations"] |= _annotations(changes, images, about)
        text = yaml.safe_dump(described, sort_keys=False, allow_unicode=True, width=1000)
        (copy / "Chart.yaml").write_text(text, encoding="utf-8")
        command = [helm(), "package", str(copy), "--destination", scratch]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        (package,) = Path(scratch).glob("*.tgz")
        # Helm writes the time of packaging into every entry.
        with tarfile.open(package) as tar:
            files = {entry.name: _content(tar, entry) for entry in tar if entry.isreg()}
        target = folder / package.name
        archive.pack(target, files, about.epoch)
    return target


def _content(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(entry)
    assert file is not None
    return file.read()


def _annotations(
    changes: Sequence[tuple[str, str]], images: Mapping[str, Sequence[str]], about: About
) -> dict[str, str]:
    listed: list[dict[str, Any]] = [
        {
            "name": reference.rpartition("/")[2].partition(":")[0],
            "image": reference,
            "platforms": [f"linux/{one}" for one in architectures],
        }
        for reference, architectures in images.items()
    ]
    told = [{"kind": kind, "description": text} for kind, text in changes]
    prerelease = "-" in about.version
    return {
        "artifacthub.io/changes": yaml.safe_dump(told, sort_keys=False, width=1000),
        "artifacthub.io/images": yaml.safe_dump(listed, sort_keys=False, width=1000),
        "artifacthub.io/prerelease": str(prerelease).lower(),
    }
