"""Debian packages of the host.

Installing ``etcd-server`` or ``containerd`` would start their services where an init system runs;
the cluster starts its own. Debian's switch for that is ``policy-rc.d``: where there is none, ours
is put there for the time of the installation, recognisable by its marker, so that one left by a
killed run is found and removed. One process installs at a time.
"""

import fcntl
import os
import shutil
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
_LOCK_WAIT: Final = "-oDPkg::Lock::Timeout=300"


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
    log = layout.build_logs / "packages.log"
    with console.step("packages", " ".join(missing)):
        _place_policy()
        try:
            _repair(log)
            try:
                _apt(["install", *missing], log)
            except ClusterError:
                _apt(["update"], log)
                _apt(["install", *missing], log)
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


def _apt(arguments: list[str], log: Path) -> None:
    options = ["-y", "--no-install-recommends", _LOCK_WAIT]
    run_logged(["apt-get", *options, *arguments], log, timeout=900, env=_env(), contained=False)


def _env() -> dict[str, str]:
    return {"DEBIAN_FRONTEND": "noninteractive", "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}
