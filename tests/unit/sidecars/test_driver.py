"""Bringing a driver's jar into a client's pod: only the one that the mode means."""

import hashlib
import http.server
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from encbench.sidecars import driver
from encbench.sidecars.driver import DriverRefused, fetch
from encbench.wire.jar import jar_digest

JAR = b"PK\x03\x04 a jar"
DIGEST = hashlib.sha256(JAR).hexdigest()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the jar goes."""
    found = tmp_path / "drivers"
    found.mkdir()
    return found


@pytest.fixture
def url() -> Iterator[str]:
    """A server that has the jar, and nothing else."""
    seen: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/moved"):
                self.send_response(302)
                self.send_header("Location", "/driver.jar")
                self.end_headers()
                return
            if self.path.startswith("/busy") and not seen:
                seen.append(self.path)
                self.send_error(503)
                return
            found = self.path.startswith(("/driver.jar", "/busy"))
            self.send_response(200 if found else 404)
            if self.path.endswith("half"):
                self.send_header("Content-Length", str(2 * len(JAR)))
            if self.path.endswith("lots"):
                self.send_header("Content-Length", "lots")
            if self.path.endswith("chunk"):
                self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(JAR if found else b"")

        def log_message(self, *_: Any) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def asked(folder: Path, **values: str) -> dict[str, str]:
    return {
        "ENCBENCH_DRIVERS": str(folder),
        **{f"ENCBENCH_JAR_{name.upper()}": value for name, value in values.items()},
    }


def test_a_jar_from_a_url(folder: Path, url: str) -> None:
    made = fetch(asked(folder, url=f"{url}/driver.jar", sha256=DIGEST))
    assert made.name == "driver.jar"
    assert made.read_bytes() == JAR


@pytest.mark.parametrize("digest", [{"sha256": DIGEST}, {}])
def test_a_jar_from_a_claim(folder: Path, tmp_path: Path, digest: dict[str, str]) -> None:
    own, message = tmp_path / "own.jar", tmp_path / "termination-log"
    own.write_bytes(JAR)
    message.touch()
    assert fetch(asked(folder, file=str(own), **digest), message=message).read_bytes() == JAR
    assert jar_digest(message.read_text()) == f"sha256:{DIGEST}"


def test_another_jar_is_not_left_there(folder: Path, url: str) -> None:
    with pytest.raises(
        DriverRefused, match=f"has the SHA-256 digest {DIGEST}, but .* says 0{{64}}"
    ):
        fetch(asked(folder, url=f"{url}/driver.jar?token=hidden", sha256="0" * 64))
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("how", ["half", "chunk"])
def test_a_download_that_is_cut_off_is_not_another_jar(folder: Path, url: str, how: str) -> None:
    with pytest.raises(DriverRefused, match="cannot be read from") as caught:
        fetch(asked(folder, url=f"{url}/driver.jar?{how}", sha256=DIGEST), patience=0)
    assert how != "half" or f"ended after {len(JAR):,} of {2 * len(JAR):,} bytes" in str(
        caught.value
    )
    assert not (folder / "driver.jar").exists()


def test_a_redirection_is_not_followed(folder: Path, url: str) -> None:
    """It could lead to a host that the administrator's list has not."""
    with pytest.raises(DriverRefused, match=r"/moved redirects .*write that one into") as caught:
        fetch(asked(folder, url=f"{url}/moved?token=hidden", sha256=DIGEST))
    assert "hidden" not in str(caught.value)
    assert not (folder / "driver.jar").exists()


@pytest.mark.parametrize("name", ["missing.jar?token=hidden", "%00"])
def test_what_is_not_there(folder: Path, url: str, name: str) -> None:
    with pytest.raises(DriverRefused, match="cannot be read from") as caught:
        fetch(asked(folder, url=f"{url}/{name}", sha256=DIGEST))
    assert "hidden" not in str(caught.value)
    assert not (folder / "driver.jar").exists()


def test_a_length_that_is_no_number_is_not_asked_for_again(folder: Path, url: str) -> None:
    with pytest.raises(DriverRefused, match=r"cannot be read from .*/driver\.jar: .*'lots'"):
        fetch(asked(folder, url=f"{url}/driver.jar?lots", sha256=DIGEST))
    assert not (folder / "driver.jar").exists()


@pytest.mark.parametrize("host", ["repo..example", f"{64 * 'a'}.example", "[1.2]"])
def test_a_host_that_is_none_is_not_asked_for_again(folder: Path, host: str) -> None:
    source = f"http://{host}/driver.jar"
    with pytest.raises(DriverRefused, match=f"cannot be read from {re.escape(source)}: ") as caught:
        fetch(asked(folder, url=f"{source}?token=hidden", sha256=DIGEST))
    assert "hidden" not in str(caught.value)


def test_a_server_that_is_busy_for_a_moment(
    folder: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "_AGAIN_SECONDS", 0.01)
    assert fetch(asked(folder, url=f"{url}/busy", sha256=DIGEST)).read_bytes() == JAR


def test_a_server_that_refuses_connections_is_asked_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asleep: list[float] = []
    monkeypatch.setattr("time.sleep", asleep.append)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(DriverRefused, match="Connection refused"):
        fetch(asked(folder, url=f"http://127.0.0.1:{port}/driver.jar"), patience=0.2)
    assert asleep


def test_a_file_that_is_not_there(folder: Path) -> None:
    with pytest.raises(DriverRefused, match=r"/nowhere/own\.jar: .*No such file"):
        fetch(asked(folder, file="/nowhere/own.jar"))


def test_what_is_far_too_large(folder: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "LARGEST", 4)
    with pytest.raises(DriverRefused, match="it is not a driver"):
        fetch(asked(folder, url=f"{url}/driver.jar", sha256=DIGEST))
    assert not (folder / "driver.jar").exists()


def test_as_the_pod_runs_it(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "encbench.sidecars.driver"],
        env={**asked(folder, file="/nowhere/own.jar"), "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("encbench: the driver's jar cannot be read")
    assert "Traceback" not in done.stderr
