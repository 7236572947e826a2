"""The base of our images: what it has of Debian's official slim image, and what it leaves out."""

import tarfile
from collections.abc import Iterator

import pytest

from tests.cluster import base_image, cache
from tests.cluster.console import Console
from tests.cluster.layout import Layout
from tests.cluster.versions import DEBIAN_SUITE


@pytest.fixture(scope="module")
def base() -> Iterator[tarfile.TarFile]:
    layout, console = Layout.from_environment(), Console()
    with cache.exclusive(layout, console):
        made = base_image.context(layout, console, DEBIAN_SUITE)
    with tarfile.open(made / "rootfs.tar") as archive:
        yield archive


def text(base: tarfile.TarFile, path: str) -> str:
    file = base.extractfile(f"./{path}")
    assert file is not None, path
    return file.read().decode()


def test_it_has_security_updates(base: tarfile.TarFile) -> None:
    """What an image installs comes from this list too."""
    suites = [line.split()[2] for line in text(base, "etc/apt/sources.list").splitlines() if line]
    assert sorted(suites) == ["bookworm", "bookworm-security", "bookworm-updates"]


def test_services_do_not_start(base: tarfile.TarFile) -> None:
    assert text(base, "usr/sbin/policy-rc.d") == "#!/bin/sh\nexit 101\n"
    assert base.getmember("./usr/sbin/policy-rc.d").mode == 0o755


def test_only_licences_are_left_of_the_documentation(base: tarfile.TarFile) -> None:
    """And the empty directory of info pages, which a package writes by itself."""
    files = [one.name for one in base if one.isfile() and one.name.startswith("./usr/share/")]
    left = {name for name in files if name.split("/")[3] in {"doc", "info", "locale", "man"}}
    assert {name.rsplit("/", 1)[1] for name in left} == {"copyright", "dir"}


def test_lists_and_downloads_stay_outside(base: tarfile.TarFile) -> None:
    places = ("./var/lib/apt/lists/", "./var/cache/apt/")
    sizes = {one.name: one.size for one in base if one.isfile() and one.name.startswith(places)}
    assert not any(sizes.values()), sizes


def test_manuals_have_their_folders(base: tarfile.TarFile) -> None:
    """Java's packages cannot be installed without."""
    assert base.getmember("./usr/share/man/man1").isdir()
