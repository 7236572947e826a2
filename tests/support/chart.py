"""The chart as Helm renders it, for tests that look at what would be installed."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.cluster import binaries

REPO = Path(__file__).resolve().parents[2]
CHART = REPO / "charts" / "encbench"
RELEASE, NAMESPACE = "bench", "measuring"

Manifest = dict[str, Any]


class Refused(Exception):
    """Helm did not render the chart; the text is what a user reads."""


@cache
def helm() -> str:
    """Helm: what is installed, else compiled now unless the cache has it."""
    installed = shutil.which("helm")
    if installed is not None:
        return installed
    return str(binaries.compiled("clients") / "helm")


@dataclass(frozen=True)
class Rendered:
    """What an installation would apply, tests included."""

    manifests: tuple[Manifest, ...]

    def all(self, kind: str, component: str | None = None) -> list[Manifest]:
        """Every object of a kind, of one component or of all."""
        return [
            body
            for body in self.manifests
            if body["kind"] == kind
            and component in (None, labels(body).get("app.kubernetes.io/component"))
        ]

    def one(self, kind: str, component: str) -> Manifest:
        """The object; an error unless there is exactly one."""
        (found,) = self.all(kind, component)
        return found

    def pods(self) -> Iterator[tuple[str, Manifest]]:
        """Name and spec of every pod."""
        for body in self.manifests:
            if body["kind"] == "Pod":
                yield body["metadata"]["name"], body["spec"]
            elif "template" in body.get("spec", {}):
                yield body["metadata"]["name"], body["spec"]["template"]["spec"]

    def containers(self) -> Iterator[tuple[str, Manifest]]:
        """Name of the pod and every container in it."""
        for name, spec in self.pods():
            for container in [*spec["containers"], *spec.get("initContainers", ())]:
                yield name, container


class _AsHelm(yaml.CSafeLoader):
    """Reads 1e3 as a number, as Go does.

    It is in C, because the CRDs are long, and each of many tests reads them.
    """


_AsHelm.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[0-9]+[eE][0-9]+$"), list("0123456789")
)


def labels(body: Manifest) -> Mapping[str, str]:
    """Labels of an object, none where it has none."""
    found: Mapping[str, str] = body["metadata"].get("labels") or {}
    return found


def render(
    values: Mapping[str, Any] | None = None,
    chart: Path = CHART,
    *,
    release: str = RELEASE,
    namespace: str = NAMESPACE,
) -> Rendered:
    """The chart with these values over its own. Refused when Helm refuses."""
    text = _run(["template", release, str(chart), "--namespace", namespace], values)
    bodies = yaml.load_all(text, Loader=_AsHelm)
    return Rendered(tuple(body for body in bodies if body))


def lint(values: Mapping[str, Any] | None = None) -> str:
    """Helm's opinion of the chart. Refused when it finds a fault."""
    return _run(["lint", "--strict", str(CHART), "--namespace", NAMESPACE], values)


def call(program: Path, home: Path, *arguments: str, seconds: float) -> str:
    """The output of a Helm that keeps what it writes for itself in `home`."""
    done = subprocess.run(
        [str(program), *arguments],
        env={**os.environ, **{f"HELM_{n}_HOME": str(home) for n in ("CACHE", "CONFIG", "DATA")}},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def package(folder: Path) -> Path:
    """The chart as `helm package` leaves it in the folder."""
    command = [helm(), "package", str(CHART), "--destination", str(folder)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    (made,) = folder.glob("*.tgz")
    return made


def _run(command: Sequence[str], values: Mapping[str, Any] | None) -> str:
    done = subprocess.run(
        [helm(), *command, "--values", "-"],
        input=json.dumps(dict(values or {})),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise Refused(done.stderr + done.stdout)
    return done.stdout
