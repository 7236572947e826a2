"""Programs in Rust for another architecture: the compiler's names, and what its failure says."""

from pathlib import Path
from typing import Any

import pytest

from tests.cluster import binaries, cache, crates, images
from tests.cluster.console import ClusterError, Console
from tests.cluster.layout import Layout
from tests.release import cross
from tests.release.source import REPO


@pytest.mark.parametrize(
    ("architecture", "packages", "linker"),
    [
        (
            "arm64",
            "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
            "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc",
        ),
        (
            "amd64",
            "gcc-x86-64-linux-gnu libc6-dev-amd64-cross",
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER=x86_64-linux-gnu-gcc",
        ),
    ],
)
def test_the_compiler_has_debians_names(architecture: str, packages: str, linker: str) -> None:
    recipe = cross.containerfile(binaries.PARTS["turnstile"], architecture)
    assert f" {packages}\n" in recipe
    assert f" {linker} " in recipe


def test_a_compiler_that_fails_is_a_reason_without_this_machines_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = Layout(repo=REPO, cache=tmp_path / "cache", state=tmp_path / "state")

    def fail(*_: Any, **__: Any) -> None:
        raise ClusterError("buildah failed", tmp_path / "log")

    monkeypatch.setattr(cross, "_vendor", lambda _: None)
    monkeypatch.setattr(crates, "sources", lambda _: [])
    monkeypatch.setattr(images, "files", fail)
    monkeypatch.setattr(cache, "entry", lambda *of: of[-1](tmp_path / "made"))
    with pytest.raises(cross.NotCompiledError) as raised:
        cross.ensure(layout, Console(), "turnstile", "arm64", pull=False)
    assert str(raised.value) == "Debian's cross compiler for arm64 cannot be had or failed"
    assert str(tmp_path / "log") in capsys.readouterr().err
