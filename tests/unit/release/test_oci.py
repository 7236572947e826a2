"""Images as OCI archives: equal for equal contents, whenever and however often they were built."""

import gzip
import hashlib
import io
import json
import struct
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.console import ClusterError
from tests.release import keystore, oci
from tests.release.oci import About
from tests.unit.release.images import BUILT, saved

ABOUT = About("1.2.0", "c0ffee", 1_700_000_000)
SHIPPED = 1_600_000_000


def program(machine: int) -> bytes:
    """The head of a program for x86-64 (62) or AArch64 (183)."""
    return b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack("<HH", 2, machine) + b"text"


def files(now: int) -> dict[str, tuple[bytes, float]]:
    return {
        "./usr/lib/python3/os.py": (b"pass", SHIPPED),
        "./usr/bin/ping": (b"\x7fELF", SHIPPED + 0.25),
        "./etc/made": (b"by a script", now - 900.5),
        "./etc/shadow": (f"root:*:{now // 86400}:0:99999:7:::\n".encode(), now),
        "./etc/hostname": (f"builder-{now}\n".encode(), now),
        "./var/cache/ldconfig/aux-cache": (str(now).encode(), now),
        "./var/log/dpkg.log": (str(now).encode(), now),
        "./etc/pip.conf": (b"", now),
        "./root/.m2/settings.xml": (b"", now),
        "./root/.mavenrc": (b"", now),
        "./run/encbench-build/certificates.pem": (b"", now),
    }


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    made = saved(tmp_path / "saved", files(BUILT), architecture="amd64")
    other = saved(tmp_path / "other", files(BUILT), architecture="arm64")
    oci.write(tmp_path / "x.tar", "x", "1.0", {"arm64": other, "amd64": made}, ABOUT)
    return tmp_path / "x.tar"


class Layout:
    """What an OCI archive says, each blob checked against its name."""

    def __init__(self, archive: Path) -> None:
        with tarfile.open(archive) as tar:
            self.files = {one.name: _content(tar, one) for one in tar}
        for name, content in self.files.items():
            if name.startswith("blobs/"):
                assert name == f"blobs/sha256/{hashlib.sha256(content).hexdigest()}"
        (self.top,) = json.loads(self.files["index.json"])["manifests"]
        self.index = self.document(self.top)

    def document(self, descriptor: Mapping[str, Any]) -> Any:
        return json.loads(self.blob(descriptor))

    def blob(self, descriptor: Mapping[str, Any]) -> bytes:
        content = self.files[f"blobs/{descriptor['digest'].replace(':', '/')}"]
        assert descriptor["size"] == len(content)
        return content


def _content(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(entry)
    assert file is not None
    return file.read()


def test_an_entry_for_each_architecture(archive: Path) -> None:
    layout = Layout(archive)
    assert layout.top["annotations"] == {
        "org.opencontainers.image.ref.name": "1.0",
        "io.containerd.image.name": "docker.io/encbench/x:1.0",
    }
    platforms = [one["platform"]["architecture"] for one in layout.index["manifests"]]
    assert platforms == ["amd64", "arm64"]
    for entry in layout.index["manifests"]:
        manifest = layout.document(entry)
        assert manifest["annotations"]["org.opencontainers.image.revision"] == "c0ffee"
        config = layout.document(manifest["config"])
        assert config["architecture"] == entry["platform"]["architecture"]
        assert config["config"] == {"Cmd": ["run"], "Labels": manifest["annotations"]}
        plain = [gzip.decompress(layout.blob(one)) for one in manifest["layers"]]
        assert config["rootfs"]["diff_ids"] == [
            f"sha256:{hashlib.sha256(one).hexdigest()}" for one in plain
        ]


def test_packages_keep_their_time_and_what_was_made_has_the_releases(archive: Path) -> None:
    layout = Layout(archive)
    (layer,) = layout.document(layout.index["manifests"][0])["layers"]
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(layout.blob(layer)))) as tar:
        entries = {one.name.removeprefix("./"): one for one in tar}
        assert {name: one.mtime for name, one in entries.items()} == {
            "usr/lib/python3/os.py": SHIPPED,
            "usr/bin/ping": SHIPPED,
            "etc/made": ABOUT.epoch,
            "etc/shadow": ABOUT.epoch,
            "etc/hostname": ABOUT.epoch,
        }
        assert entries["etc/hostname"].size == 0
        assert _content(tar, entries["etc/shadow"]) == b"root:*::0:99999:7:::\n"
        assert entries["usr/bin/ping"].pax_headers["SCHILY.xattr.security.capability"]
        assert {(one.uid, one.uname) for one in entries.values()} == {(7, "")}


def test_another_build_gives_the_same_archive(archive: Path, tmp_path: Path) -> None:
    later = BUILT + 100_000
    archives = {
        one: saved(tmp_path / f"later-{one}", files(later), now=later, architecture=one)
        for one in ("amd64", "arm64")
    }
    oci.write(tmp_path / "later.tar", "x", "1.0", archives, ABOUT)
    assert (tmp_path / "later.tar").read_bytes() == archive.read_bytes()


def store(*entries: tuple[str, int]) -> bytes:
    """Java's list of authorities: the name of each, and when it was added."""
    body = bytes.fromhex("feedfeed00000002") + struct.pack(">I", len(entries))
    for name, added in entries:
        body += struct.pack(">IH", 2, len(name)) + name.encode() + struct.pack(">Q", added)
        body += struct.pack(">H", 5) + b"X.509" + struct.pack(">I", 3) + b"der"
    salt = "changeit".encode("utf-16-be") + b"Mighty Aphrodite"
    return body + hashlib.sha1(salt + body, usedforsecurity=False).digest()


def test_javas_authorities_are_all_added_at_the_releases_time() -> None:
    made = store(("one", 1_800_000_000_123), ("two", 1_800_000_000_456))
    assert keystore.dated(made, 5) == store(("one", 5000), ("two", 5000))
    for other in (b"", b"PKCS12", made[:-1] + b"?"):
        assert keystore.dated(other, 5) == other


def test_an_image_for_another_machine_is_refused(tmp_path: Path) -> None:
    wrong = saved(tmp_path / "saved", files(BUILT), architecture="amd64")
    with pytest.raises(ClusterError, match="is for amd64, not arm64"):
        oci.write(tmp_path / "x.tar", "x", "1.0", {"arm64": wrong}, ABOUT)


def test_a_program_for_another_machine_is_refused(tmp_path: Path) -> None:
    for architecture, machine, other in (("amd64", 62, 183), ("arm64", 183, 62)):
        own, foreign = (
            saved(tmp_path / str(one), {"bin/x": (program(one), BUILT)}, architecture=architecture)
            for one in (machine, other)
        )
        oci.write(tmp_path / "x.tar", "x", "1.0", {architecture: own}, ABOUT)
        with pytest.raises(ClusterError, match=f"bin/x does not run on {architecture}"):
            oci.write(tmp_path / "x.tar", "x", "1.0", {architecture: foreign}, ABOUT)
