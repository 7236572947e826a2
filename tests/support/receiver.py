"""An object store as far as a presigned PUT can see one, on loopback, with faults for tests."""

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.support.daemon import free_port

SIGNATURE = "X-Amz-Signature=5ecre7"
PORT = free_port()
"""Of every receiver of this process, so that a client knows its store before there is one."""
STORE = f"http://127.0.0.1:{PORT}"
"""What a client is told of its store."""
_CODES = {400: "KMS.DisabledException", 403: "AccessDenied", 503: "SlowDown"}


@dataclass
class Receiver:
    """What came, and what to answer; every field may be changed at any time."""

    port: int = PORT
    objects: dict[str, bytes] = field(default_factory=dict)
    """Content by path."""
    tries: list[tuple[str, int]] = field(default_factory=list)
    """Each PUT that came: path and the status that it got."""
    hosts: list[str] = field(default_factory=list)
    """The header `Host` of each PUT."""
    answer: int | None = None
    """This status for everything, as long as it is set."""
    expired: set[str] = field(default_factory=set)
    """Queries of URLs that are refused as expired."""
    elsewhere: str | None = None
    """Where an answer says that the object belongs, as long as it is set."""

    def url(self, path: str, query: str = SIGNATURE) -> str:
        """A URL for one object."""
        return f"http://127.0.0.1:{self.port}/{path}?{query}"

    def put(self, path: str, query: str, if_none_match: str | None, content: bytes) -> int:
        """One PUT; the status."""
        status = self._status(path, query, if_none_match)
        if status == 200:
            self.objects[path] = content
        self.tries.append((path, status))
        return status

    def _status(self, path: str, query: str, if_none_match: str | None) -> int:
        if self.answer is not None:
            return self.answer
        if query in self.expired or if_none_match != "*":
            return 403
        return 412 if path in self.objects else 200


@contextmanager
def receiving(receiver: Receiver, tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """The receiver behind HTTP, or with a context behind HTTPS."""

    class Handler(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.hosts.append(self.headers["Host"])
            path, _, query = self.path[1:].partition("?")
            status = receiver.put(path, query, self.headers["If-None-Match"], content)
            code = _CODES.get(status, "")
            body = f"<Error><Code>{code}</Code></Error>".encode() if code else b""
            self.send_response(status)
            if receiver.elsewhere is not None:
                self.send_header("Location", receiver.elsewhere)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", receiver.port), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
