"""The way to the API server by kubectl, whose plugin we are.

kubectl knows the user's kubeconfig, contexts and credentials, and the programs that renew them.
`kubectl proxy` lends us all that for as long as a command runs: it listens on a socket in a folder
that only the user may enter, and adds what authenticates the user to each request.
"""

import asyncio
import contextlib
import http.client
import json
import re
import socket
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote, urlencode

from encbench.adapters.kubernetes_http import ACCEPT, HttpAnswer, Query, resource
from encbench.ports import Body, NotAuthenticated

SECONDS = 30.0
"""A request ends within this time."""
LOGIN_SECONDS = 120.0
"""The start of kubectl and the first request: a program may have the user log in during either."""
LARGEST_OF_POD = 2**20
"""Bytes of an answer that a pod gives through the API server; a recorder's has some hundred."""

_LOGGED = re.compile(r"[IWEF]\d{4} \d\d:\d\d:\d\d")
"""How each line of kubectl's own log begins."""
_ATTEMPTS = 2
"""At the first 401, kubectl has the user's program renew the credentials."""
END_SECONDS = 2.0
"""How long what kubectl leaves behind is waited for."""
_LAST_WORDS_SECONDS = 0.2
"""What kubectl says before its first line is shown if kubectl has not ended within this time."""


class KubectlFailed(Exception):
    """kubectl is missing or gave up. The text has its last words."""


@dataclass(frozen=True)
class Kubectl:
    """kubectl with what the user chose for it; without a choice, the current context."""

    context: str | None = None
    kubeconfig: str | None = None

    async def start(self, command: str, *arguments: str) -> Process:
        """The process, with both outputs piped; KubectlFailed if kubectl is not installed."""
        chosen = [f"--context={self.context}"] if self.context else []
        chosen += [f"--kubeconfig={self.kubeconfig}"] if self.kubeconfig else []
        words = (command, *chosen, *arguments)
        try:
            return await asyncio.create_subprocess_exec("kubectl", *words, stdout=PIPE, stderr=PIPE)
        except FileNotFoundError as error:
            raise KubectlFailed(
                f"kubectl is not on the PATH: install it, because this needs kubectl {command}"
            ) from error

    async def ask(self, command: str, *arguments: str) -> str:
        """What it prints; KubectlFailed when it fails."""
        process = await self.start(command, *arguments)
        try:
            said, complaint = await process.communicate()
        finally:
            await _end(process)
        if process.returncode != 0:
            raise KubectlFailed(complaint.decode(errors="replace").strip())
        return said.decode()

    @contextlib.asynccontextmanager
    async def serving(self, command: str, *arguments: str) -> AsyncIterator[str]:
        """The first line of a kubectl that serves until the end; KubectlFailed without one.

        The user sees what it complains of meanwhile, or asks them to do.
        """
        process = await self.start(command, *arguments)
        complaint = _Complaint(process)
        passing = asyncio.create_task(complaint.pass_on())
        try:
            line = await _first_line(process, command)
            if not line:
                # A program that outlives kubectl may hold its standard error.
                await asyncio.wait({passing}, timeout=END_SECONDS)
                raise KubectlFailed(f"kubectl {command} failed: {complaint.text}")
            complaint.is_quoted = False
            yield line
        finally:
            passing.cancel()
            await _end(process)

    @contextlib.asynccontextmanager
    async def proxy(self) -> AsyncIterator["KubectlTransport"]:
        """A transport for as long as the proxy stands."""
        with TemporaryDirectory(prefix="encbench-") as folder:
            path = Path(folder) / "api"
            async with self.serving("proxy", f"--unix-socket={path}"):
                yield KubectlTransport(path)


async def _first_line(process: Process, command: str) -> str:
    """Empty where kubectl ends without one."""
    if process.stdout is None:
        raise KubectlFailed(f"kubectl {command} gave no output")
    try:
        return (await asyncio.wait_for(process.stdout.readline(), LOGIN_SECONDS)).decode()
    except TimeoutError as error:
        raise KubectlFailed(
            f"kubectl {command} printed nothing for {LOGIN_SECONDS:.0f} s"
        ) from error


