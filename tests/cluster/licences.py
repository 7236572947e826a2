"""The licences of what a part is compiled from, in one file, which its image gets.

They are taken from the sources of Go's modules and of crates, as they lie where Go and cargo keep
what they fetched, and from the compilers. Those of the C library, where it is linked statically,
and of crates that only tests use are there too.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from . import cache, crates
from .binaries import PARTS, Part, go_version
from .command import capture
from .console import Console
from .layout import Layout

NAME = "THIRD-PARTY-LICENCES"
_FILE = re.compile(r"(un)?licen[cs]e|copying|copyright|notice|patents", re.IGNORECASE)
_MODULE = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"
_GLIBC = (Path("/usr/share/doc/libc6-dev/copyright"), Path("/usr/share/common-licenses/LGPL-2.1"))
_RUST = ("MIT.txt", "Apache-2.0.txt")
_TIMEOUT = 1800


def ensure(layout: Layout, console: Console, name: str) -> Path:
    """The file of a part, made now unless the cache has it."""
    part = PARTS[name]
    module = layout.tools / part.module if part.module else layout.repo
    where = layout.repo / part.crate if part.crate else module
    pins = [where / file for file in ("go.mod", "go.sum", "Cargo.lock")]
    compiler = crates.version() if part.crate else go_version(where)
    key = cache.content_key(
        cache.files_key(where, [file for file in pins if file.exists()]),
        compiler,
        *(_MODULE, _FILE.pattern, *part.packages, *part.tags),
    )

    def gather(made: Path) -> None:
        with console.step(f"licences of {name}"):
            files = _of_rust(part, where) if part.crate else _of_go(part, where)
            made.write_text(text(files), encoding="utf-8")

    return cache.entry(layout, "licences", name, key, gather)


def text(files: Iterable[tuple[str, Path]]) -> str:
    """Each licence once, below all that have it; `files` are the name of a source and a licence."""
    owners: dict[str, list[str]] = {}
    for name, file in files:
        content = file.read_text(encoding="utf-8", errors="replace").strip()
        owners.setdefault(content, []).append(f"{name}: {file.name}")
    parts = ("\n".join([*names, "", content]) for content, names in owners.items())
    return f"\n\n{'=' * 80}\n".join(parts) + "\n"


def below(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    """The licences that lie in the folder of a source."""
    for file in sorted(folder.iterdir()):
        if file.is_file() and _FILE.match(file.name):
            yield name, file


def _of_go(part: Part, where: Path) -> Iterator[tuple[str, Path]]:
    environment = ["env", "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "go", "-C", str(where)]
    root = capture([*environment, "env", "GOROOT"], timeout=_TIMEOUT).strip()
    yield from below("Go", Path(root))
    tags = [f"-tags={','.join(part.tags)}"] if part.tags else []
    command = [*environment, "list", "-deps", *tags, "-f", _MODULE, *part.packages]
    for line in sorted(set(capture(command, timeout=_TIMEOUT).splitlines())):
        name, _, folder = line.partition("\t")
        yield from below(name, Path(folder))


def _of_rust(part: Part, where: Path) -> Iterator[tuple[str, Path]]:
    compiler = str(Path(crates.cargo()).with_name("rustc"))
    texts = Path(capture([compiler, "--print", "sysroot"]).strip()) / "share/doc/rust/licenses"
    yield from (("Rust", file) for name in _RUST if (file := texts / name).is_file())
    manifest = ["--manifest-path", str(where / "Cargo.toml")]
    command = [crates.cargo(), "metadata", "--locked", "--format-version=1", *manifest]
    for crate in json.loads(capture(command, timeout=_TIMEOUT))["packages"]:
        if crate["source"]:
            folder = Path(crate["manifest_path"]).parent
            yield from below(f"{crate['name']} {crate['version']}", folder)
    if part.static:
        yield from (("glibc", file) for file in _GLIBC if file.is_file())
