"""Many connections, many rows, and a server that goes away."""

import resource
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.contract.columns.servers import PASSWORD, USER
from tests.contract.columns.wire import ServerError, Wire, execution
from tests.support import confidential, mariadb
from tests.support.confidential import AES, MAGIC, eventually

CONNECTIONS = 1024
FILES = 1024
"""What many container runtimes let a process open until it asks for more."""
MOST_MEMORY = 64 << 20
"""What the container gets for that many."""
ROWS_MEMORY = 8 << 20
SLOW, SLOW_MEMORY = 64, 128 << 10
"""Clients that do not read, and what each may take: an answer of theirs has 100 MB."""
BEGINNING = MAGIC + b"\x02\x01"
"""Of an envelope; ciphertext that looks like it is not to be expected in a lifetime of runs."""
LOST = (ServerError, ConnectionError)


@pytest.fixture
def server() -> Iterator[mariadb.MariaDB]:
    """A server that may be killed."""
    with mariadb.running(
        {}, overrides={"max_connections": str(CONNECTIONS + 50), "max_allowed_packet": "64M"}
    ) as made:
        made.admin(
            f"CREATE USER {USER}@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'",
            f"GRANT ALL PRIVILEGES ON *.* TO {USER}@'127.0.0.1'",
            "CREATE TABLE secret (id INT PRIMARY KEY, name VARCHAR(40))",
            "INSERT INTO secret SELECT seq, CONCAT('name-', seq) FROM seq_1_to_1000",
        )
        yield made


@pytest.mark.full
def test_memory_of_many_connections(server: mariadb.MariaDB, tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, FILES), hard))
    port = server.layout.port
    try:
        with confidential.running(tmp_path, port, "secret.name\n") as proxy, ExitStack() as stack:
            # Ours alone: the proxy has asked for its own.
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8 * FILES), hard))
            threads = proxy.threads
            wires = [
                stack.enter_context(Wire(proxy.port, USER, PASSWORD)) for _ in range(CONNECTIONS)
            ]
            for _ in range(2):
                for wire in wires:
                    wire.command(3, b"SELECT id, name FROM secret ORDER BY id LIMIT 200")
                for wire in wires:
                    (result,) = wire.results(binary=False)
                    assert len(result.rows) == 200
            print(f"resident with {CONNECTIONS} connections: {proxy.resident / 2**20:.1f} MiB")
            assert proxy.sockets == 2 * CONNECTIONS + 1
            assert proxy.threads == threads
            assert proxy.resident < MOST_MEMORY
            stack.close()
            assert eventually(lambda: proxy.sockets == 1)
            assert proxy.said == ""
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize(
    "binary",
    [pytest.param(False, id="text", marks=pytest.mark.full), pytest.param(True, id="binary")],
)
def test_memory_over_a_million_rows(server: mariadb.MariaDB, tmp_path: Path, binary: bool) -> None:
    query = "SELECT seq, CONCAT('name-', seq) FROM seq_1_to_1000000"
    with (
        confidential.running(tmp_path, server.layout.port, "secret.name\n") as proxy,
        Wire(proxy.port, USER, PASSWORD, capabilities=1 << 24) as wire,
    ):
        if binary:
            wire.command(0x17, execution(wire.prepare(query).number))
        else:
            wire.command(3, query.encode())
        wire.socket.settimeout(120)
        received, envelopes, most, tail = 0, 0, 0, b""
        while not tail.endswith(b"\xfe\0\0\2\0\0\0") and not tail.endswith(b"\xfe\0\0\x22\0\0\0"):
            data = wire.socket.recv(1 << 20)
            assert data
            received += len(data)
            envelopes += (tail[-5:] + data).count(BEGINNING)
            tail = (tail + data)[-16:]
            most = max(most, proxy.resident)
        print(f"{received / 1e6:.0f} MB received, at most {most / 2**20:.1f} MiB resident")
        assert envelopes == 2_000_000
        assert most < ROWS_MEMORY


LONG_ROWS, LONG = 8, 16_000_000


