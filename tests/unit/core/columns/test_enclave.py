"""Which columns have encrypted types, and what they cost behind the boundary."""

from typing import Any, get_args

import pytest

from encbench.api.columns import METHOD_RATIOS, Columns, Ratio
from encbench.core.columns import selection
from encbench.core.columns.enclave import RATIOS, encrypted, types


def columns(**fields: Any) -> Columns:
    return Columns.model_validate({"method": "enclave", "enclave": {}, **fields})


def test_every_ratio_of_a_method_is_known_where_it_is_put_into_effect() -> None:
    assert set(RATIOS) == set(METHOD_RATIOS["enclave"])
    assert {ratio for own in METHOD_RATIOS.values() for ratio in own} == set(get_args(Ratio))


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"ratio": 75}, ("k", "c", "pad")),
        ({"ratio": 100}, ("id", "k", "c", "pad")),
        ({"list": ["sbtest.pad", "SBTEST.K"]}, ("k", "pad")),
    ],
)
def test_the_columns_in_the_order_of_the_table(
    fields: dict[str, Any], names: tuple[str, ...]
) -> None:
    own = columns(**fields)
    assert encrypted(own) == names
    assert selection.chosen("sysbench", own) == tuple(f"sbtest.{name}" for name in names)
    share = selection.share("sysbench", own, tables=3)
    assert (share.count, share.total) == (3 * len(names), 12)


def test_the_types_of_every_column() -> None:
    assert types(columns(list=["sbtest.c"])) == {
        "id": "integer",
        "k": "integer",
        "c": "enc_text",
        "pad": "character(60)",
    }


@pytest.mark.parametrize(
    ("costs", "transition", "value", "free"),
    [
        ({}, 8_000, 1_200, False),
        ({"transition": "1ms", "value": "2us"}, 1_000_000, 2_000, False),
        ({"transition": "0us", "value": "0ns"}, 0, 0, True),
        ({"transition": "0ns", "value": "200ns"}, 0, 200, False),
    ],
)
def test_costs_in_nanoseconds(
    costs: dict[str, str], transition: int, value: int, free: bool
) -> None:
    boundary = columns(ratio=75, enclave=costs).boundary
    assert (boundary.transition_ns, boundary.value_ns) == (transition, value)
    assert boundary.is_free is free
