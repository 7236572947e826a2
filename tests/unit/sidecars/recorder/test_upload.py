"""Storing a file by a presigned URL."""

import http.client
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from encbench.sidecars.recorder.upload import Away, UploadRefused, pauses, put
from tests.support import certified
from tests.support.daemon import free_port
from tests.support.receiver import Receiver, receiving


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving(Receiver()) as running:
        yield running


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "output.log"
    path.write_bytes(b"line\n" * 50_000)
    return path


def test_stored(receiver: Receiver, file: Path) -> None:
    put(receiver.url("a/output.log"), file)
    assert receiver.objects == {"a/output.log": file.read_bytes()}


def test_the_host_is_sent_as_the_signature_has_it(receiver: Receiver, file: Path) -> None:
    """That is in lower case."""
    put(receiver.url("A").replace("127.0.0.1", "LocalHost"), file)
    assert receiver.hosts == [f"localhost:{receiver.port}"]
    assert receiver.objects.keys() == {"A"}


def test_stored_before(receiver: Receiver, file: Path) -> None:
    receiver.objects["a/output.log"] = b"before"
    put(receiver.url("a/output.log"), file)
    assert receiver.objects == {"a/output.log": b"before"}


@pytest.mark.parametrize("status", [500, 502, 503, 504, 408, 409, 429])
def test_a_fault_of_the_store(receiver: Receiver, file: Path, status: int) -> None:
    receiver.answer = status
    with pytest.raises(Away, match=str(status)):
        put(receiver.url("a"), file)


@pytest.mark.parametrize("status", [301, 400, 403, 404])
def test_a_refusal(receiver: Receiver, file: Path, status: int) -> None:
    receiver.answer = status
    with pytest.raises(UploadRefused, match=str(status)) as caught:
        put(receiver.url("a"), file)
    assert "5ecre7" not in str(caught.value)


def test_a_refusal_by_the_key_of_the_bucket(receiver: Receiver, file: Path) -> None:
    receiver.answer = 400
    with pytest.raises(UploadRefused, match=r"^400 KMS\.DisabledException$"):
        put(receiver.url("a"), file)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_nothing_is_sent_where_a_redirection_points(
    receiver: Receiver, file: Path, status: int
) -> None:
    receiver.answer, receiver.elsewhere = status, receiver.url("elsewhere")
    with pytest.raises(UploadRefused, match=str(status)):
        put(receiver.url("a"), file)
    assert receiver.tries == [("a", status)]


@pytest.fixture
def certified_receiver() -> Iterator[Receiver]:
    """One whose certificate is by a CA that the machine does not know."""
    with receiving(Receiver(), certified.context()) as running:
        yield running


def test_a_store_with_a_ca_of_its_own(certified_receiver: Receiver, file: Path) -> None:
    url = f"https://localhost:{certified_receiver.port}/a?X-Amz-Signature=5ecre7"
    with pytest.raises(UploadRefused, match=r"not trusted.*objectStore\.external\.caConfigMap"):
        put(url, file)
    with pytest.raises(UploadRefused, match="not trusted"):
        put(url, file, certified.authority("another").certificate)
    assert certified_receiver.objects == {}
    put(url, file, certified.issued().authority)
    assert certified_receiver.objects == {"a": file.read_bytes()}


@pytest.mark.parametrize(
    ("hosts", "since", "said"),
    [
        (["minio.tenant.svc"], None, "not for this address: .*; have one issued that names it$"),
        (certified.LOCAL, datetime(2000, 1, 1, tzinfo=UTC), "out of date: .*; renew it, or that"),
    ],
)
@pytest.mark.parametrize("host", certified.LOCAL)
def test_a_certificate_that_does_not_fit_is_not_put_down_to_its_ca(
    hosts: list[str], since: datetime | None, said: str, host: str, file: Path
) -> None:
    with receiving(Receiver(), certified.context(hosts, since)) as running:
        url = f"https://{host}:{running.port}/a?X-Amz-Signature=5ecre7"
        with pytest.raises(UploadRefused, match=f"^its certificate is {said}"):
            put(url, file, certified.issued().authority)


def test_a_ca_that_is_none(receiver: Receiver, file: Path) -> None:
    for text in ("nothing", "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n"):
        with pytest.raises(UploadRefused, match="no certificate in PEM"):
            put(receiver.url("a").replace("http:", "https:"), file, text)


def test_nobody_there(file: Path) -> None:
    with pytest.raises(Away, match="Connection refused"):
        put(f"http://127.0.0.1:{free_port()}/a?X-Amz-Signature=5ecre7", file)


def test_no_such_host(file: Path) -> None:
    with pytest.raises(Away, match=r"^its name cannot be resolved$"):
        put("http://store.invalid/a?X-Amz-Signature=5ecre7", file)


@pytest.mark.parametrize("url", ["http://host:port/a?s=5ecre7", "http://host/a b?s=5ecre7"])
def test_a_malformed_url(file: Path, url: str) -> None:
    with pytest.raises(UploadRefused) as caught:
        put(url, file)
    assert "5ecre7" not in str(caught.value)


def test_tls_to_something_else(receiver: Receiver, file: Path) -> None:
    with pytest.raises(Away, match=r"^TLS: "):
        put(receiver.url("a").replace("http:", "https:"), file)


@contextmanager
def refusing() -> Iterator[str]:
    """The URL of a store that answers 403 and hangs up before it has read everything."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def refuse() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")

        thread = threading.Thread(target=refuse)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/a"
        thread.join()


def test_a_store_that_answers_before_it_has_read_everything(tmp_path: Path) -> None:
    big = tmp_path / "output.log"
    big.write_bytes(b"x" * 20_000_000)
    with refusing() as url, pytest.raises((UploadRefused, Away)):
        put(url, big)


@pytest.mark.parametrize("error", [BrokenPipeError, ConnectionResetError, ssl.SSLEOFError])
def test_the_answer_of_a_store_that_hangs_up_counts(
    error: type[OSError], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else an URL that has expired would never be renewed: the store would seem to be away."""
    send = http.client.HTTPConnection.endheaders

    def hangs_up(connection: http.client.HTTPConnection, body: object = None) -> None:
        send(connection)
        raise error

    monkeypatch.setattr(http.client.HTTPConnection, "endheaders", hangs_up)
    with refusing() as url, pytest.raises(UploadRefused, match="403"):
        put(url, file)


def test_pauses_double_to_a_limit_with_a_random_part() -> None:
    longest, shortest = pauses(lambda: 1.0), pauses(lambda: 0.0)
    found = [next(longest) for _ in range(9)]
    assert found == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    assert [next(shortest) for _ in range(9)] == [pause / 2 for pause in found]
