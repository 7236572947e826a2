"""What is made in which lane: images as their binaries come, and nothing after a failure."""

import threading
from pathlib import Path

import pytest

from tests.cluster import artefacts, binaries, images
from tests.cluster.console import ClusterError, Console
from tests.cluster.layout import Layout

LAYOUT, CONSOLE = Layout.from_environment(), Console()


def test_an_image_waits_for_its_own_binary_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """CoreDNS is handed over while Kubernetes still compiles, which waits here for that."""
    built, handed = threading.Event(), dict[str, Path]()

    def ensure(layout: Layout, console: Console, part: str) -> Path:
        assert part != "kubernetes" or built.wait(10), "no image was handed over meanwhile"
        return Path(part)

    def image(layout: Layout, console: Console, name: str, made: Path | None, **_: bool) -> Path:
        assert name != "coredns" or made == Path("clients")
        return Path(f"{name}.tar")

    def then(name: str, archive: Path) -> None:
        handed[name] = archive
        if name == "coredns":
            built.set()

    monkeypatch.setattr(binaries, "ensure", ensure)
    monkeypatch.setattr(images, "ensure", image)
    compiled, archives = artefacts.make(
        LAYOUT, CONSOLE, ["kubernetes"], ["coredns", "sysbench"], pull=False, then=then
    )
    assert compiled == {part: Path(part) for part in ("kubernetes", "clients")}
    assert archives == {name: Path(f"{name}.tar") for name in ("coredns", "sysbench")} == handed


def test_a_failed_image_ends_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its error is raised while a compiler still runs, which is ended, and nothing begins after."""
    ended, begun = threading.Event(), []

    def ensure(layout: Layout, console: Console, part: str) -> Path:
        begun.append(part)
        assert ended.wait(10), "the compiler was not ended"
        return Path(part)

    def image(layout: Layout, console: Console, name: str, made: Path | None, **_: bool) -> Path:
        raise ClusterError("no space left")

    monkeypatch.setattr(binaries, "ensure", ensure)
    monkeypatch.setattr(images, "ensure", image)
    monkeypatch.setattr(artefacts, "end_contained", ended.set)
    with pytest.raises(ClusterError, match="no space left"):
        artefacts.make(LAYOUT, CONSOLE, ["kubernetes", "storage"], ["sysbench"], pull=False)
    assert begun == ["kubernetes"]


def test_what_shares_packages_is_never_compiled_at_once() -> None:
    """One lane has all parts of Kubernetes' modules; Prometheus shares Helm's, in the other."""
    module = {name: part.module for name, part in binaries.PARTS.items()}
    for name, own in module.items():
        beside = {one in binaries.OF_KUBERNETES for one, other in module.items() if other == own}
        assert own is None or len(beside) == 1, f"{name} shares {own} with the other lane"
    assert {"kubernetes", "storage"} <= binaries.OF_KUBERNETES
