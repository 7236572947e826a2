"""How long each fuzzer runs, and from which seed."""

import os

import pytest

from tests.fuzz.budget import SEED, Budget

SHORT = 0.2
"""Seconds of each fuzzer in `make test`."""
LONG = float(os.environ.get("ENCBENCH_FUZZ_SECONDS", "600"))
"""In `make test-full` and `make fuzz`."""


def pytest_configure() -> None:
    """Each `make check` tries the same inputs, so that no commit stops at what it has not changed.

    `make fuzz` draws a seed. All workers inherit it by the environment.
    """
    os.environ.setdefault(SEED, "1")


def pytest_report_header() -> str:
    return f"fuzzing: {SEED}={os.environ[SEED]} repeats this run"


@pytest.fixture(
    params=[pytest.param(SHORT, id="short"), pytest.param(LONG, id="long", marks=pytest.mark.full)]
)
def budget(request: pytest.FixtureRequest) -> Budget:
    return Budget(request.param, int(os.environ[SEED]))
