"""Images as OCI archives: one archive an image, with an entry for each architecture.

What buildah writes differs from build to build in times and in a few files. Here a layer becomes a
function of what was installed:

- What the build itself made has the release's time. That is everything of the hour before the
  layer's newest file, which is how long a build may take. Files of packages are older and keep
  their time, because Python and Java trust what they compiled in advance only if it fits.
- Caches of the linker and logs are left out, and so are this machine's name, its name servers and
  the empty places where settings of pip and Maven were mounted.
  `/etc/shadow` says that no password was changed; Java added all authorities at the release's time.
"""

import hashlib
import io
import json
import re
import struct
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from encbench.api.conditions import format_time
from tests.cluster.console import ClusterError

from . import keystore
from .archive import Sink, compressed

_TYPE = "application/vnd.oci.image"
_BUILD = 3600
"""Seconds; see `tests.cluster.images`."""
_LEFT_OUT = re.compile(
    r"var/cache/ldconfig/aux-cache|var/log/.+"
    r"|etc/pip\.conf|root/\.mavenrc|(root/\.m2|run/encbench-build)(/.*)?"
)
"""Caches and logs, and what `tests.cluster.pip_settings` and `maven_settings` mount."""
_AUTHORITIES = "etc/ssl/certs/java/cacerts"
_CHANGES = re.compile(rf"etc/(shadow-?|hostname|resolv\.conf)|{_AUTHORITIES}")
_CHANGED = re.compile(rb"^([^:]*:[^:]*):\d+:", re.MULTILINE)
_MACHINES = {"amd64": 62, "arm64": 183}
"""By architecture, what the head of each program and library says."""

Json = dict[str, Any]


@dataclass(frozen=True)
class About:
    """What all images of a release say about themselves."""

    version: str
    commit: str
    epoch: int

    @property
    def time(self) -> str:
        """The release's time as OCI writes times."""
        return format_time(datetime.fromtimestamp(self.epoch, UTC))


@dataclass(frozen=True)
class Written:
    """An archive's digests: of its index, and of each architecture's manifest."""

    digest: str
    manifests: Mapping[str, str]


def write(target: Path, name: str, tag: str, archives: Mapping[str, Path], about: About) -> Written:
    """The OCI archive of an image, from an archive of `podman save`'s format an architecture."""
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        layout = _Layout(Path(scratch))
        manifests = [
            {**_manifest(layout, archive, architecture, name, about), **_platform(architecture)}
            for architecture, archive in sorted(archives.items())
        ]
        index: Json = {
            "schemaVersion": 2,
            "mediaType": f"{_TYPE}.index.v1+json",
            "manifests": manifests,
            "annotations": _annotations(name, about),
        }
        whole = layout.put(index["mediaType"], index)
        # The first is for tools that copy to a registry, the second for nodes that import the file.
        names = {
            "org.opencontainers.image.ref.name": tag,
            "io.containerd.image.name": f"docker.io/encbench/{name}:{tag}",
        }
        named = {**whole, "annotations": names}
        layout.finish({"schemaVersion": 2, "manifests": [named]})
        with tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as tar:
            for file in sorted(file for file in layout.root.rglob("*") if file.is_file()):
                info = tarfile.TarInfo(str(file.relative_to(layout.root)))
                info.size, info.mtime = file.stat().st_size, about.epoch
                with file.open("rb") as content:
                    tar.addfile(info, content)
    by_architecture = {one["platform"]["architecture"]: one["digest"] for one in manifests}
    return Written(whole["digest"], by_architecture)


