"""What a Rust part is compiled from, and by which program."""

from pathlib import Path

import pytest

from tests.cluster import binaries, crates
from tests.cluster.console import ClusterError

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
    with pytest.raises(ClusterError, match="rustup"):
        crates.cargo()
    program = tmp_path / "bin" / "cargo"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert crates.cargo() == str(program)
