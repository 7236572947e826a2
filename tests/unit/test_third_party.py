"""THIRD-PARTY.md names what the images contain, as the lock files have it."""

from tests.cluster.versions import IMAGE_TAGS
from tests.third_party import CARGO, JARS, PAGE, PROGRAMS, PYTHON, jars, locked

TEXT = PAGE.read_text(encoding="utf-8")


def test_every_locked_library_is_named_with_its_version() -> None:
    pinned = [entry for lock in (PYTHON, *CARGO) for entry in locked(lock)]
    assert len(pinned) > 80
    missing = [entry for entry in [*pinned, *jars()] if f"| {' | '.join(entry)} |" not in TEXT]
    assert not missing, "run `make third-party`"
    assert {name for name, _ in jars()} == JARS.keys()


def test_nothing_is_named_that_is_not_there_any_more() -> None:
    pinned = {entry for lock in (PYTHON, *CARGO) for entry in locked(lock)} | set(jars())
    rows = [line.strip("|").split("|") for line in TEXT.splitlines() if line.startswith("| ")]
    named = {(row[0].strip(), row[1].strip()) for row in rows if len(row) == 3}
    heads = {(one, "version") for one in ("package", "crate", "jar")}
    assert named - heads == pinned


def test_every_image_is_named() -> None:
    assert PROGRAMS.keys() == IMAGE_TAGS.keys()
    assert all(f"| {name} | {what} |" in TEXT for name, what in PROGRAMS.items())
