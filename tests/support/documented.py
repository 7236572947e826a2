"""The commands of README and docs, and what is wrong with one by the sources that it speaks of.

A command is a line of a code block that begins with one of PROGRAMS. `commands` has those that a
test runs or that are listed as not run; `mentions` has those within sentences, which are only
checked. Flags are checked against the plugin's parser, targets against the Makefile, kinds,
conditions and fields against the API, and paths against the checkout.
"""

import argparse
import contextlib
import io
import re
import shlex
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import yaml

from encbench.api.crd import definition
from encbench.api.lifecycle import LIVES
from encbench.api.resources import RESOURCES
from encbench.cli.flags import parser
from encbench.kube.labels import CREDENTIALS, DRIVER, KEY, USE
from tests.support.chart import CHART, REPO

PROGRAMS = (
    *("kubectl", "helm", "make", "pip", "pipx", "uv", "python3", "python", "git", "mc"),
    *("podman", "docker", "mariadb", "mysql", "psql", "cosign"),
    *("kind", "k3d", "minikube", "curl", "export", "CLUSTER=existing", "encbench", "cd", "tar"),
    *("skopeo", "aws", "gcloud", "oc", "./push.sh", "build/release/0.2.0/push.sh"),
)
SHELL = ("", "sh", "shell", "bash", "console")
"""Languages of fenced blocks that may hold commands."""
CONTENT = re.compile(r"(?s)```.*?```")
_BUILTIN = (
    *("secret", "secrets", "pvc", "leases", "lease", "namespace", "ns", "crd", "pods", "pod"),
    *("configmap", "deployment", "nodes", "events", "poddisruptionbudgets", "statefulset"),
    *("clusterroles", "clusterrolebindings", "roles", "rolebindings", "networkpolicies"),
    *("validatingadmissionpolicies", "validatingadmissionpolicybindings", "podmonitors"),
)
_VALUED = (
    *("-n", "--namespace", "-o", "--output", "-l", "--selector", "-f", "--filename", "-c"),
    *("-k", "--kustomize", "--type", "--patch", "--timeout", "--for", "--set", "--show-only"),
    "--values",
)


@dataclass(frozen=True)
class Documented:
    """One command, and where it stands."""

    page: str
    line: int
    text: str
    """Without prompt; white space folded."""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.text}"


@cache
def pages() -> dict[str, str]:
    """Every page for users by its path, without those that record decisions."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    return {
        name: (REPO / name).read_text(encoding="utf-8")
        for name in listed
        if not name.startswith(("tests/", "docs/design/", ".github/"))
    }


def commands() -> Iterator[Documented]:
    """Every command of a code block."""
    for page, content in pages().items():
        yield from in_blocks(page, content)


def in_blocks(page: str, content: str) -> Iterator[Documented]:
    """The commands of a page; one that goes on in the next line is whole."""
    fence: str | None = None
    begun: tuple[int, str] | None = None
    for number, line in enumerate(content.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("```"):
            fence = stripped[3:] if fence is None else None
            continue
        if not (line.startswith("    ") if fence is None else fence in SHELL):
            continue
        if begun is None and not _begins(stripped):
            continue
        place, before = begun or (number, "")
        text = f"{before}{stripped.removeprefix('$ ')}"
        begun = (place, text.removesuffix("\\")) if text.endswith("\\") else None
        if begun is None:
            yield Documented(page, place, " ".join(text.split()))


def mentions() -> Iterator[Documented]:
    """Every command in backticks within a sentence, if it has a word beside its program."""
    for page, content in pages().items():
        # Blocks keep their lines, so that those below have their numbers.
        prose = CONTENT.sub(lambda found: "\n" * found[0].count("\n"), content)
        for found in re.finditer(r"`([^`]+)`", prose):
            text = " ".join(found[1].split())
            if _begins(text) and " " in text:
                yield Documented(page, prose.count("\n", 0, found.start()) + 1, text)


def examples() -> Iterator[Documented]:
    """Every command that the help of the plugin's commands shows."""
    (commands_,) = (it for it in parser()._actions if isinstance(it, argparse._SubParsersAction))
    for name, command in commands_.choices.items():
        # Examples are indented by two, and a block by four.
        shown = (command.epilog or "").replace("\n  ", "\n    ")
        yield from in_blocks(f"kubectl encbench {name} --help", shown)


def _begins(line: str) -> bool:
    first = line.removeprefix("$ ").split(" ", 1)[0]
    return bool(
        (first in PROGRAMS and "──" not in line) or re.match(r"for \w+ in |while read ", line)
    )


def problems(text: str) -> list[str]:
    """What is wrong with a command; empty where nothing is, or where nothing is known of it."""
    found: list[str] = []
    for part in _parts(text):
        program = _CHECKS.get(part[0])
        found += program(part[1:]) if program else ()
    return found


def _parts(text: str) -> Iterator[list[str]]:
    """The commands of a pipe, without xargs before them and a file behind."""
    words: list[str] = []
    for word in [*shlex.split(re.sub(r" > \S+$", "", text)), "|"]:
        if word != "|":
            words.append(word)
            continue
        while words and (words[0] in ("xargs", "CLUSTER=existing") or words[0].startswith("-")):
            words.pop(0)
        if words:
            yield words
        words = []


def _positional(words: Sequence[str]) -> list[str]:
    """The words that are neither flags nor their values."""
    found, skip = [], False
    for word in words:
        if skip or word.startswith("-"):
            skip = not skip and word in _VALUED
        else:
            found.append(word)
    return found


def _value(words: Sequence[str], *flags: str) -> Iterator[str]:
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in flags:
            yield value if equals else words[place + 1]


