"""What Maven finds inside a build: this host's authorities and downloads, and nothing else."""

from pathlib import Path

import pytest

from tests.cluster import maven_settings
from tests.cluster.layout import Layout


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def _mounts(arguments: list[str]) -> dict[str, str]:
    assert arguments[::2] == ["--volume"] * (len(arguments) // 2)
    pairs = (mount.removesuffix(":ro").split(":") for mount in arguments[1::2])
    return {inside: outside for outside, inside in pairs}


def test_a_host_that_adds_nothing(
    layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maven_settings, "_AUTHORITIES", tmp_path / "nothing")
    mounts = _mounts(maven_settings.volumes(layout, tmp_path))
    assert mounts == {"/root/.m2/repository": str(layout.cache / "maven")}
    assert (layout.cache / "maven").is_dir()


def test_a_host_with_authorities_and_settings_of_its_own(
    layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authorities = tmp_path / "authorities"
    authorities.mkdir()
    (authorities / "ours.crt").write_text("-----BEGIN CERTIFICATE-----\n")
    monkeypatch.setattr(maven_settings, "_AUTHORITIES", authorities)
    settings = tmp_path / "home" / ".m2" / "settings.xml"
    settings.parent.mkdir(parents=True)
    settings.write_text("<settings/>")
    mounts = _mounts(maven_settings.volumes(layout, tmp_path))
    assert mounts["/run/encbench-build/authorities"] == str(authorities)
    assert mounts["/root/.m2/settings.xml"] == str(settings)
    started = Path(mounts["/root/.mavenrc"]).read_text()
    assert "keytool -importcert" in started
    assert "-Djavax.net.ssl.trustStore=/tmp/authorities" in started
