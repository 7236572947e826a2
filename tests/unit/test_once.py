"""Folders that are made once in a session of tests."""

import os
from pathlib import Path

import pytest

from tests.support import once


class Maker:
    """Makes folders, and counts how often."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.times = folder, 0

    def have(self, name: str, key: str) -> str:
        """What is in the folder of that name afterwards."""
        place = self.folder / name

        def make() -> None:
            self.times += 1
            if key == "fails" and self.times == 1:
                (place / "half").touch()
                raise RuntimeError("half-made")
            (place / "file").write_text(f"{key} {self.times}")

        place.mkdir()
        once.made(place, [key], make)
        return (place / "file").read_text()


@pytest.fixture
def maker(tmp_path: Path) -> Maker:
    return Maker(tmp_path)


@pytest.fixture
def a_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    monkeypatch.setenv(once.PLACE, str(tmp_path / "place"))


@pytest.mark.usefixtures("a_place")
def test_the_same_key_is_made_once_and_copied(maker: Maker) -> None:
    assert [maker.have("a", "x"), maker.have("b", "x"), maker.have("c", "y")] == [
        "x 1",
        "x 1",
        "y 2",
    ]
    (maker.folder / "b" / "file").write_text("changed")
    assert maker.have("d", "x") == "x 1"


@pytest.mark.usefixtures("a_place")
def test_what_could_not_be_made_is_tried_again(maker: Maker) -> None:
    with pytest.raises(RuntimeError, match="half-made"):
        maker.have("a", "fails")
    assert maker.have("b", "fails") == "fails 2"
    assert not (maker.folder / "b" / "half").exists()


def test_without_a_place_each_is_made(monkeypatch: pytest.MonkeyPatch, maker: Maker) -> None:
    monkeypatch.delenv(once.PLACE, raising=False)
    assert [maker.have("a", "x"), maker.have("b", "x")] == ["x 1", "x 2"]


def test_a_place_goes_with_its_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(once.PLACE, raising=False)
    with once.place():
        found = Path(os.environ[once.PLACE])
        assert found.is_dir()
    assert not found.exists()
    assert once.PLACE not in os.environ
