"""The script that makes the data directory, under each shell, with programs that only write down.

The real ones are in tests/contract/postgresql.
"""

import subprocess
from pathlib import Path

import pytest

from encbench.engines.engine import scripts
from encbench.engines.postgresql import engine
from tests.support.shells import SHELLS
from tests.unit.engines.initialising import initialise
from tests.unit.engines.mounts import mounted

SCRIPT = Path(engine.__file__).with_name("initialise.sh")

INITDB = """#!/bin/sh
case "$*" in
  *--show*) echo "VERSION=15
share_path={home}/share of 15
PGPATH=/bin" >&2; exit ;;
esac
echo "$*" >"{home}/called"
ulimit -c >"{home}/cores"
cp -r "$2" "{home}/template"
mkdir "{home}/volume/data"
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with programs, their templates, configuration and volume."""
    for folder in ("bin", "volume", "config", "share of 15/extension"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "share of 15/postgres.bki").write_text("# PostgreSQL 15\n")
    (tmp_path / "share of 15/postgresql.conf.sample").write_text("#huge_pages = try\n")
    (tmp_path / "config/postgresql.conf").write_text("")
    (tmp_path / "config/shared.sh").write_text(scripts("postgresql")["shared.sh"])
    (tmp_path / "init.sql").write_text("")
    programs = {
        "initdb": INITDB.format(home=tmp_path),
        "postgres": "#!/bin/sh\n",
        "sync": f'#!/bin/sh\necho "$*" >>"{tmp_path}/synced"\n',
    }
    for name, text in programs.items():
        program = tmp_path / "bin" / name
        program.write_text(text)
        program.chmod(0o755)
    return tmp_path


def run(home: Path, shell: list[str]) -> "subprocess.CompletedProcess[str]":
    """The init container's command."""
    places = (home / "volume", home / "config/postgresql.conf", home / "init.sql")
    return initialise(home, shell, SCRIPT, *places)


@pytest.mark.parametrize("shell", SHELLS)
def test_no_server_of_initdb_touches_the_nodes_huge_pages(home: Path, shell: list[str]) -> None:
    """The settings of the pod's own server do not reach them."""
    (home / "volume/template").mkdir()  # of a pod that was killed
    done = run(home, shell)
    assert done.returncode == 0, done.stderr
    template = home / "template"
    assert (home / "called").read_text().startswith(f"-L {home}/volume/template ")
    assert (template / "postgresql.conf.sample").read_text() == (
        "#huge_pages = try\nhuge_pages = off\n"
    )
    assert (template / "postgres.bki").read_text() == "# PostgreSQL 15\n"
    assert (home / "share of 15/postgresql.conf.sample").read_text() == "#huge_pages = try\n"
    assert (home / "cores").read_text() == "0\n"
    assert sorted(path.name for path in (home / "volume").iterdir()) == ["data", "initialised"]


@pytest.mark.parametrize("shell", SHELLS)
def test_an_image_without_the_program_is_said_to_be_so(home: Path, shell: list[str]) -> None:
    (home / "bin/initdb").write_text("#!/bin/sh\necho 'no server here' >&2\nexit 1\n")
    done = run(home, shell)
    assert done.returncode == 1
    assert "no server here" in done.stderr
    assert not (home / "volume/initialised").exists()


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("kind", ["ext4", "fuse.gocryptfs"])
def test_only_the_volume_is_synced_unless_it_is_by_fuse(
    home: Path, shell: list[str], kind: str
) -> None:
    mounted(home, kind)
    done = run(home, shell)
    assert done.returncode == 0, done.stderr
    assert (home / "synced").read_text() == ("\n" if "fuse" in kind else f"-f {home}/volume\n")
