"""The plugin's requests by kubectl's proxy, behind which tenants' pods answer."""

import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from encbench.adapters import kubectl
from encbench.adapters.kubectl import LARGEST_OF_POD, KubectlTransport
from encbench.adapters.kubernetes import KubernetesCluster
from encbench.api.kinds import POD
from encbench.ports import NotAuthenticated, Unavailable

HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunk(content: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(content), content)


@contextmanager
def answering(path: Path, write: Callable[[socket.socket], None]) -> Iterator[None]:
    """A proxy that answers one request so."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                connection.recv(65536)
                connection.sendall(HEAD)
                write(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield
        thread.join(30)


def without_end(connection: socket.socket) -> None:
    connection.sendall(chunk(b"encbench_client_tps 7\n"))
    while True:
        connection.sendall(chunk(b"x" * 65536))


def slowly(connection: socket.socket) -> None:
    while True:
        connection.sendall(chunk(b"x"))


async def scraped(path: Path) -> str:
    return await KubernetesCluster(KubectlTransport(path)).scrape("ns", "client-0", 9188)


async def test_of_an_endless_answer_of_a_pod_the_beginning_is_read(tmp_path: Path) -> None:
    with answering(tmp_path / "api", without_end):
        found = await scraped(tmp_path / "api")
    assert found.startswith("encbench_client_tps 7\nx")
    assert len(found) == LARGEST_OF_POD


async def test_a_pod_that_answers_very_slowly_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kubectl, "SECONDS", 0.2)
    monkeypatch.setattr(kubectl, "LARGEST_OF_POD", 2**40)
    with answering(tmp_path / "api", slowly), pytest.raises(Unavailable):
        await scraped(tmp_path / "api")


async def test_a_whole_answer_of_a_pod_is_read(tmp_path: Path) -> None:
    def whole(connection: socket.socket) -> None:
        connection.sendall(chunk(b"encbench_client_tps") + chunk(b" 7\n") + b"0\r\n\r\n")

    with answering(tmp_path / "api", whole):
        assert await scraped(tmp_path / "api") == "encbench_client_tps 7\n"


async def test_who_is_not_known_is_not_refused_a_single_request(tmp_path: Path) -> None:
    """So that none tries another way where the user has to log in again."""

    class Refusing(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.rfile.readline()
            self.wfile.write(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")

    path = tmp_path / "api"
    with socketserver.UnixStreamServer(str(path), Refusing) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        with pytest.raises(NotAuthenticated, match="log in again"):
            await KubernetesCluster(KubectlTransport(path)).get(POD, "ns", "client-0")
        server.shutdown()
        thread.join(30)
