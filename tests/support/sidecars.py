"""Sidecars that speak TLS on loopback, certified as the operator certifies them."""

import socket
import ssl
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from aiohttp import web

from encbench.core.certificates import KeyPair
from encbench.database.children import SidecarCertificates
from encbench.ports import Access
from encbench.sidecars import certificate
from encbench.sidecars.serving import Handler, serve
from encbench.wire.sidecar import CERTIFICATE, KEY, TOKEN, Sidecar, certified_name
from tests.support.certified import MAKER, authority

TESTBED = "study-plain"


@cache
def pair(sidecar: Sidecar, testbed: str = TESTBED) -> KeyPair:
    """The certificate of a testbed's sidecar."""
    return MAKER.certify(authority(), certified_name(sidecar, testbed), datetime.now(UTC))


def access(token: str, sidecar: Sidecar = "agent") -> Access:
    """How the operator asks it."""
    return Access(token, authority().certificate, certified_name(sidecar, TESTBED))


def write(folder: Path, sidecar: Sidecar, token: str, testbed: str = TESTBED) -> None:
    """What is mounted into its container."""
    made = pair(sidecar, testbed)
    for name, text in ((TOKEN, f"{token}\n"), (CERTIFICATE, made.certificate), (KEY, made.key)):
        (folder / name).write_text(text)


def context(sidecar: Sidecar, testbed: str = TESTBED) -> ssl.SSLContext:
    """Its side of TLS."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), sidecar, "unused", testbed)
        return certificate.context(Path(folder))


@cache
def trust() -> ssl.SSLContext:
    """A caller's side of TLS, whatever name it is answered under."""
    made = ssl.create_default_context(cadata=authority().certificate)
    made.check_hostname = False
    return made


@contextmanager
def answering(handler: Handler, sidecar: Sidecar = "agent") -> Iterator[str]:
    """The address, host:port, of a sidecar with those answers, as it serves them itself."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serve(listener, handler, context(sidecar), kept=5.0)
        try:
            yield "{}:{}".format(*listener.getsockname())
        finally:
            listener.shutdown(socket.SHUT_RDWR)


@asynccontextmanager
async def served(
    app: web.Application, sidecar: Sidecar = "agent", testbed: str = TESTBED
) -> AsyncIterator[str]:
    """The address of any application behind a sidecar's TLS."""
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True)
    await runner.setup()
    try:
        tls = context(sidecar, testbed)
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
        host, port = runner.addresses[0][:2]
        yield f"{host}:{port}"
    finally:
        await runner.cleanup()


PLACEHOLDERS = SidecarCertificates(
    "the CA",
    KeyPair("the recorder's certificate", "the recorder's key"),
    KeyPair("the agent's certificate", "the agent's key"),
)
"""Where what is made of them matters, and not what they are."""
