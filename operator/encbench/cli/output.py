"""What a command reads and where its answer goes, or the error that it ends with.

What the cluster and the bucket hold may have come from anyone's image, and a terminal obeys some
letters. So whatever a terminal shows passes through here.
"""

import codecs
import io
import sys
from pathlib import Path
from typing import TextIO

from encbench.wire.foreign import printable

NEAREST = {"−": "-", "–": "-", "—": "-", "′": "'", "…": "...", "→": "->", "≤": "<=", "≥": ">="}
"""What stands for a letter that an encoding lacks."""


class CommandError(Exception):
    """The command cannot be carried out. The text says what to do instead."""


def reason(error: OSError) -> str:
    """`/some/file: No space left on device`, without the error's number."""
    words = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {words}" if error.filename else words


def harmless(text: str) -> str:
    """The text with a space for each letter that a terminal would obey instead of showing it."""
    return printable(text, None, keep="\n\t")


def write_in_any_encoding() -> None:
    """Let standard output and standard error take what their encoding lacks.

    A minus sign becomes a hyphen, because a figure without it is another one; a letter that is not
    in `NEAREST` becomes a question mark.
    """
    codecs.register_error("nearest", _nearest)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="nearest")


def _nearest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(NEAREST.get(letter, "?") for letter in lacking), error.end


def as_written(text: str, out: TextIO) -> str:
    """The text as this stream writes it, of which a stand-in may be wider than the letter."""
    if not out.encoding:
        # A stream in memory.
        return text
    return text.encode(out.encoding, out.errors or "strict").decode(out.encoding)


def say(text: str, out: TextIO | None = None) -> None:
    """Print the text on standard error, or there."""
    print(harmless(text), file=out or sys.stderr)


def adding(*libraries: str) -> str:
    """How to add libraries to the plugin, whose own name is not the project's on PyPI."""
    names = " ".join(libraries)
    extra = " ".join(f"--with {name}" for name in libraries)
    return (
        f"pipx inject encbench {names} (by uv: uv tool install . {extra}; in a virtual "
        f"environment: pip install {names}; by krew: install the plugin by pipx instead)"
    )


def write(content: bytes, file: str | None) -> None:
    """To the file, or to standard output; CommandError if the file cannot be written.

    A file and a pipe get the bytes, and a terminal letters that it can show.
    """
    if file is None and sys.stdout.isatty():
        sys.stdout.write(harmless(content.decode(errors="replace")))
        sys.stdout.flush()
        return
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
