"""The golden copy: what it holds, and how its completeness and that of the data are known.

The volume holds the folders that a server writes to, `golden/` with a copy of each, `golden.json`,
which is written when the copy is complete, and `restored`, which names the last complete restore.
Each note is removed before the files that it vouches for change.
"""

import json
import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from encbench.engines.layout import GOLDEN
from encbench.sidecars.golden.trees import Amount, copy_tree, forget, measure, sync_folder
from encbench.wire.golden import Action, Outcome

LOGS_PART = 10
"""A tenth of the volume stays free for what a server writes in a trial, such as its logs."""


class CopyRefused(Exception):
    """The copy would be unusable. The text says why and what to do."""


@dataclass(frozen=True)
class GoldenVolume:
    """The volume of one server, which is stopped."""

    root: Path
    folders: Sequence[str]
    """The folders that a reset restores. One that the server never made is skipped."""
    stopped: str | None = None
    """A file that exists only after a clean stop; if None, a clean stop leaves no pid file."""

    @property
    def golden(self) -> Path:
        """The folder of the copy."""
        return self.root / GOLDEN

    @property
    def _made(self) -> Path:
        return self.root / "golden.json"

    @property
    def _restored(self) -> Path:
        return self.root / "restored"

    def prepare(self, wanted: str, *, cold: bool) -> Outcome:
        """Bring the data to the state after that restore; leave it alone if `wanted` is empty."""
        began = time.monotonic()
        action: Action = "kept"
        amount = Amount()
        if wanted and not self._made.exists():
            action, amount = "copied", self._copy(wanted, began)
        elif wanted and self._last() != wanted:
            action, amount = "restored", self._restore()
        if action != "kept":
            self._note(self._restored, wanted)
        if cold:
            for name in self.folders:
                forget(self.root / name)
        if action == "kept" and wanted and (told := self._copied_for(wanted)) is not None:
            return told
        seconds = round(time.monotonic() - began, 3)
        return Outcome(action=action, files=amount.files, bytes=amount.size_bytes, seconds=seconds)

    def _copied_for(self, wanted: str) -> Outcome | None:
        """What a pod of this start copied that was replaced before its account was read."""
        made = json.loads(self._made.read_text(encoding="utf-8"))
        if made.get("start") != wanted:
            return None
        files, size, seconds = made["files"], made["bytes"], made["seconds"]
        return Outcome(action="copied", files=files, bytes=size, seconds=seconds)

    def _copy(self, wanted: str, began: float) -> Amount:
        self._check_stopped()
        if self.golden.exists():
            shutil.rmtree(self.golden)
        here = [name for name in self.folders if (self.root / name).is_dir()]
        if not here:
            raise CopyRefused(f"there is no {' or '.join(self.folders)} on the volume to copy")
        self._check_room(here)
        self.golden.mkdir()
        for name in here:
            copy_tree(self.root / name, self.golden / name)
        sync_folder(self.golden)
        amount = measure(self.golden)
        made = {
            "start": wanted,
            "folders": here,
            "files": amount.files,
            "bytes": amount.size_bytes,
            "seconds": round(time.monotonic() - began, 3),
        }
        self._note(self._made, json.dumps(made))
        return amount

    def _restore(self) -> Amount:
        made = json.loads(self._made.read_text(encoding="utf-8"))
        whole = Amount(made["files"], made["bytes"])
        if measure(self.golden) != whole:
            raise CopyRefused(
                "the golden copy has changed since it was made: delete the campaign and apply it "
                "again, and write nothing to its volumes"
            )
        self._restored.unlink(missing_ok=True)
        sync_folder(self.root)
        for path in self.root.glob("*.pid"):
            path.unlink()
        for name in self.folders:
            if (self.root / name).exists():
                shutil.rmtree(self.root / name)
            if name in made["folders"]:
                copy_tree(self.golden / name, self.root / name)
        return whole

    def _check_stopped(self) -> None:
        if self.stopped is not None:
            if not (self.root / self.stopped).exists():
                raise CopyRefused(_KILLED)
            return
        left = [*self.root.glob("*.pid"), *self.root.glob("data/*.pid")]
        if left:
            raise CopyRefused(f"{_KILLED} ({left[0].name} is still there)")

    def _check_room(self, folders: Sequence[str]) -> None:
        needed = sum(measure(self.root / name).size_bytes for name in folders)
        disk = shutil.disk_usage(self.root)
        # A server that fills its volume stops in the middle of a trial. A file system that many
        # volumes share has a size that says nothing of this one.
        logs = min(disk.total // LOGS_PART, needed)
        if needed + logs > disk.free:
            raise CopyRefused(
                f"the golden copy takes {needed / 2**20:.0f} MiB, the server's logs may take "
                f"{logs / 2**20:.0f} MiB, and the volume has {disk.free / 2**20:.0f} MiB left: "
                "make the template's storage.size at least two and a half times the data's size "
                "or, if no workload has a recovery, write reset: none"
            )

    def _last(self) -> str:
        return self._restored.read_text(encoding="utf-8") if self._restored.exists() else ""

    def _note(self, path: Path, text: str) -> None:
        """Write a note completely or not at all."""
        draft = path.with_suffix(".draft")
        with draft.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        sync_folder(self.root)


_KILLED = (
    "the server was killed instead of stopped, or it crashed, so its files are not a usable "
    "dataset: read its log, and find out why it did not stop in time"
)