@dataclass(frozen=True)
class _Layout:
    """An OCI layout in a folder."""

    root: Path

    def put(self, media_type: str, content: Json) -> Json:
        """Store a document; its descriptor."""
        raw = json.dumps(content, indent=1, sort_keys=True).encode()
        digest = hashlib.sha256(raw).hexdigest()
        self.blob(digest).write_bytes(raw)
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(raw)}

    def blob(self, digest: str) -> Path:
        folder = self.root / "blobs" / "sha256"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / digest

    def finish(self, index: Json) -> None:
        (self.root / "index.json").write_text(json.dumps(index, indent=1, sort_keys=True))
        (self.root / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')


def _platform(architecture: str) -> Json:
    return {"platform": {"os": "linux", "architecture": architecture}}


def _annotations(name: str, about: About) -> dict[str, str]:
    said = {
        "created": about.time,
        "revision": about.commit,
        "title": f"encbench/{name}",
        "version": about.version,
    }
    return {f"org.opencontainers.image.{key}": value for key, value in said.items()}


def _manifest(layout: _Layout, archive: Path, architecture: str, name: str, about: About) -> Json:
    """Store one architecture's image; the descriptor of its manifest."""
    with tarfile.open(archive) as tar:
        (saved,) = json.loads(_read(tar, "manifest.json"))
        config = json.loads(_read(tar, saved["Config"]))
        if config["architecture"] != architecture:
            raise ClusterError(f"{archive} is for {config['architecture']}, not {architecture}")
        layers = [_layer(layout, tar, one, architecture, about.epoch) for one in saved["Layers"]]
    # Many tools show labels alone. Those of the build say only which builder it had.
    said = config["config"] | {"Labels": _annotations(name, about)}
    document = {
        "architecture": architecture,
        "os": "linux",
        "created": about.time,
        "config": {key: value for key, value in said.items() if _says(key, value)},
        "rootfs": {"type": "layers", "diff_ids": [diff for diff, _ in layers]},
        "history": [{**one, "created": about.time} for one in config["history"]],
    }
    manifest: Json = {
        "schemaVersion": 2,
        "mediaType": f"{_TYPE}.manifest.v1+json",
        "config": layout.put(f"{_TYPE}.config.v1+json", document),
        "layers": [descriptor for _, descriptor in layers],
        "annotations": _annotations(name, about),
    }
    return layout.put(manifest["mediaType"], manifest)


_CONFIG = ("User", "ExposedPorts", "Env", "Entrypoint", "Cmd", "Volumes", "WorkingDir", "Labels")


def _says(key: str, value: Any) -> bool:
    return key in _CONFIG and value not in (None, "", [], {})


def _read(tar: tarfile.TarFile, name: str) -> bytes:
    file = tar.extractfile(name)
    if file is None:
        raise ClusterError(f"there is no {name} in the image archive")
    return file.read()


def opened(archive: Path) -> Iterator[tarfile.TarFile]:
    """The layers of an image as `podman save` writes it, the lowest first."""
    with tarfile.open(archive) as tar:
        (saved,) = json.loads(_read(tar, "manifest.json"))
        for name in saved["Layers"]:
            with tarfile.open(fileobj=tar.extractfile(name)) as layer:
                yield layer


def _layer(
    layout: _Layout, outer: tarfile.TarFile, name: str, architecture: str, epoch: int
) -> tuple[str, Json]:
    """Store a layer; the digest of its files and its descriptor."""
    temporary = layout.root / "layer"
    with temporary.open("wb") as raw:
        packed = _Digest(raw)
        with compressed(packed) as stream:
            plain = _Digest(stream)
            with tarfile.open(fileobj=outer.extractfile(name)) as source:
                _rewrite(source, plain, architecture, epoch)
    temporary.rename(layout.blob(packed.sha.hexdigest()))
    descriptor = {
        "mediaType": f"{_TYPE}.layer.v1.tar+gzip",
        "digest": f"sha256:{packed.sha.hexdigest()}",
        "size": packed.size,
    }
    return f"sha256:{plain.sha.hexdigest()}", descriptor


def _rewrite(source: tarfile.TarFile, target: "_Digest", architecture: str, epoch: int) -> None:
    entries = source.getmembers()
    began = max((entry.mtime for entry in entries), default=0) - _BUILD
    with tarfile.open(fileobj=target, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        for entry in entries:
            path = entry.name.removeprefix("./").rstrip("/")
            if _LEFT_OUT.fullmatch(path):
                continue
            content: IO[bytes] | None = source.extractfile(entry) if entry.isreg() else None
            if content is not None and _CHANGES.fullmatch(path):
                text = _constant(path, content.read(), epoch)
                content, entry.size = io.BytesIO(text), len(text)
            if content is not None and not _runs(content, architecture):
                raise ClusterError(f"{path} does not run on {architecture}")
            entry.mtime = epoch if entry.mtime >= began else int(entry.mtime)
            entry.uname = entry.gname = ""
            # Times to the nanosecond go; extended attributes, such as capabilities, stay.
            entry.pax_headers = {
                key: value
                for key, value in entry.pax_headers.items()
                if key.startswith("SCHILY.xattr.")
            }
            tar.addfile(entry, content)


def _runs(content: IO[bytes], architecture: str) -> bool:
    """Whether a file is a program or library for that architecture, or neither of them."""
    head = content.read(20)
    content.seek(0)
    if len(head) < 20 or not head.startswith(b"\x7fELF"):
        return True
    return bool(struct.unpack_from("<H", head, 18)[0] == _MACHINES[architecture])


def _constant(path: str, content: bytes, epoch: int) -> bytes:
    if path == _AUTHORITIES:
        return keystore.dated(content, epoch)
    if path.startswith("etc/shadow"):
        return _CHANGED.sub(rb"\1::", content)
    return b""


class _Digest(io.RawIOBase):
    """Passes bytes on, and knows their digest and number."""

    def __init__(self, target: Sink) -> None:
        super().__init__()
        self._target = target
        self.sha = hashlib.sha256()
        self.size = 0

    def write(self, data: Any, /) -> int:
        self._target.write(data)
        self.sha.update(data)
        self.size += len(data)
        return len(data)
