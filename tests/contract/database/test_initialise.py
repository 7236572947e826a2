"""The script that makes the data directory, run as the init container does."""

from pathlib import Path

from tests.support.mariadb import running
from tests.support.testbeds import TDE


def test_a_half_built_directory_is_made_anew_and_a_whole_one_is_kept() -> None:
    with running(TDE) as server:
        data, done = Path(server.layout.data), Path(server.layout.volume, "initialised")
        assert done.exists()
        server.admin("CREATE TABLE sbtest.kept (id INT PRIMARY KEY)")
        server.stop()

        server.initialise()
        server.start()
        assert server.admin("SHOW TABLES IN sbtest") == [("kept",)]
        server.stop()

        done.unlink()
        (data / "mysql" / "global_priv.MAI").unlink()
        server.initialise()
        assert done.exists()
        server.start()
        assert server.admin("SHOW TABLES IN sbtest") == []
