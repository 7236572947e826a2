"""2,048 client threads on each real server: they all connect, prepare and run.

Server and client begin with the limit of open files that some container runtimes give, 1,024, and
raise it themselves as the pods do.
"""

import os
import resource
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from encbench.core.session_memory import Sessions
from encbench.engines.mariadb.settings import POOL
from encbench.engines.mysql.settings import pool
from encbench.reconcile.campaign.children import OWN_CONNECTIONS
from encbench.tools.pod import wrapped
from encbench.tools.sysbench.memory import AT_REST, MEMORY
from tests.contract.client.sysbench import TABLES, Bench
from tests.support import mariadb, mysql, postgres
from tests.support.testbeds import PLAINTEXT, spec_of_testbed

THREADS = 2048
SOFT = 1024
PLACES: dict[str, dict[str, Any]] = {
    "mariadb": {"version": "10.11", "settings": {"innodb_buffer_pool_size": "64M"}},
    "mysql": {"version": "9.7", "settings": mysql.SETTINGS},
    "postgresql": {"version": "15", "settings": {"shared_buffers": "64MB"}},
}


SERVERS: dict[str, Callable[..., AbstractContextManager[Any]]] = {
    "mariadb": mariadb.running,
    "mysql": mysql.running,
    "postgresql": postgres.running,
}


@contextmanager
def few_files() -> Iterator[None]:
    """What is started within may open 1,024 files, and as many more as it asks for as before."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (SOFT, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def running(name: str) -> AbstractContextManager[Any]:
    """The engine's real server with room for that many."""
    spec = spec_of_testbed(
        PLAINTEXT,
        engine=name,
        max_connections=THREADS + OWN_CONNECTIONS,
        image="x/y:1",
        **PLACES[name],
    )
    return SERVERS[name](PLAINTEXT, spec=spec)


@pytest.mark.full
@pytest.mark.parametrize("name", PLACES)
def test_that_many_clients_connect_and_run(name: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with few_files(), running(name) as server:
        bench = Bench(server, tmp_path)
        assert bench.load() == (0, "")
        before = memory_of(server.process.pid)
        words = bench.words("oltp_point_select", warmup="0s", duration="15s")
        tool = started([*words, f"--threads={THREADS}"], tmp_path)
        most = client = grown = 0
        while tool.poll() is None:
            most = max(most, sessions(server))
            client = max(client, memory_of(child_of(tool.pid)))
            grown = max(grown, memory_of(server.process.pid) - before)
            time.sleep(1)
        output = (tmp_path / "output.log").read_text()
    assert tool.returncode == 0, output[-2000:]
    assert most >= THREADS, "every thread had a session of its own at one time"
    opened = Sessions(THREADS, TABLES)
    assert client <= AT_REST + MEMORY.of(opened), "more than the campaign's acceptance reckons with"
    if name != "postgresql":  # a process for each, of which this one is the first
        own = POOL if name == "mariadb" else pool(server.spec.instance)
        assert grown <= own.sessions.of(opened) + own.beside


def started(words: list[str], folder: Path) -> "subprocess.Popen[bytes]":
    """The tool under its wrapper, released at once."""
    command = [word.replace("$$", "$") for word in wrapped(240, words)]
    environment = {**os.environ, "ENCBENCH_RUN_DIR": str(folder)}
    tool = subprocess.Popen(command, env=environment)
    deadline = time.monotonic() + 60
    while not (folder / "ready").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    (folder / "start").write_text("0\ngo\n")
    return tool


def sessions(server: Any) -> int:
    """How many the server has had, or has now."""
    if server.engine == "postgresql":
        ((count,),) = server.admin(
            "SELECT count(*) FROM pg_stat_activity WHERE usename = 'encbench'"
        )
    else:
        ((_, count),) = server.admin("SHOW GLOBAL STATUS LIKE 'Max_used_connections'")
    return int(count)


def child_of(wrapper: int) -> int:
    """The tool itself, which `timeout` has started; 0 before and after."""
    found = wrapper
    for _ in range(2):
        try:
            children = Path(f"/proc/{found}/task/{found}/children").read_text().split()
        except OSError:
            return 0
        if not children:
            return 0
        found = int(children[0])
    return found


def memory_of(process: int) -> int:
    """Bytes that are its own; 0 when it is not there."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    found = [line.split()[1] for line in lines if line.startswith("RssAnon:")]
    return int(found[0]) * 1024 if found else 0
