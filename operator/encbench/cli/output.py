"""What a command reads and where its answer goes, or the error that it ends with."""

import sys
from pathlib import Path


class CommandError(Exception):
    """The command cannot be carried out. The text says what to do instead."""


def write(content: bytes, file: str | None) -> None:
    """To the file, or to standard output; CommandError if the file cannot be written."""
    if file is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        Path(file).write_bytes(content)
    except OSError as error:
        raise CommandError(f"cannot write {file}: {error.strerror or error}") from error


def read(file: str) -> bytes:
    """The file's content, standard input for `-`; CommandError if it cannot be read."""
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise CommandError(f"cannot read {file}: {error.strerror or error}") from error
