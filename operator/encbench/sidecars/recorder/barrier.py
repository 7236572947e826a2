"""The wrapper's side of the run directory (`encbench/tools/run.sh` describes it)."""

import errno
import os
from pathlib import Path
from typing import NamedTuple

from encbench.sidecars.naming import naming
from encbench.sidecars.recorder.moment import Moment, at_uptime
from encbench.wire.files import TIMETABLE
from encbench.wire.slices import OwnSlots


class BarrierStamp(NamedTuple):
    """A moment as the wrapper noted it, with the wall clock of its first reading here."""

    moment: Moment
    cpu_ticks: int
    """CPU time of the wrapper's ended children so far."""


class End(NamedTuple):
    """How the tool ended."""

    exit_code: int
    stamp: BarrierStamp


def wrapper(folder: Path) -> int | None:
    """Process id of the wrapper, once it waits at the barrier."""
    line = _line(folder / "ready")
    return int(line) if line is not None else None


def open_start(folder: Path) -> int | None:
    """File descriptor of the pipe to the waiting wrapper; None until the wrapper reads it."""
    try:
        return os.open(folder / "start", os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.ENOENT):
            return None
        raise


def write_timetable(folder: Path, start_at: float, slots: OwnSlots) -> None:
    """The tool's turns for the turnstile (`images/turnstile/src/timetable.rs`), in Unix seconds."""
    first = start_at + slots["warmup"]
    # Nothing runs in the guard before the first slot, as before every other.
    lines = [f"stop {first - (slots['period'] - slots['slice']):.6f}"]
    for slot in slots["own"]:
        begin = first + slot * slots["period"]
        counted, end = begin + slots["settle"], begin + slots["slice"]
        lines.append(f"slice {slot} {begin:.6f} {counted:.6f} {end:.6f}")
    lines.append(f"go {first + slots['slots'] * slots['period']:.6f}")
    half = folder / "timetable.half"
    with naming(half):
        half.write_text("".join(f"{line}\n" for line in lines))
    half.rename(folder / TIMETABLE)


def began(folder: Path) -> BarrierStamp | None:
    """When the tool started; None before that."""
    line = _line(folder / "began")
    return _stamp(line) if line is not None else None


def ended(folder: Path) -> End | None:
    """How and when the tool ended; None before that."""
    line = _line(folder / "ended")
    if line is None:
        return None
    code, _, rest = line.partition(" ")
    return End(int(code), _stamp(rest))


def _stamp(text: str) -> BarrierStamp:
    uptime, ticks = text.split()
    return BarrierStamp(at_uptime(float(uptime)), int(ticks))


def _line(path: Path) -> str | None:
    """The file's one line, once it is complete with its newline."""
    try:
        text = path.read_text()
    except FileNotFoundError:
        return None
    return text[:-1] if text.endswith("\n") else None
