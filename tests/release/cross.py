"""Programs in Rust for another architecture, compiled by Debian's cross compiler in a container.

The Rust of this machine comes with the libraries of this machine alone. Debian has those of others,
for a compiler of its own, and a C library that is as old as that of our images.
"""

import shutil
import subprocess
from pathlib import Path
from typing import Final

from tests.cluster import binaries, cache, crates, images
from tests.cluster.architecture import folder, machine
from tests.cluster.console import ClusterError, Console
from tests.cluster.layout import Layout

_CONTAINERFILE: Final = """\
FROM docker.io/library/debian:bookworm-slim AS build
RUN dpkg --add-architecture {architecture} \\
 && apt-get update \\
 && apt-get install -y --no-install-recommends cargo-web rustc-web \\
      libstd-rust-web-dev libstd-rust-web-dev:{architecture} \\
      gcc libc6-dev gcc-{package}-linux-gnu libc6-dev-{architecture}-cross
COPY source /src
ENV CARGO_TARGET_{upper}_UNKNOWN_LINUX_GNU_LINKER={machine}-linux-gnu-gcc RUSTFLAGS="{flags}"
RUN cd /src \\
 && cargo build --offline --locked --release --bins --target {machine}-unknown-linux-gnu \\
      --target-dir /target \\
 && mkdir /made \\
 && cp {programs} /made/

FROM scratch
COPY --from=build /made/ /
"""
# cargo says the same, but not where it is to be quiet.
_VENDORED: Final = """\
[source.crates-io]
replace-with = "vendored"

[source.vendored]
directory = "vendor"
"""


class NotCompiledError(ClusterError):
    """The cross compiler cannot be had, or failed; the message suits every machine's index."""


def containerfile(part: binaries.Part, architecture: str) -> str:
    """What compiles a crate for another architecture, in a container of this machine's own."""
    name = machine(architecture)
    built = f"/target/{name}-unknown-linux-gnu/release"
    return _CONTAINERFILE.format(
        architecture=architecture,
        machine=name,
        # The name of a Debian package has no underscore.
        package=name.replace("_", "-"),
        upper=name.upper(),
        flags="-C target-feature=+crt-static" if part.static else "",
        programs=" ".join(f"{built}/{one}" for one in part.binaries),
    )


def ensure(layout: Layout, console: Console, part: str, architecture: str, *, pull: bool) -> Path:
    """The directory with a crate's programs, compiled now unless the cache has them.

    Raises `NotCompiledError` where the compiler cannot be had or fails.
    """
    crate = binaries.PARTS[part]
    assert crate.crate is not None
    source = layout.repo / crate.crate
    recipe = containerfile(crate, architecture)
    key = cache.content_key(recipe, cache.files_key(source, crates.sources(source)))

    def compile_into(made: Path) -> None:
        context = made.parent / "context"
        shutil.copytree(source, context / "source", ignore=shutil.ignore_patterns("target"))
        (context / "Containerfile").write_text(recipe)
        _vendor(context / "source")
        with console.step(f"compile {part}", f"{', '.join(crate.binaries)} for {architecture}"):
            try:
                images.files(layout, console, part, context, made, pull=pull)
            except ClusterError as error:
                console.say(str(error))
                reason = f"Debian's cross compiler for {architecture} cannot be had or failed"
                raise NotCompiledError(reason) from error

    return cache.entry(layout, folder("bin", architecture), part, key, compile_into)


def _vendor(source: Path) -> None:
    """Have the crate's own crates beside it, fetched as this machine fetches them."""
    command = [crates.cargo(), "vendor", "--locked", "--quiet", "vendor"]
    subprocess.run(command, cwd=source, check=True, stdout=subprocess.DEVNULL)
    (source / ".cargo").mkdir(exist_ok=True)
    (source / ".cargo" / "config.toml").write_text(_VENDORED)