def _kubectl(words: Sequence[str]) -> Iterator[str]:
    if words[:1] == ["encbench"]:
        yield from _plugin(words[1:])
        return
    for path in _value(words, "-k", "--kustomize", "-f", "--filename"):
        if path.startswith(("campaigns", "crds")) and not (REPO / path).exists():
            yield f"there is no {path}"
    for word in words:
        name, _, use = word.partition("=")
        if name == USE and use not in (KEY, CREDENTIALS, DRIVER):
            yield f"{USE} has no value {use}"
    positional = _positional(words[1:])
    if not positional:
        return
    if words[0] == "explain":
        kind, _, path = positional[0].partition(".")
        yield from _unknown(kind, path)
    if words[0] in ("get", "delete", "describe", "label", "patch", "wait"):
        for one in positional[0].split(","):
            yield from _of_kind(words, one.partition("/")[0])


def _of_kind(words: Sequence[str], kind: str) -> Iterator[str]:
    if kind not in ("encbench", *_BUILTIN, *_kinds()):
        yield f"there is no kind {kind}"
    for condition in _value(words, "--for"):
        topic, _, value = condition.partition("=")
        if topic == "condition" and value not in _conditions(kind):
            yield f"{kind} has no condition {value}"
        elif topic == "jsonpath":
            yield from _unknown(kind, value)
    for shown in _value(words, "-o", "--output"):
        if shown.startswith("jsonpath="):
            yield from _unknown(kind, shown.partition("=")[2])


def _plugin(words: Sequence[str]) -> Iterator[str]:
    if not words or words == ["--help"] or len(words) == 1:
        # A mention names a command without what it takes.
        known = parser().format_help()
        yield from (f"there is no command {w}" for w in words if w[0] != "-" and w not in known)
        return
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            parser().parse_args(words)
        except SystemExit:
            yield said.getvalue().strip().splitlines()[-1]


@cache
def _kinds() -> dict[str, Any]:
    """The schema of each of our kinds, by every name that kubectl takes."""
    found: dict[str, Any] = {}
    for resource in RESOURCES:
        spec = definition(resource)["spec"]
        names = spec["names"]
        schema = spec["versions"][0]["schema"]["openAPIV3Schema"]
        every = (names["plural"], names["singular"], *names.get("shortNames", ()))
        found |= dict.fromkeys(every, schema)
    return found


def _conditions(kind: str) -> set[str]:
    schema = _kinds().get(kind)
    return {
        condition.name
        for life in LIVES
        if schema is not None and _kinds()[life.kind.plural] is schema
        for condition in life.conditions
    }


def _unknown(kind: str, path: str) -> Iterator[str]:
    """A complaint where one of our kinds has no such field."""
    at = _kinds().get(kind)
    if at is None:
        return
    for name in path.strip("'{}").split("."):
        if not name or name == "metadata" or at is None:
            continue
        at = at.get("properties", {}).get(name.partition("[")[0])
        if at is None:
            yield f"{kind} has no field {path}"
            return
        at = at.get("items", at)


def _helm(words: Sequence[str]) -> Iterator[str]:
    positional = _positional(words)
    for word in positional[1:]:
        if word.startswith("charts/") and REPO / word != CHART:
            yield f"there is no chart {word}"
    installs = "install" in words[:1] or "--install" in words
    named = "global.imageRegistry=" in " ".join(words)
    # Images of a release may have been loaded into the nodes instead.
    if installs and len(positional) > 2 and not named and "encbench-0.2.0.tgz" not in words:
        yield "there is no global.imageRegistry, and docker.io/encbench can be anybody's"
    for path in _value(words, "--values"):
        if path.startswith("charts/") and not (REPO / path).exists():
            yield f"there are no values {path}"
    for path in _value(words, "--show-only"):
        if not (CHART / path).exists():
            yield f"the chart has no {path}"
    known = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    for pair in _value(words, "--set"):
        at: Any = known
        for name in pair.partition("=")[0].split("."):
            at = at.get(name, ...) if isinstance(at, dict) else ...
        if at is ...:
            yield f"the chart has no value {pair.partition('=')[0]}"


@cache
def _makefile() -> str:
    return (REPO / "Makefile").read_text(encoding="utf-8")


def _make(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        name, equals, _ = word.partition("=")
        if equals and not re.search(rf"\b{name}\b", _makefile()):
            yield f"the Makefile has no {name}"
        elif not equals and not re.search(rf"(?m)^{re.escape(name)}:", _makefile()):
            yield f"the Makefile has no target {name}"


def _pip(words: Sequence[str]) -> Iterator[str]:
    project = (REPO / "pyproject.toml").read_text(encoding="utf-8")
    for word in words:
        if words[0] == "install" and re.match(r"encbench\b(?!-)", word):
            yield "encbench is not on PyPI, where the name can be anybody's: name a wheel or ."
        for extra in re.findall(r"^(?:\./encbench-\S+\.whl|\.)\[([\w,]+)\]", word):
            for one in extra.split(","):
                if not re.search(rf"(?m)^{one} = \[", project):
                    yield f"encbench has no extra {one}"


def _aws(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        scheme, _, path = word.partition("://")
        if scheme == "file" and not (REPO / path).exists():
            yield f"there is no {path}"


_CHECKS: Final[Mapping[str, Callable[[Sequence[str]], Iterable[str]]]] = {
    "aws": _aws,
    "helm": _helm,
    "kubectl": _kubectl,
    "make": _make,
    "pip": _pip,
    "pipx": _pip,
}
"""What looks for mistakes in a program's arguments."""