def test_memory_of_long_rows(server: mariadb.MariaDB, tmp_path: Path) -> None:
    """They take turns: together they never have more than the container's limit."""
    failures: list[BaseException] = []

    def ask(port: int) -> None:
        try:
            with Wire(port, USER, PASSWORD) as wire:
                for _ in range(2):
                    (result,) = wire.query(f"SELECT REPEAT('a', {LONG})")
                    assert len(result.rows[0][0] or b"") == LONG + confidential.OVERHEAD
        except BaseException as error:
            failures.append(error)

    with confidential.running(
        tmp_path, server.layout.port, "secret.name\n", AES, "--workers", "4"
    ) as proxy:
        clients = [threading.Thread(target=ask, args=(proxy.port,)) for _ in range(LONG_ROWS)]
        for client in clients:
            client.start()
        for client in clients:
            client.join(60)
        print(
            f"{LONG_ROWS} clients with rows of {LONG} bytes: {proxy.most_resident / 2**20:.1f} MiB"
        )
        assert failures == []
        assert proxy.most_resident < MOST_MEMORY


def test_memory_of_clients_that_do_not_read(server: mariadb.MariaDB, tmp_path: Path) -> None:
    """What they asked for stays with the server, and others are served meanwhile."""
    columns = "secret.name\n"
    with (
        confidential.running(tmp_path, server.layout.port, columns, AES, "--workers", "1") as proxy,
        ExitStack() as stack,
    ):
        assert proxy.threads == 3
        before = proxy.resident
        for _ in range(SLOW):
            wire = stack.enter_context(Wire(proxy.port, USER, PASSWORD))
            wire.command(3, b"SELECT seq, CONCAT('name-', seq) FROM seq_1_to_1000000")
        assert eventually(lambda: _idle(proxy), 60)
        grown = proxy.resident - before
        print(f"{SLOW} clients that do not read: {grown / 2**20:.1f} MiB")
        assert grown < SLOW * SLOW_MEMORY
        with Wire(proxy.port, USER, PASSWORD) as other:
            for _ in range(100):
                other.query("SELECT id, name FROM secret WHERE id = 7")


def _idle(proxy: confidential.Proxy) -> bool:
    """Whether it does nothing for a while."""
    before = proxy.cpu_seconds
    time.sleep(0.3)
    return proxy.cpu_seconds == before


def test_a_killed_server(server: mariadb.MariaDB, tmp_path: Path) -> None:
    with (
        confidential.running(tmp_path, server.layout.port, "secret.name\n") as proxy,
        Wire(proxy.port, USER, PASSWORD) as busy,
        Wire(proxy.port, USER, PASSWORD) as idle,
        Wire(proxy.port, USER, PASSWORD) as later,
    ):
        failures: list[BaseException] = []

        def wait() -> None:
            try:
                busy.query("SELECT SLEEP(60)")
            except LOST as error:
                failures.append(error)

        thread = threading.Thread(target=wait)
        thread.start()
        assert eventually(lambda: "SLEEP(60)" in str(server.admin("SHOW PROCESSLIST")))
        server.stop(signal.SIGKILL)
        thread.join(10)
        assert len(failures) == 1
        with pytest.raises(LOST):
            later.query("SELECT 1")
        began = time.monotonic()
        told = idle.packet()
        assert told[0] == 0xFF, told
        assert time.monotonic() - began < 15
        assert eventually(lambda: proxy.sockets == 1)
        with pytest.raises(ServerError, match="does not reach the server"):
            Wire(proxy.port, USER, PASSWORD)
        server.start()
        with Wire(proxy.port, USER, PASSWORD) as again:
            again.query("SELECT 1")
        assert proxy.said == ""


def test_a_client_that_vanishes(server: mariadb.MariaDB, tmp_path: Path) -> None:
    with confidential.running(tmp_path, server.layout.port, "secret.name\n") as proxy:
        for how in ("handshake", "result"):
            if how == "handshake":
                socket.create_connection(("127.0.0.1", proxy.port)).close()
                continue
            wire = Wire(proxy.port, USER, PASSWORD)
            wire.command(3, b"SELECT * FROM seq_1_to_1000000")
            wire.socket.close()
        assert eventually(lambda: proxy.sockets == 1)


def test_sigterm_ends_it_at_once(server: mariadb.MariaDB, tmp_path: Path) -> None:
    with (
        confidential.running(tmp_path, server.layout.port, "secret.name\n") as proxy,
        Wire(proxy.port, USER, PASSWORD) as wire,
    ):
        proxy.process.send_signal(signal.SIGTERM)
        assert proxy.process.wait(15) == 0
        with pytest.raises(OSError):
            wire.query("SELECT 1")
