"""The ground under the server's files: the mount, the devices below it, the disk under FUSE.

The marker's own file is the witness. Its device is looked up among the *server's* mounts, not ours,
which reveals a data directory outside the encrypted mount. Device mapper's `dm/uuid` shows whether
dm-crypt made a device, and sysfs shows it in every container. Under a FUSE file system the same
file is found by its inode number, which gocryptfs and the pass-through preserve.
"""

import json
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from encbench.sidecars.agent.files import Searched, Stop, search_file, search_tree
from encbench.sidecars.walk import regular_files
from encbench.wire import agent as wire

SYSFS = Path("/sys")
_DEEPEST = 16
_ENCRYPTING = re.compile(r"CRYPT-(LUKS[12]|PLAIN|LOOPAES|TCRYPT|BITLK|FVAULT2)-")
"""Names of devices that dm-crypt encrypts. libcryptsetup names those of dm-integrity and dm-verity
in the same way, and these encrypt nothing."""


@dataclass(frozen=True)
class Mount:
    """One line of mountinfo; see proc(5)."""

    device: str
    point: str
    kind: str
    source: str


def parse_mounts(text: str) -> list[Mount]:
    """The mounts, in the order of their creation."""
    mounts = []
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        fields, (kind, source, *_) = before.split(" "), after.split(" ")
        mounts.append(Mount(fields[2], _plain(fields[4]), kind, _plain(source)))
    return mounts


def _plain(text: str) -> str:
    """The text with its octal escapes (blanks and the like) resolved."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)


def mount_of(path: Path, device: str, mounts: list[Mount]) -> Mount | None:
    """The mount that holds a file of that device, or the latest of several.

    On some file systems (btrfs) files and mounts have different devices: there only the mount point
    decides.
    """
    above = [one for one in mounts if path.is_relative_to(one.point)]
    same = [one for one in above if one.device == device] or above
    longest = max((len(one.point) for one in same), default=0)
    return next((one for one in reversed(same) if len(one.point) == longest), None)


def dm_crypt(device: str, sysfs: Path = SYSFS, depth: int = 0) -> str | None:
    """The device mapper's name (such as CRYPT-LUKS2-…) of the dm-crypt at or below a device.

    None if there is none, or if only some of the devices below are encrypted.
    """
    node = sysfs / "dev" / "block" / device
    name = _read(node / "dm" / "uuid")
    if _ENCRYPTING.match(name):
        return name
    below = sorted(node.glob("slaves/*"))
    if not below and (node / "partition").exists():
        below = [node.resolve().parent]  # What lies below a partition is known of its whole device.
    if not below or depth > _DEEPEST:
        return None
    found = [dm_crypt(_read(one / "dev"), sysfs, depth + 1) for one in below]
    return found[0] if all(found) else None


def dm_crypt_of_btrfs(source: str, sysfs: Path = SYSFS) -> str | None:
    """The same for a btrfs, by the source of its mount.

    The numbers of its files and mounts are those of no device, and it may lie on several.
    """
    blocks = sysfs / "class" / "block"
    mapped = {f"/dev/mapper/{_read(one / 'dm' / 'name')}": one.name for one in blocks.glob("dm-*")}
    own = mapped.get(source, source.removeprefix("/dev/"))
    for devices in sysfs.glob("fs/btrfs/*/devices"):
        names = sorted(one.name for one in devices.iterdir())
        if own in names:
            found = [dm_crypt(_read(blocks / name / "dev"), sysfs) for name in names]
            return found[0] if all(found) else None
    return None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


@dataclass(frozen=True)
class Ground:
    """The place of one server's files, as far as an agent can see."""

    mounts: Callable[[], str]
    """The server's own mountinfo; OSError when it is not readable."""
    lower: Path | None = None
    """The folder of the disk under a FUSE file system."""
    sysfs: Path = SYSFS

    def facts(self, own: Path, marker: bytes, stop: Stop, *, full: bool) -> wire.VolumeGround:
        """The evidence's `volume`: the marker's own file and the disk below it."""
        status = own.stat()
        device = _device(status)
        try:
            mounts = parse_mounts(self.mounts())
        except OSError:
            mounts = []
        mount = mount_of(own, device, mounts)
        crypt = dm_crypt(device, self.sysfs)
        if crypt is None and mount is not None:
            is_btrfs, by_device = mount.kind == "btrfs", dm_crypt(mount.device, self.sysfs)
            crypt = dm_crypt_of_btrfs(mount.source, self.sysfs) if is_btrfs else by_device
        crypt = crypt or self.dm_crypt_below()
        return {
            "device": device,
            "mountPoint": mount.point if mount else None,
            "type": mount.kind if mount else None,
            "source": mount.source if mount else None,
            "dmCrypt": crypt,
            "lower": self._below(status.st_ino, marker, stop, full=full),
        }

    def dm_crypt_below(self) -> str | None:
        """The same of the disk under a FUSE file system; a btrfs shows none."""
        if self.lower is None or not self.lower.is_dir():
            return None
        return dm_crypt(_device(self.lower.stat()), self.sysfs)

    def _below(
        self, inode: int, marker: bytes, stop: Stop, *, full: bool
    ) -> wire.LowerGround | None:
        if self.lower is None:
            return None
        if not self.lower.is_dir():
            # Nothing was ever mounted over it; the proof has to report that instead of failing.
            return {"own": None, "features": None, "files": [], "searched": 0, "searchedBytes": 0}
        own = _by_inode(self.lower, inode, stop)
        searched: Iterable[Searched] = ()
        if full:
            searched = search_tree(self.lower, marker, stop)
        elif own is not None:
            searched = (search_file(own, marker, stop, forget=True),)
        count = size = 0
        kept: list[wire.LowerFile] = []
        for one in searched:
            count, size = count + 1, size + one.size
            # The list of the files above has them all. A second one of tens of thousands would be
            # more than the agent's memory holds.
            if one.found or one.path == own:
                path = one.path.relative_to(self.lower).as_posix()
                kept.append({"path": path, "bytes": one.size, "found": one.found})
        return {
            "own": own.relative_to(self.lower).as_posix() if own else None,
            "features": _features(self.lower / "gocryptfs.conf"),
            "files": kept,
            "searched": count,
            "searchedBytes": size,
        }


def _device(status: os.stat_result) -> str:
    return f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"


def _by_inode(folder: Path, inode: int, stop: Stop) -> Path | None:
    for path, status in regular_files(folder):
        stop()
        if status.st_ino == inode:
            return path
    return None


def _features(path: Path) -> list[str] | None:
    """Gocryptfs' description of its format, including the cipher; None without gocryptfs."""
    try:
        return [str(one) for one in json.loads(path.read_text(encoding="utf-8"))["FeatureFlags"]]
    except (OSError, ValueError, KeyError):
        return None