async def _end(process: Process) -> None:
    """End kubectl, though a program that it started may hold its pipes for as long as it likes.

    asyncio waits for the pipes, too. Only its transport closes them.
    """
    try:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), END_SECONDS)
    finally:
        # This kills a kubectl that has not ended.
        process._transport.close()  # type: ignore[attr-defined]


class _Complaint:
    """What kubectl writes to its standard error.

    A program that gets credentials may ask the user to log in there, and await an answer in the
    same line. What kubectl itself logs says nothing that the answers to requests do not say.
    """

    def __init__(self, process: Process) -> None:
        self.is_quoted = True
        """Whether an error will have kubectl's last words, which are then not shown as well."""
        self._process = process
        self._said, self._was_shown = b"", False

    @property
    def text(self) -> str:
        """What the user has not seen of it."""
        said = self._said.decode(errors="replace").strip()
        return said or ("it says why above" if self._was_shown else "it does not say why")

    async def pass_on(self) -> None:
        """Show it as it comes."""
        process = self._process
        while process.stderr is not None and (said := await process.stderr.read(4096)):
            if self.is_quoted:
                self._said += said
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), _LAST_WORDS_SECONDS)
                if process.returncode is not None:
                    continue
            lines = said.decode(errors="replace").splitlines(keepends=True)
            sys.stderr.write("".join(line for line in lines if not _LOGGED.match(line)))
            sys.stderr.flush()
            self._said, self._was_shown = b"", True


class KubectlTransport:
    """Requests to a proxy of kubectl on a Unix socket."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._answered = False

    async def exchange(
        self, method: str, where: str, query: Query, body: Body | None, content_type: str
    ) -> HttpAnswer:
        """See `kubernetes_http.Transport`. NotAuthenticated if it does not know the user."""
        target = quote(where) + (f"?{urlencode(query)}" if query else "")
        content = None if body is None else json.dumps(body).encode()
        headers = {"Accept": ACCEPT, "Content-Type": content_type}
        read = _read_of_pod if resource(where) == "pods/proxy" else http.client.HTTPResponse.read
        for _ in range(_ATTEMPTS):
            answer = await asyncio.to_thread(self._exchange, method, target, content, headers, read)
            if answer.status != 401:
                return answer
        raise NotAuthenticated(
            f"the cluster does not accept your credentials ({answer.message}): log in again, or "
            "name another context with --context"
        )

    def _exchange(
        self,
        method: str,
        target: str,
        content: bytes | None,
        headers: dict[str, str],
        read: Callable[[http.client.HTTPResponse], bytes],
    ) -> HttpAnswer:
        seconds = SECONDS if self._answered else LOGIN_SECONDS
        with contextlib.closing(_UnixConnection(self._path, seconds)) as connection:
            try:
                connection.request(method, target, content, headers)
                answer = connection.getresponse()
                self._answered = True
                return HttpAnswer(answer.status, read(answer))
            except http.client.HTTPException as error:
                raise OSError(f"kubectl proxy: {error!r}") from error


def _read_of_pod(answer: http.client.HTTPResponse) -> bytes:
    """The beginning of what a pod answers, whose image may write without end, or very slowly."""
    content, ends = bytearray(), time.monotonic() + SECONDS
    while len(content) < LARGEST_OF_POD and (part := answer.read1(LARGEST_OF_POD - len(content))):
        content += part
        if time.monotonic() > ends:
            raise TimeoutError(f"the pod has not answered within {SECONDS:.0f} s")
    return bytes(content)


class _UnixConnection(http.client.HTTPConnection):
    """The proxy asks for the host name of this machine; the socket is where it listens."""

    def __init__(self, path: Path, seconds: float) -> None:
        super().__init__("localhost", timeout=seconds)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket instead of a port."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))
