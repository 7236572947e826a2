"""What an agent sees of the disk: mounts, devices, and the marker's file under a FUSE mount."""

import os
from pathlib import Path
from typing import Any

import pytest

from encbench.sidecars.agent.volume import (
    Ground,
    Mount,
    dm_crypt,
    dm_crypt_of_btrfs,
    mount_of,
    parse_mounts,
)
from encbench.wire.agent import LowerGround

MARKER = b"encbench-marker-0001"
VOLUME = "/var/lib/encbench/volume"
MOUNTINFO = f"""\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
531 22 0:160 / {VOLUME} rw,nosuid shared:7 - fuse.gocryptfs /var/lib/lower/cipher rw,user_id=10001
532 22 8:16 / /mnt/with\\040blank rw - xfs /dev/sdb rw
"""


def never() -> None:
    """Do not stop."""


def test_mounts_as_the_kernel_writes_them() -> None:
    root, fuse, blank = parse_mounts(MOUNTINFO)
    assert root == Mount("254:0", "/", "ext4", "/dev/vda")
    assert fuse == Mount("0:160", VOLUME, "fuse.gocryptfs", "/var/lib/lower/cipher")
    assert blank.point == "/mnt/with blank"


@pytest.mark.parametrize(
    ("path", "device", "kind"),
    [
        (f"{VOLUME}/data/t.ibd", "0:160", "fuse.gocryptfs"),
        # Beside the mount, or on what it hides: the device shows which.
        (f"{VOLUME}/data/t.ibd", "254:0", "ext4"),
        ("/var/lib/encbench/t.ibd", "254:0", "ext4"),
        # A file system whose files have other devices than their mount.
        (f"{VOLUME}/data/t.ibd", "0:99", "fuse.gocryptfs"),
    ],
)
def test_the_mount_of_a_file(path: str, device: str, kind: str) -> None:
    found = mount_of(Path(path), device, parse_mounts(MOUNTINFO))
    assert found is not None
    assert found.kind == kind


def test_of_two_mounts_on_one_point_the_later_counts() -> None:
    again = MOUNTINFO + f"540 22 0:161 / {VOLUME} rw - fuse.passthrough /lower rw\n"
    found = mount_of(Path(VOLUME, "x"), "0:161", parse_mounts(again))
    assert found is not None
    assert found.kind == "fuse.passthrough"
    assert mount_of(Path(VOLUME, "x"), "0:160", []) is None


# -- device mapper


