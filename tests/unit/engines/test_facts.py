"""One row an engine, and an engine for each row."""

from typing import get_args

import pytest

from encbench.api.instancetemplate import EngineName
from encbench.engines.facts import FACTS, facts
from encbench.engines.registry import engine
from encbench.sidecars.agent.probe import probe
from encbench.tools.tpcc.jdbc import DRIVERS
from encbench.tools.tpcc.props import Kind


def test_every_engine_of_the_api_has_a_row() -> None:
    assert list(FACTS) == list(get_args(EngineName))


@pytest.mark.parametrize("name", get_args(EngineName))
def test_a_row_names_what_there_is(name: str) -> None:
    row = facts(name)
    assert engine(name).facts is row
    assert probe(name).facts is row
    assert DRIVERS[row.jdbc].protocol == row.driver
    assert set(row.tpcc) == set(get_args(Kind))


def test_any_other_name_has_none() -> None:
    with pytest.raises(KeyError):
        facts("oracle")
