"""kubectl, helm and `make` targets as a user runs them, for the demo and the end-to-end tests."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

REPO = Path(__file__).resolve().parents[2]
T = TypeVar("T")


class CommandFailed(Exception):
    """A command ended badly; the text has its last words."""


@dataclass(frozen=True)
class Kube:
    """A cluster and the tools to reach it."""

    environment: dict[str, str]

    @classmethod
    def current(cls) -> "Kube":
        """The cluster of the current kubeconfig."""
        missing = [tool for tool in ("kubectl", "helm") if shutil.which(tool) is None]
        if missing:
            raise CommandFailed(f"install {' and '.join(missing)} to use an existing cluster")
        return cls(dict(os.environ))

    @classmethod
    def own(cls, first: Sequence[str], needed: Sequence[str] = ()) -> "Kube":
        """A cluster of our own on this machine with our images, brought up when it is not there.

        All `needed` images are built at once, since with a cold cache they are then made beside the
        compilers: everything that can be built unless named. The cluster gets the `first` of them.
        """
        _cluster("build", *needed)
        kubeconfig = _cluster("up", "--images", *first)
        binaries = Path(kubeconfig).parent / "bin"
        path = f"{binaries}:{os.environ.get('PATH', '')}"
        return cls({**os.environ, "KUBECONFIG": kubeconfig, "PATH": path})

    def run(self, *command: str, stdin: str | None = None, timeout: float = 300) -> str:
        """The standard output of a command; CommandFailed with its last words when it fails."""
        done = subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout,
            env=self.environment,
            cwd=REPO,
            check=False,
        )
        if done.returncode != 0:
            raise CommandFailed(f"{' '.join(command)}: {done.stderr.strip()[-2000:]}")
        return done.stdout

    def kubectl(self, *arguments: str, stdin: str | None = None) -> str:
        """Run kubectl."""
        return self.run("kubectl", *arguments, stdin=stdin)

    def get(self, what: str, name: str, namespace: str) -> dict[str, Any] | None:
        """One object, or None when there is none."""
        text = self.kubectl(
            "get", what, name, f"--namespace={namespace}", "--ignore-not-found", "--output=json"
        )
        return json.loads(text) if text.strip() else None

    def list(self, what: str, namespace: str, selector: str = "") -> list[dict[str, Any]]:
        """All objects with these labels."""
        command = ["get", what, f"--namespace={namespace}", "--output=json"]
        found = json.loads(
            self.kubectl(*command, *([f"--selector={selector}"] if selector else []))
        )
        items: list[dict[str, Any]] = found["items"]
        return items

    def apply(self, *objects: dict[str, Any]) -> None:
        """`kubectl apply` of some manifests."""
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        self.kubectl("apply", "--filename=-", stdin=text)

    def plugin(self, *arguments: str, timeout: float = 1800) -> subprocess.CompletedProcess[bytes]:
        """Run `kubectl encbench`, its output shown to the user."""
        command, environment = self._plugin(arguments)
        return subprocess.run(command, env=environment, timeout=timeout, check=False)

    def asked(self, *arguments: str) -> tuple[int, str]:
        """Exit code of `kubectl encbench`, and what it printed."""
        command, environment = self._plugin(arguments)
        done = subprocess.run(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        return done.returncode, done.stdout

    def _plugin(self, arguments: Sequence[str]) -> tuple[Sequence[str], dict[str, str]]:
        command = [sys.executable, "-m", "encbench.cli.main", *arguments]
        return command, {**self.environment, "PYTHONPATH": str(REPO / "operator")}


def node_names(kube: Kube) -> set[str]:
    """The names of all nodes that the cluster has, lost ones included."""
    found = kube.kubectl("get", "nodes", "--output=name").split()
    return {name.removeprefix("node/") for name in found}


def import_images(*images: str) -> None:
    """Hand our cluster its images; all of them unless named."""
    _cluster("images", *images)


def down() -> None:
    """Remove our cluster as `make down` does."""
    _cluster("down")


def lose(node: str) -> None:
    """Cut a further node of our cluster off, as a power cut does."""
    _cluster("lose", node)


def join(nodes: int) -> None:
    """Have so many nodes in our running cluster: new ones join it, and lost ones boot again."""
    _cluster("up", f"--nodes={nodes}")


def _cluster(command: str, *arguments: str) -> str:
    """Run the cluster tool; its progress goes to the terminal, its answer comes back."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.cluster", command, *arguments],
        cwd=REPO,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise CommandFailed(f"the cluster tool's {command} failed, see above")
    return done.stdout.strip()


def wait_for(what: str, look: Callable[[], T | None], seconds: float, every: float = 1.0) -> T:
    """The first answer of `look` that is not None or False; TimeoutError says what did not come."""
    until = time.monotonic() + seconds
    while True:
        found = look()
        if found is not None and found is not False:
            return found
        if time.monotonic() > until:
            raise TimeoutError(f"{what} did not come within {seconds:.0f} s")
        time.sleep(every)
