"""Images: the base that a build names, and what its key and its context hold."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cluster import base_image, cache, images, licences
from tests.cluster.console import ClusterError, Console
from tests.cluster.layout import Layout
from tests.cluster.versions import BASE_IMAGES, DEBIAN_SUITE

CONSOLE = Console()
REPO = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("seeded", [True, False])
def test_every_build_names_the_base_anew(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, *, seeded: bool
) -> None:
    """A build that pulled has given the base's name to another image."""
    ours = f"localhost/encbench-base:{base_image.key(DEBIAN_SUITE)}"
    ran: list[list[str]] = []

    def run(argv: Sequence[str], *_: object, **__: object) -> str:
        ran.append([*argv])
        if "inspect" in argv and not seeded:
            raise ClusterError("image not known")
        return ""

    monkeypatch.setattr(images, "capture", run)
    monkeypatch.setattr(images, "run_logged", run)
    monkeypatch.setattr(base_image, "context", lambda *_: layout.cache / "base")
    images.files(layout, CONSOLE, "turnstile", layout.cache, layout.cache, pull=False)
    *before, named, built = ran
    assert named[-3:] == ["tag", ours, BASE_IMAGES[DEBIAN_SUITE]]
    assert "--pull=never" in built
    assert [ours in one for one in before] == ([True] if seeded else [True, True])


def test_the_base_is_made_with_the_apt_sources_that_the_environment_names(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ran: list[list[str]] = []

    def run(argv: Sequence[str], *_: object, **__: object) -> None:
        ran.append([*argv])

    monkeypatch.setattr(base_image, "run_logged", run)
    monkeypatch.setattr(base_image, "_complete", lambda _: None)
    monkeypatch.delenv("ENCBENCH_DEBIAN_SOURCES", raising=False)
    usual, other = (base_image.key(suite) for suite in (DEBIAN_SUITE, "sid"))
    file = tmp_path / "sources.list"
    monkeypatch.setenv("ENCBENCH_DEBIAN_SOURCES", str(file))
    with pytest.raises(ClusterError, match="name a file"):
        base_image.key(DEBIAN_SUITE)
    file.write_text("deb http://mirror.example.com/debian bookworm main\n")
    assert base_image.key(DEBIAN_SUITE) != usual
    assert base_image.key("sid") == other
    for suite in (DEBIAN_SUITE, "sid"):
        base_image.context(layout, CONSOLE, suite)
    assert ran[0][-1] == str(file)
    assert ran[1][-1].endswith("rootfs.tar")


def key(layout: Layout, monkeypatch: pytest.MonkeyPatch, name: str) -> str:
    found: list[str] = []

    def entry(_: Layout, __: str, ___: str, own: str, ____: Callable[[Path], None]) -> Path:
        found.append(own)
        return Path()

    monkeypatch.setattr(cache, "entry", entry)
    monkeypatch.setattr(licences, "ensure", lambda *_: layout.repo / "LICENSE")
    images.ensure(layout, CONSOLE, name, None, pull=False)
    return found[0]


def write(layout: Layout, name: str) -> None:
    file = layout.repo / "images" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"FROM {BASE_IMAGES[DEBIAN_SUITE]}\n")
    for licence in images.LICENCE:
        (layout.repo / licence).write_text("licence")


def test_a_key_covers_the_containerfile_s_arguments(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(layout, "turnstile/Containerfile")
    before = key(layout, monkeypatch, "turnstile")
    other = replace(images.RECIPES["turnstile"], arguments=("PROGRAM=given",))
    monkeypatch.setitem(images.RECIPES, "turnstile", other)
    assert key(layout, monkeypatch, "turnstile") != before


def test_what_builds_left_in_the_checkout_is_in_no_context(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that git ignores would make one commit's images differ."""
    write(layout, "postgresql/Containerfile")
    write(layout, "postgresql/enclave/src/key.c")
    before = key(layout, monkeypatch, "postgresql")
    for left in ("src/key.o", "src/key.bc", "encbench_enclave.so", "results/batch.out"):
        write(layout, f"postgresql/enclave/{left}")
    assert key(layout, monkeypatch, "postgresql") == before
    write(layout, "postgresql/enclave/src/other.c")
    assert key(layout, monkeypatch, "postgresql") != before


@pytest.mark.parametrize("name", [name for name, one in images.RECIPES.items() if one.ours])
def test_the_licence_is_in_each_image_with_a_part_of_ours(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    text = (REPO / "images" / name / "Containerfile").read_text()
    assert re.search(
        r"^COPY (pyproject.toml )?LICENSE NOTICE .*/", text.rpartition("\nFROM ")[2], re.M
    )
    write(layout, f"{name}/Containerfile")
    before = key(layout, monkeypatch, name)
    (layout.repo / "NOTICE").write_text("another")
    assert key(layout, monkeypatch, name) != before


def test_the_operator_s_context_lets_the_licence_in() -> None:
    assert {"!LICENSE", "!NOTICE"} <= set((REPO / ".containerignore").read_text().splitlines())


@pytest.mark.parametrize("name", [name for name, one in images.RECIPES.items() if one.part])
def test_a_compiled_program_s_image_has_the_licences_of_what_it_is_made_from(name: str) -> None:
    text = (REPO / "images" / name / "Containerfile").read_text()
    last = text.rpartition("\nFROM ")[2]
    assert re.search(rf"^COPY .*{licences.NAME} /usr/share/doc/encbench/$", last, re.MULTILINE)


def test_a_licence_that_several_have_is_there_once(tmp_path: Path) -> None:
    files: list[tuple[str, Path]] = []
    for name, text in (("one", "MIT"), ("two", "MIT\n"), ("three", "ISC")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "LICENSE-MIT").write_text(text)
        (tmp_path / name / "lib.rs").write_text("code")
        files += licences.below(name, tmp_path / name)
    first, second = licences.text(files).split("=" * 80)
    assert first.split() == ["one:", "LICENSE-MIT", "two:", "LICENSE-MIT", "MIT"]
    assert second.split() == ["three:", "LICENSE-MIT", "ISC"]
