"""Which of several like cases `make test` runs, for it has to end within twenty minutes."""

from collections.abc import Iterable

import pytest
from _pytest.mark.structures import ParameterSet


def first_of(names: Iterable[str]) -> list[ParameterSet]:
    """The cases as parameters: the first one always, all others by `make test-full` alone."""
    cases = list(names)
    return chosen(cases, *cases[:1])


def chosen(names: Iterable[str], *always: str) -> list[ParameterSet]:
    """The cases as parameters: those always, all others by `make test-full` alone."""
    return [
        pytest.param(name, id=name, marks=[] if name in always else [pytest.mark.full])
        for name in names
    ]
