"""Debian packages of the host.

Installing ``etcd-server`` or ``containerd`` would start their services where an init system runs;
the cluster starts its own. Debian's switch for that is ``policy-rc.d``: where there is none, ours
is put there for the time of the installation, recognisable by its marker, so that one left by a
killed run is found and removed. One process installs at a time.
"""

import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Final

from .command import capture, run_logged
from .console import ClusterError, Console
from .layout import Layout
from .versions import HOST_PACKAGES

_POLICY: Final = Path("/usr/sbin/policy-rc.d")
_MARKER: Final = "# placed by tests.cluster while it installs packages\n"
_LOCK_SECONDS: Final = 300
_LOCK_WAIT: Final = f"-oDPkg::Lock::Timeout={_LOCK_SECONDS}"
_LISTS_LOCK: Final = b"/lists/lock"
"""What apt names when another process renews its lists. That option does not make it wait then."""
_PAUSE: Final = 1


def ensure(
    layout: Layout,
    console: Console,
    wanted: Mapping[str, str] = HOST_PACKAGES,
    around: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> None:
    """Install what is missing; without apt, name what a person has to install.

    ``around`` is entered while packages are being installed.
    """
    with alone(layout):
        _remove_policy()
        # Not before: a program may be there while its package is still being unpacked.
        missing = [package for package, shows in wanted.items() if not is_there(shows)]
        if missing:
            with around():
                _install(layout, console, missing)


def download(layout: Layout, package: str, folder: Path) -> Path:
    """A package's archive, put into a folder and not installed. Call only while `alone`."""
    # As root, for apt's own user may not write there.
    _fetch(["-oAPT::Sandbox::User=root", "download", package], _log(layout), folder)
    (archive,) = folder.glob("*.deb")
    return archive


def update(layout: Layout) -> None:
    """Renew this machine's lists of packages. Call only while `alone`."""
    _update(_log(layout))


def remove_policy(layout: Layout) -> None:
    """Remove the ``policy-rc.d`` of ours that a killed run has left."""
    with alone(layout):
        _remove_policy()


@contextmanager
def alone(layout: Layout) -> Iterator[None]:
    """While no other process installs packages."""
    layout.cache.mkdir(parents=True, exist_ok=True)
    with (layout.cache / "apt.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def is_there(shows: str) -> bool:
    """Whether a program, or a path that begins with a slash, shows that its package is there."""
    return Path(shows).exists() if shows.startswith("/") else shutil.which(shows) is not None


def _install(layout: Layout, console: Console, missing: list[str]) -> None:
    if shutil.which("apt-get") is None:
        raise ClusterError(f"these are missing and there is no apt-get: {', '.join(missing)}")
    log = _log(layout)
    with console.step("packages", " ".join(missing)):
        _place_policy()
        try:
            _repair(log)
            _fetch(["install", *missing], log)
        finally:
            _remove_policy()


def _remove_policy() -> None:
    if _POLICY.exists() and _MARKER in _POLICY.read_text(errors="replace"):
        _POLICY.unlink()


def _place_policy() -> None:
    if not _POLICY.exists():
        _POLICY.write_text(f"#!/bin/sh\n{_MARKER}exit 101\n")
        _POLICY.chmod(0o755)


def _repair(log: Path) -> None:
    """Finish what an interrupted installation left half-configured."""
    if capture(["dpkg", "--audit"]).strip():
        run_logged(["dpkg", "--configure", "-a"], log, timeout=600, env=_env(), contained=False)


def _fetch(arguments: list[str], log: Path, folder: Path | None = None) -> None:
    """What needs apt's lists: where it fails they may be old, or a new machine has none yet."""
    try:
        _apt(arguments, log, folder)
    except ClusterError:
        _update(log)
        _apt(arguments, log, folder)


def _update(log: Path) -> None:
    """Renew apt's lists, after whoever does that now."""
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        before = log.stat().st_size if log.exists() else 0
        try:
            _apt(["update"], log)
            return
        except ClusterError:
            if _LISTS_LOCK not in log.read_bytes()[before:] or time.monotonic() > deadline:
                raise
        time.sleep(_PAUSE)


def _apt(arguments: list[str], log: Path, folder: Path | None = None) -> None:
    argv = ["apt-get", "-y", "--no-install-recommends", _LOCK_WAIT, *arguments]
    run_logged(argv, log, timeout=900, cwd=folder, env=_env(), contained=False)


def _log(layout: Layout) -> Path:
    return layout.build_logs / "packages.log"


def _env() -> dict[str, str]:
    return {"DEBIAN_FRONTEND": "noninteractive", "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}
