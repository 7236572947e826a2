"""Settings that a server refuses, by the init container's script and the server itself."""

import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from encbench.wire.initialise import refused_settings
from tests.support import mariadb, mysql, postgres

OPTIONS = "innodb_bufer_pool_size=1G\nsort_buffer_size=banana\ninnodb_flush_method=NOSUCH\n"
PARAMETERS = "shared_bufers = '1GB'\nwork_mem = 'banana'\nbgwriter_delay = '99999999'\n"
WRONG_OPTIONS = {"innodb_bufer_pool_size", "sort_buffer_size", "innodb_flush_method"}
WRONG_PARAMETERS = {"shared_bufers", "work_mem", "bgwriter_delay"}


@pytest.mark.parametrize(
    ("running", "settings", "names"),
    [
        (mariadb.running, OPTIONS, WRONG_OPTIONS),
        (mysql.running, OPTIONS, WRONG_OPTIONS),
        (postgres.running, PARAMETERS, WRONG_PARAMETERS),
    ],
    ids=["mariadb", "mysql", "postgresql"],
)
def test_the_server_names_what_it_refuses(
    running: Callable[..., AbstractContextManager[Any]], settings: str, names: set[str]
) -> None:
    with running({}) as server:
        server.stop()
        own = getattr(server.layout, "server_cnf", None) or server.layout.server_conf
        right = Path(own).read_text()
        lines = right.splitlines(keepends=True)
        options = [line for line in lines if not line.startswith("!include")]
        included = [line for line in lines if line.startswith("!include")]
        Path(own).write_text("".join([*options, settings, *included]))
        Path(server.layout.volume, "initialised").unlink()

        with pytest.raises((subprocess.CalledProcessError, RuntimeError)):
            server.initialise()
        assert set(refused_settings(server.termination_log.read_text())) == names
        assert not Path(server.layout.volume, "initialised").exists()

        Path(own).write_text(right)
        server.termination_log.unlink()
        server.initialise()
        assert Path(server.layout.volume, "initialised").exists()
        assert not server.termination_log.exists(), "the operator's own settings are all right"
