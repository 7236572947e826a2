"""One run from the barrier to the bucket, step by step. The main thread does nothing else."""

import errno
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from encbench.sidecars.machine import read_machine
from encbench.sidecars.naming import naming
from encbench.sidecars.recorder import barrier, follow, moment, process, upload
from encbench.sidecars.recorder.config import RecorderConfig
from encbench.sidecars.recorder.observation import Observation, ObservedWindow
from encbench.sidecars.recorder.process import ToolProcess, Usage
from encbench.sidecars.recorder.run import Run
from encbench.wire import recorder as wire
from encbench.wire.files import LARGEST, OUTPUT, SERIES, SLICES, SUMMARY, SUMMARY_SCHEMA

T = TypeVar("T")
_POLL = 0.05
_STEP = 0.01
"""Seconds by which a wall clock that was not set may seem to be."""
TERMINATION_LIMIT = 4096


class GaveUp(Exception):
    """The run cannot be completed. The text says why."""


class RunDriver:
    """Drives one `Run`."""

    def __init__(self, config: RecorderConfig, run: Run) -> None:
        self._config, self._run = config, run
        self._reader = follow.reader(config.tool)
        self._output = follow.OutputFollower(config.folder / OUTPUT)
        self._seen = Observation(has_warmup=config.warmup > 0)
        self._process: ToolProcess | None = None
        self._last_usage: Usage | None = None

    def main(self) -> int:
        """The whole run; the process' exit code."""
        folder, error = self._config.folder, None
        digests: dict[str, str] = {}
        try:
            wrapper = self._await(lambda: barrier.wrapper(folder), _POLL)
            # Open from now on: if we die the pipe closes, and the wrapper ends.
            start = self._await(lambda: barrier.open_start(folder), _POLL, wrapper)
            self._run.wait()
            upload.prepare()
            start_at = self._await(lambda: self._run.start_at, 10 * _POLL, wrapper)
            began = self._start(wrapper, start, start_at)
            self._follow(wrapper)
            digests = self._finish(began, self._clock_set())
            self._upload()
        except GaveUp as reason:
            error = str(reason)
        except OSError as reason:
            error = cannot(reason)
            digests = digests or self._keep_output()
        if error is not None:
            _say(error)
        message = termination_message(self._config.prefix, digests, error)
        try:
            self._config.termination_log.write_text(message)
        except OSError as reason:
            _say(f"cannot write the termination message: {reason}")
        if error is None:
            self._linger()
        return 0 if error is None else 1

    def _await(self, look: Callable[[], T | None], seconds: float, wrapper: int | None = None) -> T:
        """What a look finds at last, before the run; GaveUp when the wrapper is gone.

        A stop ends the wait, because there is nothing to store.
        """
        while (found := look()) is None:
            if wrapper is not None and not process.is_alive(wrapper):
                raise GaveUp("the tool's container ended before its start")
            if self._run.stop_at is not None:
                raise GaveUp("stopped before the tool was started")
            self._run.sleep(seconds)
        return found

    def _start(self, wrapper: int, start: int, start_at: float) -> barrier.BarrierStamp:
        """Let the wrapper start at the agreed time, and when it did.

        It waits in a read, so it starts at once. The wall clock may be set before: the time is
        awaited by the other one, and handed on as the wall clock shows it by then.
        """
        slots, due = self._run.slots, start_at - self._run.drift
        if slots is not None:
            barrier.write_timetable(self._config.folder, start_at, slots)
        try:
            while (left := due - moment.monotonic()) > 0:
                if self._run.stop_at is not None:
                    raise GaveUp("stopped before the tool was to start")
                time.sleep(min(left, 10 * _POLL))
            clock_set = self._clock_set()
            if slots is not None and abs(clock_set) > _STEP:
                barrier.write_timetable(self._config.folder, start_at + clock_set, slots)
            os.write(start, f"{start_at + clock_set}\ngo\n".encode())
        except BrokenPipeError:
            raise GaveUp("the tool's container ended before its start") from None
        finally:
            os.close(start)
        # Read now and not at the end: the wall clock may be set in between. Looks are seldom,
        # because on a machine with many clients they take the CPU with which other tools start.
        began = self._await(lambda: barrier.began(self._config.folder), _POLL, wrapper)
        self._run.start(self._usage)
        return began

    def _clock_set(self) -> float:
        """Seconds by which the wall clock was set since the release."""
        return moment.drift() - self._run.drift

    def _follow(self, wrapper: int) -> None:
        """Follow the tool until the wrapper notes its end, or is gone itself."""
        folder, seen = self._config.folder, self._seen
        checked = moment.monotonic()
        while not self._run.must_stop:
            here = moment.monotonic()
            is_over = barrier.ended(folder) is not None
            if self._process is None:
                self._find(wrapper)
            self._read_output()
            if is_over:
                return
            if here - checked > 1:
                checked = here
                if not process.is_alive(wrapper) and barrier.ended(folder) is None:
                    return
            started = here - seen.started.monotonic if seen.started else None
            time.sleep(follow.pause(started, has_warmup=self._config.warmup > 0))

    def _find(self, wrapper: int) -> None:
        pid = process.find(wrapper, self._config.process)
        if pid is not None:
            with suppress(OSError):
                self._process = ToolProcess(pid)

    def _usage(self) -> Usage | None:
        """Read the process; its last reading once it is gone."""
        usage = self._process.usage() if self._process is not None else None
        if usage is not None:
            self._last_usage = usage
        return self._last_usage

    def _read_output(self) -> None:
        lines = self._output.poll()
        when = self._output.changed
        if not lines or when is None:
            return
        usage = self._usage()
        if usage is not None:
            self._seen.see_usage(usage)
        for line in lines:
            if (mark := self._reader.mark(line)) is not None:
                stamp = self._reader.when(line)
                self._seen.see_mark(mark, when if stamp is None else moment.at_unix(stamp))
            elif (sample := self._reader.progress(line)) is not None:
                self._seen.see_sample(sample, when, usage)
                self._run.last = sample

    def _finish(self, began: barrier.BarrierStamp, clock_skew: float) -> dict[str, str]:
        """Write the artefacts and publish the result; their digests."""
        folder, seen = self._config.folder, self._seen
        ended = barrier.ended(folder)
        window = seen.window(ended, self._output.changed)
        output = folder / OUTPUT
        output.touch()
        cut_off(output)
        output_digest = digest(output)
        cpu = seen.cpu_seconds(window, began, ended) if window and ended else None
        throttling = seen.throttling(self._output.changed)
        summary = wire.Summary(
            schema=SUMMARY_SCHEMA,
            tool=self._config.tool,
            exitCode=ended.exit_code if ended else None,
            began=began.moment.to_wire(),
            loadBegan=seen.started.to_wire() if seen.started else None,
            ended=ended.stamp.moment.to_wire() if ended else None,
            window=_window(window),
            cpuSeconds=_rounded(cpu),
            cpuLimitCores=self._config.cpu_limit,
            memoryMaxBytes=seen.memory_max_bytes,
            memoryLimitBytes=self._config.memory_limit,
            throttledSeconds=_rounded(throttling and throttling.seconds),
            throttledPeriods=_rounded(throttling and throttling.throttled_periods),
            cpuPeriods=_rounded(throttling and throttling.periods),
            clockSkewSeconds=_rounded(clock_skew),
            clockOffset=self._run.clock,
            machine=_machine(),
            output=wire.OutputDigest(bytes=output.stat().st_size, digest=output_digest),
        )
        for name, content in (
            (SERIES, seen.series()),
            (SUMMARY, f"{json.dumps(summary, indent=1)}\n".encode()),
        ):
            with naming(folder / name):
                (folder / name).write_bytes(content)
        if self._run.slots is not None:
            (folder / SLICES).touch()
        digests = {name: digest(folder / name) for name in self._run.files}
        self._run.finish(ended.exit_code if ended else None, digests)
        return digests

    def _keep_output(self) -> dict[str, str]:
        """Store what the tool wrote, although nothing can be written beside it; its digest.

        There is one try: the trial has failed, and it ends once this process does.
        """
        output, uploads = self._config.folder / OUTPUT, self._run.uploads
        with suppress(OSError):
            if OUTPUT in uploads and output.exists():
                cut_off(output)
                if self._store(OUTPUT, uploads):
                    return {OUTPUT: digest(output)}
        return {}

    def _upload(self) -> None:
        for name in self._run.files:
            uploads, pauses = self._run.uploads, upload.pauses()
            while not self._store(name, uploads):
                self._run.sleep(next(pauses))
                if self._run.must_stop:
                    why = f": {self._run.away}" if self._run.away else ""
                    raise GaveUp(self._run.error or f"{name} could not be stored in time{why}")
                if self._run.uploads is not uploads:
                    uploads, pauses = self._run.uploads, upload.pauses()
        self._run.uploaded()

    def _store(self, name: str, uploads: dict[str, str]) -> bool:
        """One try; False if it must be repeated, with other URLs after an error."""
        if self._run.error is not None and self._run.uploads is uploads:
            return False
        try:
            upload.put(uploads[name], self._config.folder / name, self._run.authority)
            self._run.note_away(None, uploads)
            return True
        except upload.Away as reason:
            _say(f"the object store did not take {name}, trying again: {reason}")
            self._run.note_away(str(reason), uploads)
        except upload.UploadRefused as reason:
            error = f"the object store refused {name}: {reason}"
            _say(error)
            self._run.fail(error, uploads)
        return False

    def _linger(self) -> None:
        until = time.monotonic() + self._config.linger
        while not self._run.seen and time.monotonic() < until and self._run.stop_at is None:
            self._run.sleep(until - time.monotonic())


