"""The script that makes the data directory, under each shell, with a program that only writes down.

The real server is in tests/contract/mysql.
"""

import resource
import subprocess
from pathlib import Path

import pytest

from encbench.engines.engine import scripts
from encbench.engines.mysql import engine
from encbench.engines.mysql.layout import MysqlLayout
from tests.support.shells import SHELLS
from tests.unit.engines.initialising import initialise
from tests.unit.engines.mounts import mounted

SCRIPT = Path(engine.__file__).with_name("initialise.sh")

MYSQLD = """#!/bin/sh
case "$*" in
  *--help*) ulimit -S -n >"{home}/files"; cat "{home}/help"; exit "$(cat "{home}/code")" ;;
esac
echo "$0 $*" >>"{home}/calls"
mkdir -p "{volume}/data"
[ ! -e "{home}/fails" ]
"""


SYNC = """#!/bin/sh
echo "$*" >>"{home}/synced"
[ "$#" = 0 ] || [ ! -e "{home}/old" ]
"""


class Image:
    """A folder with a program, plugins, configuration and volume."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.layout = MysqlLayout(volume=str(home / "volume"), config=str(home / "config"))
        for folder in ("bin", "volume", "config", "share/plugins"):
            (home / folder).mkdir(parents=True)
        for plugin in ("component_keyring_file.so", "other.so", "README"):
            (home / "share/plugins" / plugin).touch()
        self.says(f"basedir   {home}/share/\nplugin-dir   {home}/share/plugins/\n")
        (home / "config/server.cnf").write_text("[mysqld]\n")
        (home / "config/shared.sh").write_text(scripts("mysql")["shared.sh"])
        programs = {"mysqld": MYSQLD.format(home=home, volume=self.layout.volume)}
        for name, text in {**programs, "sync": SYNC.format(home=home)}.items():
            program = home / "bin" / name
            program.write_text(text)
            program.chmod(0o755)

    def says(self, text: str, code: int = 0) -> None:
        """What `--help` prints and ends with."""
        (self.home / "help").write_text(text)
        (self.home / "code").write_text(str(code))

    def configured(self) -> None:
        """With the keyring's files."""
        for name in ("mysqld.my", "component_keyring_file.cnf"):
            (self.home / "config" / name).write_text(name)

    def run(self, shell: list[str]) -> "subprocess.CompletedProcess[str]":
        """The init container's command."""
        places = (Path(self.layout.volume), Path(self.layout.config))
        return initialise(self.home, shell, SCRIPT, *places)

    @property
    def synced(self) -> list[str]:
        """How each sync was called."""
        return (self.home / "synced").read_text().splitlines()

    @property
    def calls(self) -> list[str]:
        """How the server was called."""
        path = self.home / "calls"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def image(tmp_path: Path) -> Image:
    return Image(tmp_path)


@pytest.mark.parametrize("shell", SHELLS)
def test_what_a_killed_server_left_for_its_socket_goes(image: Image, shell: list[str]) -> None:
    image.configured()
    assert image.run(shell).returncode == 0
    lock = Path(f"{image.layout.socket}.lock")
    lock.write_text("17\n")
    assert image.run(shell).returncode == 0
    assert not lock.exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_the_program_may_not_open_more_files_than_the_server(
    image: Image, shell: list[str]
) -> None:
    """MySQL 5.7 reserves memory for each; runtimes allow up to a thousand million."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    assert image.run(shell).returncode == 0
    assert int((image.home / "files").read_text()) == min(65536, hard)


@pytest.mark.parametrize("shell", SHELLS)
def test_program_and_plugins_are_linked_and_the_keyring_lies_beside_them(
    image: Image, shell: list[str]
) -> None:
    image.configured()
    done = image.run(shell)
    assert done.returncode == 0, done.stderr
    program = Path(image.layout.program)
    assert Path(image.layout.mysqld).resolve() == image.home / "bin" / "mysqld"
    assert sorted(path.name for path in (program / "plugins").iterdir()) == [
        "component_keyring_file.cnf",
        "component_keyring_file.so",
        "other.so",
    ]
    assert (program / "plugins/other.so").resolve() == image.home / "share/plugins/other.so"
    assert (program / "mysqld.my").read_text() == "mysqld.my"
    assert Path(image.layout.program, "places.cnf").read_text() == (
        f"[mysqld]\nbasedir={image.home}/share/\nplugin_dir={program}/plugins\n"
    )
    assert image.calls == [
        f"{image.layout.mysqld} --defaults-file={image.layout.server_cnf} --initialize-insecure"
    ]
    assert Path(image.layout.keyring).parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("shell", SHELLS)
def test_without_a_keyring_there_is_no_manifest_left_of_another_run(
    image: Image, shell: list[str]
) -> None:
    image.configured()
    assert image.run(shell).returncode == 0
    for name in ("mysqld.my", "component_keyring_file.cnf"):
        (image.home / "config" / name).unlink()
    assert image.run(shell).returncode == 0
    assert not Path(image.layout.program, "mysqld.my").exists()
    assert not Path(image.layout.program, "plugins/component_keyring_file.cnf").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_whole_directory_is_kept_and_a_half_built_one_made_anew(
    image: Image, shell: list[str]
) -> None:
    volume = Path(image.layout.volume)
    (image.home / "fails").touch()
    assert image.run(shell).returncode != 0
    assert not (volume / "initialised").exists()

    (volume / "data" / "half").touch()
    (volume / "keyring" / "keyring").touch()
    (image.home / "fails").unlink()
    assert image.run(shell).returncode == 0
    assert (volume / "initialised").exists()
    assert not (volume / "data" / "half").exists()
    assert not (volume / "keyring" / "keyring").exists()

    (volume / "data" / "kept").touch()
    (volume / "keyring" / "keyring").touch()
    assert image.run(shell).returncode == 0
    assert (volume / "data" / "kept").exists()
    assert (volume / "keyring" / "keyring").exists()
    assert len(image.calls) == 2


@pytest.mark.parametrize("shell", SHELLS)
def test_an_image_that_is_none_of_mysql_is_said_to_be_so(image: Image, shell: list[str]) -> None:
    for text, code in (("", 1), ("basedir  /usr/\n", 0), ("plugin-dir /nowhere/\n", 0)):
        image.says(text, code)
        done = image.run(shell)
        assert done.returncode == 1
        assert "use an image of MySQL 5.7 or later" in done.stderr
    (image.home / "bin" / "mysqld").unlink()
    done = image.run(shell)
    assert done.returncode == 1
    assert "no mysqld on its PATH" in done.stderr
    assert not Path(image.layout.volume, "program").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_only_the_volume_is_synced_where_the_image_can(image: Image, shell: list[str]) -> None:
    """Other disks of the node may be those of a campaign that is measured."""
    assert image.run(shell).returncode == 0
    assert image.synced == [f"-f {image.layout.volume}"]
    (image.home / "volume/initialised").unlink()
    (image.home / "old").touch()
    assert image.run(shell).returncode == 0
    assert image.synced[1:] == [f"-f {image.layout.volume}", ""]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("kind", ["ext4", "fuse.gocryptfs"])
def test_by_fuse_all_disks_are_synced(image: Image, shell: list[str], kind: str) -> None:
    """Such a file system does not pass on to its disk that it is to be synced."""
    mounted(image.home, kind)
    assert image.run(shell).returncode == 0
    assert image.synced == ["" if "fuse" in kind else f"-f {image.layout.volume}"]
