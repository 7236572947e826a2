"""Which images of a release are built for which machines, and what its files leave out."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import architecture, binaries, images
from tests.cluster.console import Console
from tests.cluster.layout import Layout
from tests.release import build, cross, emulation, plugin
from tests.release.source import REPO
from tests.unit.release.images import saved

LAYOUT = Layout(repo=REPO, cache=Path("/cache"), state=Path("/state"))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Image and architecture in the order in which they are made; nothing is."""
    order: list[tuple[str, str]] = []

    def image(_: Any, __: Any, name: str, architecture: str, *___: Any, pull: bool) -> Path:
        order.append((name, architecture))
        return Path(f"/{name}-{architecture}")

    monkeypatch.setattr(build, "native", lambda: "amd64")
    monkeypatch.setattr(build, "_image", image)
    monkeypatch.setattr(images, "prepare", lambda *_: None)
    return order


def emulated(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def of(*_: Any) -> Iterator[str]:
        yield reason

    monkeypatch.setattr(emulation, "of", of)


def test_this_machines_images_come_first(
    made: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    emulated("", monkeypatch)
    built = build.build(LAYOUT, Console(), ("arm64", "amd64"), pull=False)
    assert [one for _, one in made] == ["amd64"] * 10 + ["arm64"] * 10
    assert not built.missing
    assert built.archives["tpcc"] == {"amd64": Path("/tpcc-amd64"), "arm64": Path("/tpcc-arm64")}


def test_what_cannot_be_built_is_listed_with_the_reason(
    made: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    emulated("the kernel has no switch for it", monkeypatch)
    built = build.build(LAYOUT, Console(), ("amd64", "arm64"), pull=False)
    foreign = [name for name, one in made if one == "arm64"]
    assert foreign == ["turnstile"], "its image has one program and no Debian"
    assert [gap["image"] for gap in built.missing] == [
        name for name in build.IMAGES if name != "turnstile"
    ]
    assert {(gap["architecture"], gap["reason"]) for gap in built.missing} == {
        ("arm64", "the kernel has no switch for it")
    }


def test_what_the_cross_compiler_does_not_make_is_listed_too(
    made: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def compiled(_: Any, __: Any, name: str, architecture: str, *___: Any, pull: bool) -> Path:
        if (name, architecture) == ("turnstile", "arm64"):
            raise cross.NotCompiledError("there is no compiler")
        return Path(f"/{name}-{architecture}")

    emulated("", monkeypatch)
    monkeypatch.setattr(build, "_image", compiled)
    built = build.build(LAYOUT, Console(), ("amd64", "arm64"), pull=False)
    assert built.missing == [
        {"image": "turnstile", "architecture": "arm64", "reason": "there is no compiler"}
    ]
    assert built.archives["turnstile"] == {"amd64": Path("/turnstile-amd64")}
    assert len(built.archives["operator"]) == 2


def test_jars_are_compiled_once(tmp_path: Path) -> None:
    files = {f"opt/tpcc/lib/{name}": (name.encode(), 1.0) for name in ("a.jar", "b.jar")}
    own = saved(tmp_path / "own", {**files, "opt/x.jar": (b"", 1.0)}, architecture="amd64")
    given = build.without_maven(LAYOUT, own, tmp_path)
    assert {name: file.name for name, file in given.items()} == {
        "Containerfile": "Containerfile",
        "lib/a.jar": "a.jar",
        "lib/b.jar": "b.jar",
    }
    assert given["lib/a.jar"].read_bytes() == b"a.jar"
    text = given["Containerfile"].read_text()
    assert text.startswith("FROM docker.io/library/debian:bookworm-slim\n")
    assert "COPY lib /opt/tpcc/lib\n" in text
    assert "maven" not in text


def test_a_release_for_another_architecture_alone_takes_this_machines_jars(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout(repo=REPO, cache=tmp_path, state=tmp_path)
    own = saved(tmp_path / "own", {"opt/tpcc/lib/a.jar": (b"jar", 1.0)}, architecture="amd64")
    prepared: list[str] = []
    contexts: dict[str, dict[str, Any]] = {}

    def image(*_: Any, architecture: str, given: dict[str, Any], **__: Any) -> Path:
        contexts[architecture] = given
        return own

    emulated("", monkeypatch)
    monkeypatch.setattr(build, "native", lambda: "amd64")
    monkeypatch.setattr(images, "prepare", lambda _, one: prepared.append(one))
    monkeypatch.setattr(images, "ensure", image)
    built = build.build(layout, Console(), ("arm64",), ("tpcc",), pull=False)
    assert contexts["amd64"] == {}
    assert list(contexts["arm64"]) == ["Containerfile", "lib/a.jar"], "Maven runs for this machine"
    assert prepared == ["amd64", "arm64"]
    assert list(built.archives["tpcc"]) == ["arm64"]


def test_another_architectures_parts_have_folders_of_their_own() -> None:
    assert architecture.folder("bin", architecture.native()) == "bin"
    other = next(one for one in architecture.ARCHITECTURES if one != architecture.native())
    assert architecture.folder("bin", other) == f"bin-{other}"


def test_every_program_in_c_is_for_this_machine_alone() -> None:
    parts = {images.RECIPES[name].part for name in build.IMAGES} - {None}
    assert not [part for part in parts if binaries.PARTS[str(part)].cgo]


def test_the_operators_image_has_the_services_that_the_plugin_has() -> None:
    text = (REPO / "images/operator/Containerfile").read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if "find botocore/data" in line]
    assert tuple(re.findall(r"! -name (\w+)", line)) == plugin.AWS
