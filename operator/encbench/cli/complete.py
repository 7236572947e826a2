"""Completion of the plugin's words in every shell that kubectl's own completion serves.

kubectl runs `kubectl_complete-encbench` with the words after the plugin's name, the last of which
is the one to complete, perhaps empty. It answers as kubectl itself does: a candidate a line, and a
last line with what the shell should do beside that (`DIRECTIVES`).
"""

import argparse
import subprocess
import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise

from encbench.cli.flags import parser

FILES, NO_FILES = 0, 4
"""Directives: offer files where there are no candidates; or offer nothing else."""
_FILES = {"file", "files", "filename", "kustomize", "kubeconfig", "first", "second", "report"}
_RESOURCES = {
    "namespace": ("get", "namespaces"),
    "release_namespace": ("get", "namespaces"),
    "campaign": ("get", "campaigns.encbench.io"),
    "first": ("get", "overheadreports.encbench.io"),
    "second": ("get", "overheadreports.encbench.io"),
    "report": ("get", "overheadreports.encbench.io"),
    "reports": ("get", "overheadreports.encbench.io"),
    "since": ("get", "overheadreports.encbench.io"),
    "trial": ("get", "trials.encbench.io"),
    "context": ("config", "get-contexts"),
}
SECONDS = 3
"""A key press is not worth a longer wait for a cluster."""


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point; always 0, because a shell has no use for an error."""
    candidates, directive = complete(sys.argv[1:] if argv is None else argv)
    print("\n".join([*candidates, f":{directive}"]))
    return 0


def complete(words: Sequence[str]) -> tuple[list[str], int]:
    """The candidates for the last word, and the directive."""
    *before, last = words or [""]
    commands = _commands(parser())
    if not before or before[0] not in commands:
        return _starting(last, [*commands, "--help", "--version"] if not before else []), NO_FILES
    command = commands[before[0]]
    action = _valued(command, before[-1]) if len(before) > 1 else None
    if action is None and last.startswith("-"):
        flags = [flag for one in command._actions for flag in one.option_strings]
        return _starting(last, [flag for flag in flags if flag.startswith("--")]), NO_FILES
    action = action or _positional(command, before[1:])
    if action is None:
        return [], NO_FILES
    return _starting(last, _values(action, before)), FILES if action.dest in _FILES else NO_FILES


def _commands(top: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    (found,) = (one for one in top._actions if isinstance(one, argparse._SubParsersAction))
    return dict(found.choices)


def _valued(command: argparse.ArgumentParser, word: str) -> argparse.Action | None:
    """The flag that the word is, if a value follows it."""
    for action in command._actions:
        if word in action.option_strings and action.nargs != 0:
            return action
    return None


def _positional(command: argparse.ArgumentParser, before: Sequence[str]) -> argparse.Action | None:
    """The positional argument that comes next."""
    given, skip = 0, False
    for word in before:
        if skip or word.startswith("-"):
            skip = not skip and _valued(command, word) is not None
        else:
            given += 1
    positional = [one for one in command._actions if not one.option_strings]
    if given < len(positional):
        return positional[given]
    return positional[-1] if positional and positional[-1].nargs in ("+", "*") else None


def _values(action: argparse.Action, before: Sequence[str]) -> Iterable[str]:
    if action.choices is not None and not isinstance(action.choices, range):
        return map(str, action.choices)
    if action.dest in _RESOURCES:
        return _names(action.dest, before)
    return ()


def _names(dest: str, before: Sequence[str]) -> list[str]:
    """What the cluster or the kubeconfig has; nothing if that cannot be found out quickly."""
    chosen = [
        word
        for flag, value in pairwise(before)
        if flag in ("--context", "--kubeconfig", "--namespace", "-n")
        for word in (flag, value)
    ]
    try:
        done = subprocess.run(
            ["kubectl", *_RESOURCES[dest], "--output=name", *chosen],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    # A context's name may have slashes; a resource's comes after its kind's.
    return [line if dest == "context" else line.rpartition("/")[2] for line in done.stdout.split()]


def _starting(last: str, candidates: Iterable[str]) -> list[str]:
    return sorted(one for one in candidates if one.startswith(last))


if __name__ == "__main__":
    sys.exit(main())
