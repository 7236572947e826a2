"""A client whose wall clock is minutes off, or is set while it measures: figures stay right."""

import subprocess
import time
from pathlib import Path

import pytest

from encbench.core.artefact import decode
from encbench.core.evidence import ClientSummary
from encbench.report.analysis.bucket import parse_series
from encbench.tools.pod import wrapped
from tests.support import debian, fake_tool
from tests.support.local_client import FILES, local_client
from tests.support.receiver import Receiver, receiving

pytestmark = pytest.mark.usefixtures("precedence")

STEP = 300.0
NEAR = 2.0
"""Seconds within which a client begins on a busy machine; the clock is off by more."""

SOURCE = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* A line of the file: a moment by the machine's clock, and how far ahead of it ours is since. */
static long ahead(double moment) {
  const char *name = getenv("CLOCK_FILE");
  FILE *file = name ? fopen(name, "r") : NULL;
  long seconds = 0, next;
  double since;
  while (file && fscanf(file, "%lf %ld", &since, &next) == 2 && since <= moment) seconds = next;
  if (file) fclose(file);
  return seconds;
}

static void shift(struct timespec *moment) {
  moment->tv_sec += ahead(moment->tv_sec + moment->tv_nsec * 1e-9);
}

int clock_gettime(clockid_t id, struct timespec *now) {
  int failed = syscall(SYS_clock_gettime, id, now);
  if (!failed && id == CLOCK_REALTIME) shift(now);
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec exact;
  int failed = clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return failed;
}

time_t time(time_t *now) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (now) *now = exact.tv_sec;
  return exact.tv_sec;
}

/* The kernel stamps files by the clock of the machine, which a node whose clock is off has not. */
int fstatat64(int folder, const char *restrict path, struct stat64 *restrict found, int flags) {
  int failed = syscall(SYS_newfstatat, folder, path, found, flags);
  if (!failed) shift(&found->st_mtim);
  return failed;
}

int fstat64(int file, struct stat64 *found) { return fstatat64(file, "", found, AT_EMPTY_PATH); }

int stat64(const char *restrict path, struct stat64 *restrict found) {
  return fstatat64(AT_FDCWD, path, found, 0);
}

int lstat64(const char *restrict path, struct stat64 *restrict found) {
  return fstatat64(AT_FDCWD, path, found, AT_SYMLINK_NOFOLLOW);
}
"""
"""The wall clock of a process, and of what it starts, by as many seconds off as a file says."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What stands before the C library's wall clock.

    libfaketime 0.9.10 is of no use: it refuses sleeps by a monotonic clock that it leaves alone.
    """
    debian.install("gcc", "libc6-dev")
    folder = tmp_path_factory.mktemp("clock")
    source, made = folder / "clock.c", folder / "clock.so"
    source.write_text(SOURCE, encoding="ascii")
    command = ["cc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", str(made), str(source)]
    subprocess.run(command, check=True)
    return made


class Clock:
    """The wall clock of one client: ours and so many seconds. The monotonic clock is left alone."""

    def __init__(self, folder: Path, library: Path, ahead: float) -> None:
        self._file = folder / "clock"
        self._file.write_text(f"0 {ahead:.0f}\n", encoding="ascii")
        self.environment = {"LD_PRELOAD": str(library), "CLOCK_FILE": str(self._file)}

    def set(self, ahead: float) -> None:
        """Set the clock. What was stamped before keeps its stamp."""
        new = self._file.with_suffix(".new")
        steps = f"{self._file.read_text(encoding='ascii')}{time.time():.6f} {ahead:.0f}\n"
        new.write_text(steps, encoding="ascii")
        new.replace(self._file)


def measured(folder: Path, clock: Clock, ahead: float, then: float) -> tuple[ClientSummary, bytes]:
    """A run of 1 s of warm-up and a window of 2 s, in whose middle the clock is set to `then`."""
    command = wrapped(20, fake_tool.command(folder, 1, 2, 0.5))
    with (
        receiving(Receiver()) as receiver,
        local_client(folder / "pod", command, warmup=1, more=clock.environment) as one,
    ):
        said = one.wait_for("waiting")["clock"]
        assert said - time.time() == pytest.approx(ahead, abs=NEAR), "the clock is not faked"
        # As the operator does, which knows by how much the client's clock differs from its own.
        one.release({name: receiver.url(f"client-0/{name}") for name in FILES}, said + 0.4)
        one.wait_for("running")
        # Between two lines of the tool: at a line the trial is Invalid instead.
        one.wait_for_report()
        clock.set(then)
        one.wait_for("uploaded")
        own = fake_tool.account(one.output)
        stored = {name: receiver.objects[f"client-0/{name}"] for name in FILES}
    summary = decode(ClientSummary, stored["summary.json"], "summary.json")
    assert summary.window is not None
    assert own.seconds == pytest.approx(2, abs=1)
    assert summary.window.seconds == pytest.approx(own.seconds, abs=0.5)
    assert summary.cpu_seconds == pytest.approx(own.cpu_seconds, abs=0.5)
    assert summary.began is not None
    assert summary.began.unix == pytest.approx(said + 0.4, abs=NEAR)
    return summary, stored["series.csv"]


@pytest.mark.parametrize("ahead", [STEP, -STEP])
def test_a_wrong_clock_changes_no_figure(tmp_path: Path, library: Path, ahead: float) -> None:
    clock = Clock(tmp_path, library, ahead)
    summary, series = measured(tmp_path, clock, ahead, ahead)
    assert summary.clock_skew_seconds == pytest.approx(0, abs=0.005)
    assert [tps for _, tps in parse_series(series, "series.csv")] == [100.0, 200.0, 300.0]


@pytest.mark.parametrize("step", [STEP, -STEP])
def test_a_step_within_the_window_is_recorded_and_changes_no_figure(
    tmp_path: Path, library: Path, step: float
) -> None:
    clock = Clock(tmp_path, library, 0.0)
    summary, series = measured(tmp_path, clock, 0.0, step)
    assert summary.clock_skew_seconds == pytest.approx(step, abs=0.05)
    assert [tps for _, tps in parse_series(series, "series.csv")] == [100.0, 200.0, 300.0]
