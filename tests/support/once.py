"""Folders that take long to make: one test of a session makes each, and all others copy it.

A session that has a `place` for them says so in its environment, which pytest's workers inherit.
Without one, as in a benchmark, each is made anew.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

PLACE = "ENCBENCH_TESTS_MADE_ONCE"
_OWN_FOLDER = re.compile(rf"{re.escape(tempfile.gettempdir())}/encbench-[\w-]+")


@contextmanager
def place() -> Iterator[None]:
    """Have a place until the session ends."""
    with tempfile.TemporaryDirectory(prefix="encbench-once-") as folder:
        # Servers run as another user.
        Path(folder).chmod(0o755)
        os.environ[PLACE] = folder
        yield
        del os.environ[PLACE]


def made(folder: Path, key: Iterable[str], make: Callable[[], None]) -> None:
    """Have `make` fill the folder, or copy what it made where the key was the same."""
    found = os.environ.get(PLACE)
    if found is None:
        make()
        return
    kept = Path(found) / hashlib.sha256("\0".join(key).encode()).hexdigest()[:16]
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            make()
            half = kept.with_suffix(".half")
            shutil.rmtree(half, ignore_errors=True)
            _copy(folder, half)
            half.rename(kept)
            return
    _copy(kept, folder)


def _copy(source: Path, target: Path) -> None:
    """With owners, links and times."""
    target.mkdir(exist_ok=True)
    subprocess.run(["cp", "--archive", "--reflink=auto", f"{source}/.", str(target)], check=True)


class Layout(Protocol):
    """Where a server's files are."""

    @property
    def volume(self) -> str: ...
    @property
    def config(self) -> str: ...
    @property
    def init_sql(self) -> str: ...
    @property
    def port(self) -> int: ...


class Startable(Protocol):
    """A server on this machine."""

    @property
    def engine(self) -> str: ...
    @property
    def layout(self) -> Layout: ...
    def initialise(self) -> None: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...


@dataclass(frozen=True)
class Dataset:
    """What a server is to hold when a test gets it."""

    name: str
    load: Callable[[Any], None]


def begin(server: Startable, dataset: Dataset | None, *more: str) -> None:
    """Initialise the server, load the dataset, and start it.

    Its volume is another one's copy where what it is made from is the same; `more` is a part of
    that. The init container runs in any case, and finds a whole data directory.
    """

    def make() -> None:
        server.initialise()
        if dataset is not None:
            server.start()
            dataset.load(server)
            server.stop()

    recipe = [server.engine, *([dataset.name] if dataset is not None else []), *more]
    recipe += _contents(server.layout)
    # Ports, and the names of temporary folders, are others each time.
    key = [_OWN_FOLDER.sub("", text.replace(str(server.layout.port), "")) for text in recipe]
    made(Path(server.layout.volume), key, make)
    server.initialise()
    server.start()


def _contents(layout: Layout) -> Iterator[str]:
    """Of all files that a data directory is made from."""
    config, keys = Path(layout.config), Path(layout.volume).with_name("keys")
    files = {Path(layout.init_sql), *config.rglob("*"), *keys.rglob("*")}
    for path in sorted(file for file in files if file.is_file()):
        yield f"{path}\n{path.read_text(encoding='utf-8')}"
