"""Which of several like cases `make test` runs, for it has to end within twenty minutes."""

from collections.abc import Iterable

import pytest
from _pytest.mark.structures import ParameterSet


def first_of(names: Iterable[str]) -> list[ParameterSet]:
    """The cases as parameters: the first one always, all others by `make test-full` alone."""
    return [
        pytest.param(name, id=name, marks=[pytest.mark.full] if place else [])
        for place, name in enumerate(names)
    ]