def cut_off(output: Path) -> None:
    """Keep of a file no more than the operator reads, and a mark that makes it one too large.

    What the tool writes belongs to the user's image, and may be anything.
    """
    size = output.stat().st_size
    if size <= LARGEST:
        return
    os.truncate(output, LARGEST)
    with naming(output), output.open("ab") as file:
        file.write(f"\nencbench: cut off here; the tool wrote {size} bytes\n".encode())


def _machine() -> wire.ClientMachineRows:
    """Of the many flags of a processor only what a report asks about clients."""
    seen = read_machine()
    found = wire.ClientMachineRows(kernel=seen["kernel"], cpuModel=seen["cpuModel"])
    if seen["cpuFlags"]:
        found["aes"] = "aes" in seen["cpuFlags"]
    return found


def _window(window: ObservedWindow | None) -> wire.MeasuredWindow | None:
    if window is None:
        return None
    start, end = round(window.start.unix, 3), round(window.end.unix, 3)
    return wire.MeasuredWindow(start=start, end=end, seconds=round(window.seconds, 3))


def _rounded(value: float | None) -> float | None:
    return round(value, 3) if value is not None else None


def cannot(error: OSError) -> str:
    """Why the run cannot go on, as a sentence that names the file."""
    what = Path(str(error.filename)).name if error.filename else "a file"
    how = "write" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "read or write"
    return f"cannot {how} {what}: {error.strerror or error}"


def _say(text: str) -> None:
    sys.stderr.write(f"encbench recorder: {text}\n")


def digest(path: Path) -> str:
    """`sha256:<hex>` of a file's content."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def termination_message(prefix: str, digests: dict[str, str], error: str | None) -> str:
    """The message in the pod's status. `error` says why not everything is stored."""
    message = wire.Termination(prefix=prefix, digests=digests)
    if error:
        message["error"] = error[:1024]
    return json.dumps(message)[:TERMINATION_LIMIT]
