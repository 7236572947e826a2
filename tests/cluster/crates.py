"""Compiling the parts that are written in Rust.

A crate's sources, its lock file and the compiler decide what comes out, and name the entry in the
cache. Rust has no linker of its own and a crate may hold C, so a C compiler is installed if there
is none. Where neither PATH nor the environment says where cargo is, it is looked for in the place
that rustup has for it.
"""

import os
import platform
import shutil
from pathlib import Path

from . import cache, packages
from .command import capture, run_logged
from .console import ClusterError, Console
from .layout import Layout
from .versions import C_COMPILER, RUST

_BUILD_TIMEOUT = 1800
_SOURCES = ("Cargo.toml", "Cargo.lock", "src/**/*.rs")


def ensure(
    layout: Layout,
    console: Console,
    name: str,
    binaries: tuple[str, ...],
    crate: Path,
    *,
    static: bool = False,
) -> Path:
    """The directory with a crate's programs, compiled now unless the cache has them.

    ``static`` ones need no library of the image that they run in.
    """
    compiler = cargo()

    def compile_into(made: Path) -> None:
        made.mkdir()
        packages.ensure(layout, console, C_COMPILER)
        target = made.parent / "target"
        with console.step(f"compile {name}", ", ".join(binaries)):
            run_logged(
                [compiler, "build", "--release", "--locked", "--bins"],
                layout.build_logs / f"cargo-{name}.log",
                timeout=_BUILD_TIMEOUT,
                cwd=crate,
                env={"CARGO_TARGET_DIR": str(target), "RUSTFLAGS": _flags(static)},
            )
        for binary in binaries:
            shutil.copy2(target / "release" / binary, made / binary)

    return cache.entry(layout, "bin", name, key(crate, static=static), compile_into)


def key(crate: Path, *, static: bool) -> str:
    """What names the crate's programs in the cache."""
    files = cache.files_key(crate, sources(crate))
    return cache.content_key(files, version(), platform.machine(), _flags(static))


def _flags(static: bool) -> str:
    return "-C target-feature=+crt-static" if static else ""


def sources(crate: Path) -> list[Path]:
    """The files that decide what is compiled."""
    return sorted(file for pattern in _SOURCES for file in crate.glob(pattern))


def version() -> str:
    """Of the compiler's release, as cargo has it."""
    return capture([cargo(), "--version"], timeout=300).strip()


def cargo() -> str:
    """The program cargo."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    found = shutil.which("cargo") or shutil.which("cargo", path=str(home / "bin"))
    if found is None:
        raise ClusterError(
            f"cargo {RUST} or later is needed for the parts in Rust; install it from rustup.rs"
        )
    return found
