"""How long each fuzzer runs, and from which seed."""

import os
import random

import pytest

from tests.fuzz.budget import SEED, Budget

SHORT = 0.2
"""Seconds of each fuzzer in `make test`."""
LONG = float(os.environ.get("ENCBENCH_FUZZ_SECONDS", "600"))
"""In `make test-full` and `make fuzz`."""


def pytest_configure() -> None:
    """Draw one seed for all workers, which inherit the environment."""
    os.environ.setdefault(SEED, str(random.randrange(2**32)))


def pytest_report_header() -> str:
    return f"fuzzing: {SEED}={os.environ[SEED]} repeats this run"


@pytest.fixture(
    params=[pytest.param(SHORT, id="short"), pytest.param(LONG, id="long", marks=pytest.mark.full)]
)
def budget(request: pytest.FixtureRequest) -> Budget:
    return Budget(request.param, int(os.environ[SEED]))
