"""The golden copy: when it is made, what a reset leaves, and what an interruption does."""

import errno
import json
import os
import shutil
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from encbench.sidecars.golden import __main__ as program
from encbench.sidecars.golden import trees
from encbench.sidecars.golden.copies import CopyRefused, GoldenVolume

FOLDERS = ("data", "keyring", "tmp")
LOADED = {"data/ibdata1": b"a" * 5000, "data/sbtest/t.ibd": b"b" * 70000, "keyring/key": b"k" * 32}


def contents(root: Path) -> dict[str, bytes]:
    """What a server sees of its volume."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for name in FOLDERS
        for path in sorted((root / name).rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def volume(tmp_path: Path) -> GoldenVolume:
    for name, content in LOADED.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "tmp").mkdir()
    (tmp_path / "initialised").touch()
    return GoldenVolume(tmp_path, FOLDERS)


def use(volume: GoldenVolume) -> None:
    """What a server does to its files."""
    (volume.root / "data/ibdata1").write_bytes(b"changed")
    (volume.root / "data/sbtest/t.ibd").unlink()
    (volume.root / "data/binlog.000002").write_bytes(b"new")
    (volume.root / "tmp/spilled").write_bytes(b"rest")
    (volume.root / "keyring/key").write_bytes(b"rotated")


def test_without_a_wish_nothing_happens(volume: GoldenVolume) -> None:
    assert volume.prepare("", cold=False)["action"] == "kept"
    assert not volume.golden.exists()


def test_the_first_wish_makes_the_copy_and_the_next_restore_it(volume: GoldenVolume) -> None:
    made = volume.prepare("golden", cold=False)
    whole = (3, sum(map(len, LOADED.values())))
    assert (made["action"], made["files"], made["bytes"]) == ("copied", *whole)
    assert contents(volume.root) == LOADED
    for wish in ("trial-1", "trial-2"):
        use(volume)
        back = volume.prepare(wish, cold=True)
        assert (back["action"], back["files"], back["bytes"]) == ("restored", *whole)
        assert contents(volume.root) == LOADED
        assert (volume.root / "initialised").exists()


def test_a_pod_that_somebody_makes_anew_keeps_its_data(volume: GoldenVolume) -> None:
    volume.prepare("golden", cold=False)
    volume.prepare("trial-1", cold=False)
    use(volume)
    used = contents(volume.root)
    assert volume.prepare("trial-1", cold=False)["action"] == "kept"
    assert contents(volume.root) == used


def test_a_pod_that_replaces_the_copying_one_gives_the_copys_account(volume: GoldenVolume) -> None:
    made = volume.prepare("golden", cold=False)
    assert made["action"] == "copied"
    assert made["files"]
    again = volume.prepare("golden", cold=False)
    assert {**again, "seconds": 0} == {**made, "seconds": 0}
    assert again["seconds"] <= made["seconds"]
    volume.prepare("trial-1", cold=False)
    assert volume.prepare("trial-1", cold=False)["action"] == "kept"


def test_a_server_that_was_killed_is_not_copied(volume: GoldenVolume) -> None:
    for left in ("mariadb.pid", "crashed.pid", "data/postmaster.pid"):
        (volume.root / left).touch()
        with pytest.raises(CopyRefused, match=f"killed instead of stopped.*{Path(left).name}"):
            volume.prepare("golden", cold=False)
        (volume.root / left).unlink()
    assert volume.prepare("golden", cold=False)["action"] == "copied"
    (volume.root / "mariadb.pid").touch()
    assert volume.prepare("trial-1", cold=False)["action"] == "restored", "what it left is dropped"
    assert not (volume.root / "mariadb.pid").exists()


def test_under_fuse_a_note_says_that_it_was_stopped(tmp_path: Path) -> None:
    (tmp_path / "cipher").mkdir()
    (tmp_path / "cipher/x").write_bytes(b"secret")
    volume = GoldenVolume(tmp_path, ("cipher",), stopped="stopped")
    with pytest.raises(CopyRefused, match="killed instead of stopped"):
        volume.prepare("golden", cold=False)
    (tmp_path / "stopped").touch()
    assert volume.prepare("golden", cold=False)["action"] == "copied"
    (tmp_path / "stopped").unlink()
    assert volume.prepare("trial-1", cold=False)["action"] == "restored"


def test_a_volume_that_is_too_small_is_refused_beforehand(
    volume: GoldenVolume, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = sum(map(len, LOADED.values()))

    def disk(total: int, free: int) -> None:
        usage = SimpleNamespace(total=total, free=free)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)

    disk(total=3 * data, free=data + data // 5)
    with pytest.raises(
        CopyRefused, match=r"the server's logs may take \d+ MiB.*two and a half"
    ) as why:
        volume.prepare("golden", cold=False)
    assert str(why.value).endswith("or, if no workload has a recovery, write reset: none")
    assert not (volume.golden / "data").exists()
    disk(total=1000 * data, free=2 * data - 1)
    with pytest.raises(CopyRefused):
        volume.prepare("golden", cold=False)
    disk(total=1000 * data, free=2 * data)
    assert volume.prepare("golden", cold=False)["action"] == "copied", "others share the disk"


def test_nothing_to_copy_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CopyRefused, match="there is no data or keyring or tmp"):
        GoldenVolume(tmp_path, FOLDERS).prepare("golden", cold=False)


def test_a_golden_copy_that_somebody_changed_is_not_restored(volume: GoldenVolume) -> None:
    volume.prepare("golden", cold=False)
    (volume.golden / "data/ibdata1").write_bytes(b"short")
    with pytest.raises(CopyRefused, match="has changed since it was made"):
        volume.prepare("trial-1", cold=False)
    assert contents(volume.root) == LOADED, "and what is there stays"


class Died(BaseException):
    """The container was killed."""


@pytest.fixture
def deadly(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Counts what is written; dies at the number that a test sets."""
    counter = {"now": 0, "at": -1}

    def guarded(module: Any, name: str) -> None:
        real = getattr(module, name)

        def do(*args: Any, **kwargs: Any) -> Any:
            counter["now"] += 1
            if counter["now"] == counter["at"]:
                raise Died
            return real(*args, **kwargs)

        monkeypatch.setattr(module, name, do)

    guarded(os, "pwrite")
    guarded(os, "fsync")
    guarded(shutil, "rmtree")
    guarded(Path, "unlink")
    guarded(Path, "replace")
    guarded(Path, "mkdir")
    return counter


