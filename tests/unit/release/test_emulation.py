"""The kernel's switch for another architecture's programs: set when it is not, and set back."""

from pathlib import Path

import pytest

from tests.cluster import packages
from tests.cluster.console import Console
from tests.cluster.layout import Layout
from tests.release import emulation

LAYOUT = Layout(repo=Path("/repo"), cache=Path("/cache"), state=Path("/state"))


@pytest.fixture
def switch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the place of the kernel's."""
    (tmp_path / "register").write_text("")
    (tmp_path / "filesystems").write_text("nodev\tbinfmt_misc\n")
    monkeypatch.setattr(emulation, "_SWITCH", tmp_path)
    monkeypatch.setattr(emulation, "_FILE_SYSTEMS", tmp_path / "filesystems")
    monkeypatch.setattr(packages, "ensure", lambda *_: None)
    return tmp_path


# The numbers of the machines in elf.h.
@pytest.mark.parametrize(
    ("architecture", "name", "number"), [("arm64", "aarch64", 183), ("amd64", "x86_64", 62)]
)
def test_it_is_set_for_as_long_as_it_is_needed(
    switch: Path, architecture: str, name: str, number: int
) -> None:
    with emulation.of(LAYOUT, Console(), architecture) as reason:
        assert not reason
        line = (switch / "register").read_text()
        assert line.startswith(f":qemu-{name}:M::\\x7fELF")
        assert line.endswith(f":/usr/bin/qemu-{name}-static:F")
        magic, mask = line.split(":")[4:6]
        # A byte is written as \\x and two digits, or as itself.
        assert len(magic.replace("\\x7f", "?").replace("\\x", "")) == 3 + 1 + 2 * 16
        assert mask.count("\\x") == 20
        assert magic.endswith(f"\\x{number:02x}\\x00")
        (switch / f"qemu-{name}").write_text("enabled")
    assert (switch / f"qemu-{name}").read_text() == "-1", "what the kernel takes for removal"


def test_what_was_set_before_stays(switch: Path) -> None:
    (switch / "qemu-aarch64").write_text("enabled")
    with emulation.of(LAYOUT, Console(), "arm64") as reason:
        assert not reason
    assert (switch / "qemu-aarch64").read_text() == "enabled"
    assert not (switch / "register").read_text()


def test_without_the_switch_the_reason_is_said(switch: Path) -> None:
    (switch / "filesystems").write_text("ext4\n")
    with emulation.of(LAYOUT, Console(), "arm64") as reason:
        assert "no binfmt_misc" in reason
    assert not (switch / "register").read_text()
