"""Running other programs: with a log, with a bound, and without leaving them behind."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from .console import ClusterError

# A private mount and PID namespace whose processes die with the caller: a killed build leaves
# neither mounts nor processes. (The kernel sends the signal when the parent goes; unshare passes
# it on to the namespace's first process, and with that one all the others end.)
_CONTAINED = (
    *("setpriv", "--pdeathsig", "KILL"),
    *("unshare", "--mount", "--propagation", "private", "--pid", "--fork"),
    *("--kill-child", "--mount-proc"),
)

_PATIENCE = 300
"""Seconds in which the package manager may end after an interruption."""

_running: set[subprocess.Popen[bytes]] = set()


def capture(
    argv: Sequence[str], *, timeout: float = 60, stdin: str | None = None, contained: bool = False
) -> str:
    """Run a short command and return its standard output; a failure carries its last error line."""
    full = [*_CONTAINED, *argv] if contained else list(argv)
    try:
        done = subprocess.run(
            full, capture_output=True, text=True, timeout=timeout, input=stdin, check=False
        )
    except FileNotFoundError:
        raise ClusterError(f"{argv[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise ClusterError(f"'{' '.join(argv)}' took longer than {timeout:.0f} s") from None
    if done.returncode != 0:
        complaint = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        raise ClusterError(f"'{' '.join(argv)}' failed: {complaint}")
    return done.stdout


def run_logged(
    argv: Sequence[str],
    log: Path,
    *,
    timeout: float,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    contained: bool = True,
) -> None:
    """Run a long command, its output appended to ``log``, ending it when it exceeds ``timeout``.

    ``contained`` commands die with this process, or when :func:`end_contained` is called. The
    package manager is the exception: it is safer to let it finish than to kill it. After
    ``timeout``, and when this process is interrupted, it is asked to stop, which apt-get does
    between two steps of dpkg, and it has ended by the time this returns.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    full = [*_CONTAINED, *argv] if contained else list(argv)
    with log.open("a") as output:
        print(f"$ {' '.join(argv)}", file=output, flush=True)
        process = subprocess.Popen(
            full,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        if contained:
            _running.add(process)
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            _end(process, contained=contained)
            raise ClusterError(f"{argv[0]} took longer than {timeout:.0f} s", log) from None
        except BaseException:
            with suppress(subprocess.TimeoutExpired):
                _end(process, contained=contained, patience=_PATIENCE)
            raise
        finally:
            _running.discard(process)
    if code != 0:
        raise ClusterError(f"{argv[0]} failed with exit code {code}", log)


def _end(
    process: subprocess.Popen[bytes], *, contained: bool, patience: float | None = None
) -> None:
    if contained:
        process.kill()
        return
    # It is in a session of its own, so an interruption from the terminal has not reached it.
    process.send_signal(signal.SIGINT)
    process.wait(patience)


def end_contained() -> None:
    """End the contained commands that other threads are waiting for."""
    for process in list(_running):
        process.kill()