def test_killed_at_every_write_the_next_run_comes_to_the_same(
    volume: GoldenVolume, deadly: dict[str, int]
) -> None:
    deadly["now"] = 0
    volume.prepare("golden", cold=False)
    in_copy = deadly["now"]
    use(volume)
    deadly["now"] = 0
    volume.prepare("trial-0", cold=False)
    in_restore = deadly["now"]
    assert min(in_copy, in_restore) > 10
    for at in range(1, in_restore + 1):
        deadly["at"] = -1
        use(volume)
        deadly |= {"now": 0, "at": at}
        with pytest.raises(Died):
            volume.prepare(f"trial-{at}", cold=False)
        deadly["at"] = -1
        volume.prepare(f"trial-{at}", cold=False)
        assert contents(volume.root) == LOADED, f"killed at {at}"


def test_killed_in_the_middle_of_the_first_copy(
    volume: GoldenVolume, deadly: dict[str, int]
) -> None:
    at = 0
    while True:
        at += 1
        deadly |= {"now": 0, "at": at}
        try:
            volume.prepare("golden", cold=False)
            break
        except Died:
            assert contents(volume.root) == LOADED
    assert at > 10
    deadly["at"] = -1
    use(volume)
    volume.prepare("trial-1", cold=False)
    assert contents(volume.root) == LOADED


# -- copying


def test_a_disk_that_cannot_be_read_is_no_hole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").write_bytes(b"x" * 10)
    broken = OSError(errno.EIO, os.strerror(errno.EIO))
    monkeypatch.setattr(os, "lseek", Mock(side_effect=broken))
    with pytest.raises(OSError, match=r"Input/output error: .*/data'"):
        trees.copy_file(tmp_path / "data", tmp_path / "copy")


@pytest.mark.parametrize(
    ("call", "name", "code"),
    [("pread", "data", errno.EIO), ("pwrite", "copy", errno.ENOSPC), ("fsync", "copy", errno.EIO)],
)
def test_the_file_that_fails_in_a_copy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, name: str, code: int
) -> None:
    (tmp_path / "data").write_bytes(b"x" * 10)
    monkeypatch.setattr(os, call, Mock(side_effect=OSError(code, os.strerror(code))))
    with pytest.raises(OSError, match=os.strerror(code)) as error:
        trees.copy_file(tmp_path / "data", tmp_path / "copy")
    assert error.value.filename == str(tmp_path / name)


def test_a_copy_has_the_same_bytes_holes_links_and_modes(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    with (source / "sparse").open("wb") as file:
        file.truncate(64 << 20)
        file.seek(32 << 20)
        file.write(b"in the middle")
    (source / "empty").touch()
    (source / "mine").write_bytes(b"x" * (trees.CHUNK + 1))
    (source / "mine").chmod(0o600)
    (source / "link").symlink_to("mine")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(source / "sock"))
    trees.copy_tree(source, tmp_path / "target")
    assert trees.measure(tmp_path / "target") == trees.Amount(3, (64 << 20) + trees.CHUNK + 1)
    names = sorted(path.name for path in (tmp_path / "target").iterdir())
    assert names == ["empty", "link", "mine", "sparse"]
    for name in ("sparse", "empty", "mine"):
        copied = tmp_path / "target" / name
        assert copied.read_bytes() == (source / name).read_bytes()
        assert copied.stat().st_mtime_ns == (source / name).stat().st_mtime_ns
    assert (tmp_path / "target/mine").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "target/link").readlink() == Path("mine")
    assert (tmp_path / "target/sparse").stat().st_blocks * 512 < 8 << 20


# -- the program


def test_what_it_leaves_as_its_message(
    volume: GoldenVolume, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = volume.root / "message"
    monkeypatch.setattr(program, "MESSAGE", message)
    environment = {
        "ENCBENCH_ROOT": str(volume.root),
        "ENCBENCH_FOLDERS": "data,keyring,tmp",
        "ENCBENCH_CACHE": "Cold",
        "ENCBENCH_RESET": "golden",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    program.main()
    said = json.loads(message.read_text())
    assert (said["action"], said["files"], said["bytes"]) == ("copied", 3, 75032)
    assert said["seconds"] >= 0
    monkeypatch.setenv("ENCBENCH_RESET", "")
    program.main()
    assert json.loads(message.read_text())["action"] == "kept"


def test_a_refusal_ends_it_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENCBENCH_ROOT", str(tmp_path))
    monkeypatch.setenv("ENCBENCH_FOLDERS", "data")
    monkeypatch.setenv("ENCBENCH_RESET", "golden")
    with pytest.raises(SystemExit, match="encbench: there is no data on the volume"):
        program.main()
