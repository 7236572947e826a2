"""A client pod as two processes of this machine: wrapper with tool, and recorder.

They run the very commands that the operator gives to the pod, with other places in the environment.
"""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support import sidecars
from tests.support.daemon import ending_with_us, free_port
from tests.support.kube import wait_for
from tests.support.receiver import STORE
from tests.support.sidecars import trust

OPERATOR = Path(__file__).parents[2] / "operator"
FILES = ("output.log", "series.csv", "summary.json")
TOKEN = "t0ken"
AUTH = {"Authorization": f"Bearer {TOKEN}"}


@dataclass
class LocalClient:
    """One client. `wrapper` is None while only the recorder runs."""

    folder: Path
    port: int
    control_port: int
    environment: dict[str, str]
    recorder: subprocess.Popen[bytes]
    wrapper: subprocess.Popen[bytes] | None = None
    logs: list[Path] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Where the recorder takes what it is told."""
        return f"127.0.0.1:{self.control_port}"

    def metrics(self) -> tuple[int, bytes]:
        """Status and content of what the recorder tells everyone."""
        url = f"http://127.0.0.1:{self.port}/metrics"
        return self._send(urllib.request.Request(url))

    def start_wrapper(self, command: Sequence[str]) -> None:
        """Start the tool's container; `command` is as in the pod."""
        words = [word.replace("$$", "$") for word in command]
        self.wrapper = _start(words, self.environment, self.folder / "wrapper.err")

    def get(self, path: str, headers: Mapping[str, str] = AUTH) -> tuple[int, bytes]:
        """Status and content of a GET."""
        return self._send(urllib.request.Request(f"https://{self.address}{path}", headers=headers))

    def post(self, path: str, body: bytes, headers: Mapping[str, str] = AUTH) -> tuple[int, bytes]:
        """Status and content of a POST."""
        url = f"https://{self.address}{path}"
        return self._send(urllib.request.Request(url, body, headers))

    def state(self) -> dict[str, Any]:
        """The state; empty while there is none or nobody answers."""
        try:
            status, content = self.get("/v1/state")
        except OSError:
            return {}
        return dict(json.loads(content)) if status == 200 else {}

    def release(
        self, uploads: Mapping[str, str], start_at: float | None = None, **more: Any
    ) -> dict[str, Any]:
        """Release it, by default at once; `more` joins the request."""
        at = time.time() if start_at is None else start_at
        wish = {"startAt": at, "uploads": dict(uploads), **more}
        status, content = self.post("/v1/release", json.dumps(wish).encode())
        assert status == 200, content
        return dict(json.loads(content))

    def wait_for(self, *states: str, seconds: float = 30) -> dict[str, Any]:
        """The state once it is one of these."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            state = self.state()
            if state.get("state") in states:
                return state
            time.sleep(0.02)
        raise AssertionError(f"still {self.state()}, not {states}; said: {self.said()}")

    def wait_for_report(self, seconds: float = 30) -> None:
        """Return once the recorder has read the tool's first report on a second."""
        wait_for("a report of the tool's", lambda: self.state().get("lastTps"), seconds, every=0.02)

    def end(self, seconds: float = 30) -> int:
        """Exit code of the recorder."""
        return self.recorder.wait(seconds)

    def termination_message(self) -> dict[str, Any]:
        """What the recorder left."""
        return dict(json.loads((self.folder / "termination-log").read_text()))

    def said(self) -> str:
        """What both wrote to stderr."""
        names = ("recorder.err", "wrapper.err")
        files = [self.folder / name for name in names]
        return "".join(file.read_text() for file in files if file.exists())

    def summary(self) -> dict[str, Any]:
        """The recorder's summary."""
        return dict(json.loads((self.folder / "run/summary.json").read_text()))

    @property
    def output(self) -> str:
        """The tool's output."""
        return (self.folder / "run/output.log").read_text()

    @staticmethod
    def _send(request: urllib.request.Request) -> tuple[int, bytes]:
        try:
            with urllib.request.urlopen(request, timeout=5, context=trust()) as answer:  # noqa: S310 - loopback
                return int(answer.status), answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()


def _start(words: Sequence[str], environment: Mapping[str, str], log: Path) -> Any:
    with log.open("ab") as errors:
        return subprocess.Popen(
            ending_with_us(*words),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
        )


@contextmanager
def local_client(
    folder: Path,
    command: Sequence[str] | None = None,
    *,
    warmup: int = 1,
    own: str = "",
    grace: float = 3.0,
    linger: float = 10.0,
    more: Mapping[str, str] | None = None,
) -> Iterator[LocalClient]:
    """A client that waits at the barrier; both processes are gone at the exit.

    `command` is the tool container's, `own` this replica's own arguments, `more` stands over both
    containers' usual environment.
    """
    run = folder / "run"
    run.mkdir(parents=True)
    (folder / "credentials").mkdir()
    sidecars.write(folder / "credentials", "recorder", TOKEN)
    port, control_port = free_port(), free_port()
    environment = {
        **os.environ,
        "PYTHONPATH": str(OPERATOR),
        "JOB_COMPLETION_INDEX": "0",
        "ENCBENCH_REPLICA_0": own,
        "ENCBENCH_TOOL": "sysbench",
        "ENCBENCH_PROCESS": "sysbench",
        "ENCBENCH_PREFIX": "bench/overhead/trials/uid",
        "ENCBENCH_STORE": STORE,
        "ENCBENCH_WARMUP": str(warmup),
        "ENCBENCH_CPU_LIMIT": "0.5",
        "ENCBENCH_MEMORY_LIMIT": "134217728",
        "ENCBENCH_RUN_DIR": str(run),
        "ENCBENCH_PORT": str(port),
        "ENCBENCH_CONTROL_PORT": str(control_port),
        "ENCBENCH_GRACE": str(grace),
        "ENCBENCH_LINGER": str(linger),
        "ENCBENCH_TERMINATION_LOG": str(folder / "termination-log"),
        **(more or {}),
    }
    words = [sys.executable, "-m", "encbench.sidecars.recorder"]
    # A tool has credentials of its own, in a variable of the same name.
    credentials = {"ENCBENCH_CREDENTIALS": str(folder / "credentials")}
    recorder = _start(words, {**environment, **credentials}, folder / "recorder.err")
    client = LocalClient(folder, port, control_port, environment, recorder)
    try:
        if command is not None:
            client.start_wrapper(command)
        yield client
    finally:
        for process in (client.wrapper, recorder):
            if process is not None:
                process.kill()
                process.wait()
