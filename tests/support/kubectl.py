"""A kubectl for unit tests: it notes the words that it was given, and lends a proxy."""

import sys
from pathlib import Path

import pytest

_PROGRAM = """import http.server, json, socketserver, sys
words = sys.argv[1:]
with open(__file__ + ".args", "a") as log:
    print(*words, file=log)
if words[0] == "config":
    print({namespace!r}, end="")
elif words[0] == "get":
    print({names!r})
else:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            assert self.headers["Host"] == "localhost"
            content = json.dumps({{"metadata": {{"name": self.path}}}}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        def address_string(self):
            return "a socket"
    (path,) = [word.partition("=")[2] for word in words if word.startswith("--unix-socket=")]
    with socketserver.UnixStreamServer(path, Handler) as server:
        print("Starting to serve on", path, flush=True)
        server.serve_forever()
"""


class FakeKubectl:
    """Stands first on the PATH."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._path = folder / "kubectl"
        self._monkeypatch = monkeypatch

    def answer(self, *, namespace: str = "", names: str = "") -> None:
        """From now on, the namespace of the context and the names of what is listed are these."""
        program = _PROGRAM.format(namespace=namespace, names=names)
        self.script(program, interpreter=sys.executable)

    def script(self, text: str, interpreter: str = "/bin/sh") -> None:
        """From now on it is this script."""
        self._path.write_text(f"#!{interpreter}\n{text}\n")
        self._path.chmod(0o755)
        self._monkeypatch.setenv("PATH", f"{self._path.parent}:/usr/bin:/bin")

    @property
    def calls(self) -> list[list[str]]:
        """The words of each call, in order of their starts."""
        lines = self._path.with_name("kubectl.args").read_text().splitlines()
        return [line.split() for line in lines]
