"""What a Rust part is compiled from, and by which programs."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cluster import binaries, crates, packages
from tests.cluster.console import ClusterError, Console
from tests.cluster.layout import Layout
from tests.cluster.versions import C_COMPILER, GO, RUST

REPO = Path(__file__).resolve().parents[3]


def test_sources_are_what_decides_the_program() -> None:
    parts = [part for part in binaries.PARTS.values() if part.crate]
    assert [part.name for part in parts] == ["confidential-proxy", "turnstile"]
    crate = REPO / str(parts[0].crate)
    found = {str(file.relative_to(crate)) for file in crates.sources(crate)}
    assert {"Cargo.toml", "Cargo.lock", "src/main.rs", "src/responder.rs"} <= found
    assert not {name for name in found if name.startswith(("target", "tests", "fuzz", "examples"))}


def test_a_static_program_is_another_one() -> None:
    crate = REPO / "images" / "turnstile"
    assert crates.key(crate, static=True) != crates.key(crate, static=False)


def test_cargo_is_found_where_rustup_puts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    with pytest.raises(ClusterError, match=rf"cargo {RUST} or later .* rustup"):
        crates.cargo()
    program = tmp_path / "bin" / "cargo"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert crates.cargo() == str(program)


def test_there_is_a_linker_before_the_compiler_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[object] = []

    def install(layout: Layout, console: Console, wanted: Mapping[str, str]) -> None:
        done.append(wanted)

    def compiled(argv: list[str], *_: object, env: Mapping[str, str], **__: object) -> None:
        done.append(argv[1])
        made = Path(env["CARGO_TARGET_DIR"], "release", "turnstile")
        made.parent.mkdir(parents=True)
        made.touch()

    monkeypatch.setattr(packages, "ensure", install)
    monkeypatch.setattr(crates, "run_logged", compiled)
    monkeypatch.setattr(crates, "cargo", lambda: "cargo")
    monkeypatch.setattr(crates, "capture", lambda *_, **__: "cargo 1.85.0")
    layout = Layout(repo=REPO, cache=tmp_path / "cache", state=tmp_path / "state")
    crate = REPO / "images" / "turnstile"
    made = crates.ensure(layout, Console(), "turnstile", ("turnstile",), crate)
    assert (made / "turnstile").exists()
    assert done == [C_COMPILER, "build"]


def test_crates_modules_and_docs_name_the_same_compilers() -> None:
    for part in binaries.PARTS.values():
        if part.crate:
            manifest = tomllib.loads((REPO / part.crate / "Cargo.toml").read_text())
            assert manifest["package"]["rust-version"] == RUST
    modules = [*(REPO / "tests" / "cluster" / "tools").glob("*/go.mod")]
    assert modules
    for module in modules:
        assert f"\ngo {GO}.0\n" in module.read_text(), module
    said = r"Go has to be (\S+) or later \(\[go\.dev\]\S+, and Rust (\S+) or later \(\[rustup\]"
    for page in ("README.md", "docs/quickstart.md", "docs/cluster.md"):
        text = " ".join((REPO / page).read_text().split())
        assert re.findall(said, text) == [(GO, RUST)], page


def test_a_missing_go_is_named_with_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    layout = Layout(repo=REPO, cache=tmp_path / "cache", state=tmp_path / "state")
    with pytest.raises(ClusterError, match=rf"^Go {GO} or later is needed; install it from go.dev"):
        binaries.place(layout, "vale")
