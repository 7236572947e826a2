"""The real confidential proxy on this machine, and what its envelopes hold.

The program is the one that goes into the image, compiled now unless the cache has it.
"""

import hmac
import os
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache as remembered
from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.cluster import binaries
from tests.support.daemon import ending_with_us, free_port

AES, SM4 = "AES_128_GCM", "SM4_128_GCM"
KEY = "00112233445566778899aabbccddeeff"
MAGIC = b"\0ENC"
OVERHEAD = 48
IMAGE_ENVIRONMENT = {"MALLOC_MMAP_THRESHOLD_": "262144"}
"""As images/confidential-proxy/Containerfile has it."""
_BLOCK_CIPHERS = {1: (AES, algorithms.AES), 2: (SM4, algorithms.SM4)}


@remembered
def program() -> Path:
    """The proxy's program."""
    return binaries.compiled("confidential-proxy") / "confidential-proxy"


@dataclass(frozen=True)
class Envelope:
    """A value that the proxy encrypted; see docs/design/0007-columns.md."""

    algorithm: int
    kind: int
    decimals: int
    flags: int
    charset: int
    key_id: bytes
    nonce: bytes
    text: bytes


def is_envelope(value: object) -> bool:
    """Whether a value of a result looks like one."""
    return isinstance(value, bytes) and value.startswith(MAGIC) and len(value) >= OVERHEAD


def opened(value: bytes, origin: tuple[bytes, bytes] = (b"", b""), key: str = KEY) -> Envelope:
    """What it holds; `InvalidTag` if it was changed, or if key or column are others.

    The origin is the server's own names for table and column.
    """
    magic, version, algorithm, kind, decimals, flags, charset, key_id = struct.unpack(
        ">4sBBBBHH12s", value[:24]
    )
    assert (magic, version) == (MAGIC, 2)
    nonce, text, tag = bytes(4) + value[24:32], value[32:-16], value[-16:]
    name, cipher = _BLOCK_CIPHERS[algorithm]
    extracted = hmac.digest(key_id, bytes.fromhex(key), "sha256")
    derived = hmac.digest(extracted, f"encbench column {name}\1".encode(), "sha256")[:16]
    decryptor = Cipher(cipher(derived), modes.GCM(nonce, tag)).decryptor()
    bound = origin if all(origin) else (b"", b"")
    decryptor.authenticate_additional_data(value[:24] + b"\0".join(bound))
    plain = decryptor.update(text) + decryptor.finalize()
    return Envelope(algorithm, kind, decimals, flags, charset, key_id, nonce, plain)


@dataclass
class Proxy:
    """One that runs."""

    port: int
    process: "subprocess.Popen[str]"
    announced: str
    folder: Path

    @property
    def threads(self) -> int:
        """How many it has."""
        return len(list(Path(f"/proc/{self.process.pid}/task").iterdir()))

    @property
    def sockets(self) -> int:
        """How many it has open: two a connection, and the one that listens."""
        kinds = []
        for descriptor in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with suppress(FileNotFoundError):
                kinds.append(str(descriptor.readlink()))
        return sum(kind.startswith("socket:") for kind in kinds)

    @property
    def resident(self) -> int:
        """Bytes of memory."""
        return self._memory("VmRSS")

    @property
    def most_resident(self) -> int:
        """The most that it ever had, in bytes."""
        return self._memory("VmHWM")

    def _memory(self, name: str) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (line,) = (line for line in status.splitlines() if line.startswith(f"{name}:"))
        return int(line.split()[1]) * 1024

    @property
    def cpu_seconds(self) -> float:
        """User and system time so far, of all its threads."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def said(self) -> str:
        """What it wrote, the announcement aside."""
        return (self.folder / "proxy.err").read_text()


def arguments(
    folder: Path, upstream: int | str, columns: str, algorithm: str = AES, *, key: str = KEY
) -> list[str]:
    """Its arguments; the files that they name are written to `folder`.

    The upstream is a port on loopback, or as the program takes it.
    """
    where = f"127.0.0.1:{upstream}" if isinstance(upstream, int) else upstream
    (folder / "mek").write_text(key + "\n")
    (folder / "columns").write_text(columns)
    return [
        *("--listen", "127.0.0.1:0", "--upstream", where),
        *("--mek-file", str(folder / "mek"), "--columns", str(folder / "columns")),
        *("--algorithm", algorithm),
    ]


@contextmanager
def running(
    folder: Path,
    upstream: int | str,
    columns: str = "",
    algorithm: str = AES,
    *more: str,
    binary: Path | None = None,
) -> Iterator[Proxy]:
    """A proxy of a server on this machine."""
    folder.mkdir(parents=True, exist_ok=True)
    words = [*arguments(folder, upstream, columns, algorithm), *more]
    command = ending_with_us(str(binary or program()), *words)
    with (folder / "proxy.err").open("w") as errors:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, **IMAGE_ENVIRONMENT},
        )
    assert process.stdout is not None
    try:
        announced = process.stdout.readline()
        if not announced:
            raise RuntimeError((folder / "proxy.err").read_text())
        port = int(announced.split()[2].rpartition(":")[2])
        yield Proxy(port, process, announced, folder)
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


@dataclass
class Recorder:
    """A relay that keeps every byte that a server's side sent."""

    port: int
    seen: bytearray = field(default_factory=bytearray)

    def clear(self) -> None:
        """Forget what was seen."""
        self.seen.clear()


@contextmanager
def recording(upstream: int) -> Iterator[Recorder]:
    """A recorder in front of a port on loopback: what passes it is what is on the wire."""
    recorder = Recorder(free_port())
    listener = socket.create_server(("127.0.0.1", recorder.port))
    ended = threading.Event()

    def relay(source: socket.socket, target: socket.socket, *, keep: bool) -> None:
        try:
            while data := source.recv(65536):
                if keep:
                    recorder.seen += data
                target.sendall(data)
        except OSError:
            pass
        finally:
            for one in (source, target):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def accept() -> None:
        while not ended.is_set():
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", upstream))
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(
                target=relay, args=(client, server), kwargs={"keep": False}, daemon=True
            ).start()
            threading.Thread(
                target=relay, args=(server, client), kwargs={"keep": True}, daemon=True
            ).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield recorder
    finally:
        ended.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)


def eventually(condition: object, seconds: float = 10) -> bool:
    """Whether a condition holds within that time."""
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return bool(condition())