class Sysfs:
    """A tree as the kernel shows it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def device(self, number: str, *, uuid: str = "", below: tuple[str, ...] = ()) -> None:
        node = self.root / "dev" / "block" / number
        (node / "slaves").mkdir(parents=True)
        if uuid:
            (node / "dm").mkdir()
            (node / "dm" / "uuid").write_text(f"{uuid}\n")
        for slave in below:
            (node / "slaves" / slave).mkdir()
            (node / "slaves" / slave / "dev").write_text(f"{slave}\n")

    def partition(self, number: str, *, of: str) -> None:
        """Without `slaves`, within the device that it is a part of."""
        whole = self.root / "dev" / "block" / of
        (whole / "dev").write_text(f"{of}\n")
        (whole / "p1").mkdir()
        (whole / "p1" / "partition").write_text("1\n")
        (self.root / "dev" / "block" / number).symlink_to(whole / "p1")

    def block(self, name: str, number: str, *, mapped: str = "") -> None:
        node = self.root / "class" / "block" / name
        (node / "dm").mkdir(parents=True)
        (node / "dev").write_text(f"{number}\n")
        if mapped:
            (node / "dm" / "name").write_text(f"{mapped}\n")

    def btrfs(self, name: str, *devices: str) -> None:
        for device in devices:
            (self.root / "fs" / "btrfs" / name / "devices" / device).mkdir(parents=True)


LUKS = "CRYPT-LUKS2-0123456789abcdef-data"


@pytest.fixture
def sysfs(tmp_path: Path) -> Sysfs:
    made = Sysfs(tmp_path)
    made.device("8:16")
    made.device("8:32")
    made.device("253:0", uuid=LUKS, below=("8:16",))
    made.device("253:1", uuid="LVM-abc", below=("253:0",))
    made.device("253:2", uuid="LVM-def", below=("8:16",))
    made.device("253:13", uuid="CRYPT-INTEGRITY-data", below=("8:16",))
    made.device("253:14", uuid="CRYPT-INTEGRITY-data", below=("253:0",))
    made.device("253:15", uuid="CRYPT-VERITY-0123456789abcdef-data", below=("8:16",))
    made.device("9:0", below=("253:0", "8:32"))
    made.device("9:1", below=("253:0", "253:0 again"))
    (tmp_path / "dev/block/9:1/slaves/253:0 again/dev").write_text("253:0\n")
    made.partition("8:17", of="8:16")
    made.partition("259:0", of="9:0")
    made.partition("259:1", of="9:1")
    return made


@pytest.mark.parametrize(
    ("device", "found"),
    [
        ("8:16", None),
        ("253:0", LUKS),
        ("253:1", LUKS),
        ("253:2", None),
        # Of the same library, and not encrypted.
        ("253:13", None),
        ("253:14", LUKS),
        ("253:15", None),
        # A mirror with one plain half leaks.
        ("9:0", None),
        ("9:1", LUKS),
        # Partitions: of a plain disk, and of those mirrors.
        ("8:17", None),
        ("259:0", None),
        ("259:1", LUKS),
        ("0:160", None),
    ],
)
def test_dm_crypt_at_or_below_a_device(sysfs: Sysfs, device: str, found: str | None) -> None:
    assert dm_crypt(device, sysfs.root) == found


def test_devices_in_a_circle_end(sysfs: Sysfs) -> None:
    sysfs.device("9:9", below=("9:9",))
    assert dm_crypt("9:9", sysfs.root) is None


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("/dev/mapper/luks-data", LUKS),
        ("/dev/dm-0", LUKS),
        ("/dev/sdb", None),
        # One plain device of two leaks.
        ("/dev/mapper/luks-half", None),
        ("/dev/mapper/other", None),
        ("none", None),
    ],
)
def test_dm_crypt_below_a_btrfs(sysfs: Sysfs, source: str, found: str | None) -> None:
    sysfs.device("253:3", uuid=LUKS, below=("8:16",))
    sysfs.block("sdb", "8:16")
    sysfs.block("sdc", "8:32")
    sysfs.block("dm-0", "253:0", mapped="luks-data")
    sysfs.block("dm-3", "253:3", mapped="luks-half")
    sysfs.btrfs("1111", "dm-0")
    sysfs.btrfs("2222", "dm-3", "sdc")
    sysfs.btrfs("3333", "sdb")
    (sysfs.root / "fs" / "btrfs" / "features").mkdir()
    assert dm_crypt_of_btrfs(source, sysfs.root) == found


def test_a_machine_without_btrfs(sysfs: Sysfs) -> None:
    assert dm_crypt_of_btrfs("/dev/sdb", sysfs.root) is None


# -- facts


def ground(tmp_path: Path, **fields: Any) -> tuple[Ground, Path]:
    own = tmp_path / "volume" / "data" / "t.ibd"
    own.parent.mkdir(parents=True)
    own.write_bytes(MARKER)
    status = own.stat()
    device = f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
    text = f"1 0 {device} / {tmp_path}/volume rw - fuse.gocryptfs {tmp_path}/lower rw\n"
    made = Ground(lambda: text, sysfs=tmp_path / "sys", **fields)
    return made, own


def test_a_plain_disk(tmp_path: Path) -> None:
    made, own = ground(tmp_path)
    facts = made.facts(own, MARKER, never, full=False)
    assert facts["type"] == "fuse.gocryptfs"
    assert facts["mountPoint"] == str(tmp_path / "volume")
    assert facts["dmCrypt"] is None
    assert facts["lower"] is None


def test_an_encrypted_disk(tmp_path: Path) -> None:
    made, own = ground(tmp_path)
    device = str(made.facts(own, MARKER, never, full=False)["device"])
    Sysfs(tmp_path / "sys").device(device, uuid=LUKS)
    assert made.facts(own, MARKER, never, full=False)["dmCrypt"] == LUKS


def test_an_encrypted_btrfs(tmp_path: Path) -> None:
    _, own = ground(tmp_path)
    sysfs = Sysfs(tmp_path / "sys")
    sysfs.device("253:0", uuid=LUKS)
    sysfs.block("dm-0", "253:0", mapped="luks-data")
    sysfs.btrfs("1111", "dm-0")
    text = f"1 0 0:44 /@data {tmp_path}/volume rw - btrfs /dev/mapper/luks-data rw,subvol=/@data\n"
    facts = Ground(lambda: text, sysfs=sysfs.root).facts(own, MARKER, never, full=False)
    assert facts["dmCrypt"] == LUKS


def test_mounts_that_may_not_be_read_are_no_mounts(tmp_path: Path) -> None:
    _, own = ground(tmp_path)

    def refused() -> str:
        raise PermissionError("no")

    facts = Ground(refused).facts(own, MARKER, never, full=False)
    assert facts["type"] is None


NOTHING_BELOW: LowerGround = {
    "own": None,
    "features": None,
    "files": [],
    "searched": 0,
    "searchedBytes": 0,
}


def below(tmp_path: Path, content: bytes) -> tuple[Ground, Path]:
    """The same file once more under the mount, as its inode number says."""
    lower = tmp_path / "lower"
    made, own = ground(tmp_path, lower=lower)
    (lower / "x9" / "y8").mkdir(parents=True)
    os.link(own, lower / "x9" / "y8" / "z7")
    own.write_bytes(content)
    (lower / "gocryptfs.conf").write_text('{"FeatureFlags": ["HKDF", "GCMIV128"]}')
    (lower / "x9" / "other").write_bytes(b"..." + MARKER)
    return made, own


def test_the_markers_file_is_found_below_by_its_inode(tmp_path: Path) -> None:
    made, own = below(tmp_path, b"ciphertext")
    lower = made.facts(own, MARKER, never, full=False)["lower"]
    assert lower == {
        "own": "x9/y8/z7",
        "features": ["HKDF", "GCMIV128"],
        "files": [{"path": "x9/y8/z7", "bytes": 10, "found": False}],
        "searched": 1,
        "searchedBytes": 10,
    }


def test_dm_crypt_below_a_file_system_is_seen(tmp_path: Path, sysfs: Sysfs) -> None:
    lower = tmp_path / "lower"
    lower.mkdir()
    device = lower.stat().st_dev
    sysfs.device(f"{os.major(device)}:{os.minor(device)}", uuid=LUKS)
    volume = Ground(lambda: "", lower, sysfs.root)
    assert volume.dm_crypt_below() == LUKS
    assert Ground(lambda: "", lower / "gone", sysfs.root).dm_crypt_below() is None


def test_a_full_search_reads_everything_below(tmp_path: Path) -> None:
    made, own = below(tmp_path, b"." + MARKER)
    lower = made.facts(own, MARKER, never, full=True)["lower"]
    assert lower is not None
    found = {file["path"]: file["found"] for file in lower["files"]}
    assert found == {"x9/other": True, "x9/y8/z7": True}
    assert lower["searched"] == 3
    content = (path.read_bytes() for path in (tmp_path / "lower").rglob("*") if path.is_file())
    assert lower["searchedBytes"] == sum(map(len, content))


def test_files_below_without_the_marker_are_counted_alone(tmp_path: Path) -> None:
    """Tens of thousands of them would be more than the agent's memory holds."""
    made, own = below(tmp_path, b"ciphertext")
    (tmp_path / "lower" / "x9" / "other").write_bytes(b"more ciphertext")
    lower = made.facts(own, MARKER, never, full=True)["lower"]
    assert lower is not None
    assert lower["files"] == [{"path": "x9/y8/z7", "bytes": 10, "found": False}]
    assert lower["searched"] == 3


def test_a_disk_that_nothing_was_ever_mounted_over(tmp_path: Path) -> None:
    made, own = ground(tmp_path, lower=tmp_path / "lower" / "cipher")
    lower = made.facts(own, MARKER, never, full=True)["lower"]
    assert lower == NOTHING_BELOW


def test_a_file_that_is_not_below(tmp_path: Path) -> None:
    made, own = below(tmp_path, b"ciphertext")
    (tmp_path / "lower/x9/y8/z7").unlink()
    (tmp_path / "lower/gocryptfs.conf").write_text("no json")
    lower = made.facts(own, MARKER, never, full=False)["lower"]
    assert lower == NOTHING_BELOW
