"""A benchmark that is told to stop cleans up."""

import subprocess
import sys

from tests.support.kube import REPO

_BENCHMARK = """
import time
from tests.bench import program

def main():
    try:
        print("begun", flush=True)
        time.sleep(60)
    finally:
        print("cleaned up", flush=True)

program.run(main)
"""


def test_sigterm_runs_what_cleans_up() -> None:
    argv = [sys.executable, "-c", _BENCHMARK]
    with subprocess.Popen(argv, cwd=REPO, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.terminate()
        said, _ = process.communicate(timeout=30)
    assert said == "cleaned up\n"
    assert process.returncode == 128 + 15


def test_the_exit_code_is_what_it_returns() -> None:
    argv = [sys.executable, "-c", "from tests.bench import program\nprogram.run(lambda: 3)"]
    assert subprocess.run(argv, cwd=REPO, check=False).returncode == 3
