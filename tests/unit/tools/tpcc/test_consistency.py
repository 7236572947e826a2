"""What a load leaves behind, asked of tables in SQLite."""

import sqlite3
from collections.abc import Iterator

import pytest

from encbench.core.connection import Driver
from encbench.tools.tpcc.consistency import ITEMS, conditions, of_load

_KEYS = ("primary-keys", "secondary-indexes")
_TABLES = """
create table bmsql_warehouse (w_id, w_ytd);
create table bmsql_district (d_w_id, d_id, d_ytd, d_next_o_id);
create table bmsql_customer (c_id);
create table bmsql_history (hist_id);
create table bmsql_new_order (no_w_id, no_d_id, no_o_id);
create table bmsql_oorder (o_w_id, o_d_id, o_id, o_ol_cnt);
create table bmsql_order_line (ol_w_id, ol_d_id, ol_o_id, ol_number);
create table bmsql_stock (s_i_id);
create table bmsql_item (i_id);
insert into bmsql_warehouse values (1, 300000);
"""
_DISTRICTS = range(1, 11)
_FEW, _WHOLE = range(3000, 3001), range(1, 3001)


def _database(orders: range) -> sqlite3.Connection:
    """One warehouse; every order has a line and a payment, and the newest 900 are outstanding."""
    made = sqlite3.connect(":memory:")
    made.executescript(_TABLES)
    made.executemany(
        "insert into bmsql_district values (1, ?, 30000, 3001)", ((d,) for d in _DISTRICTS)
    )
    keys = [(d, o) for d in _DISTRICTS for o in orders]
    made.executemany("insert into bmsql_oorder values (1, ?, ?, 1)", keys)
    made.executemany("insert into bmsql_order_line values (1, ?, ?, 1)", keys)
    if orders is _WHOLE:
        outstanding = [(d, o) for d, o in keys if o > 2100]
        made.executemany("insert into bmsql_new_order values (1, ?, ?)", outstanding)
        made.executemany("insert into bmsql_history values (?)", ((n,) for n in range(30_000)))
    for table, rows in (("customer", 30_000), ("stock", 100_000), ("item", ITEMS)):
        numbers = ((n,) for n in range(rows))
        made.executemany(f"insert into bmsql_{table} values (?)", numbers)  # noqa: S608
    return made


def _broken(made: sqlite3.Connection) -> Iterator[str]:
    of_rows = (query for query in of_load("pgsql", 1) if query.name not in _KEYS)
    for query in (*of_rows, *conditions("public.")):
        if made.execute(query.sql.replace("public.", "")).fetchall():
            yield query.name


def test_a_load_as_the_specification_has_it() -> None:
    assert list(_broken(_database(_WHOLE))) == []


def test_ten_orders_and_no_payments_are_no_load() -> None:
    """They contradict none of the conditions."""
    assert list(_broken(_database(_FEW))) == ["history-count", "oorder-count", "new-order-count"]


@pytest.mark.parametrize(
    ("driver", "catalogue", "primary", "schema"),
    [
        ("mysql", "information_schema.statistics", "i.index_name = 'PRIMARY'", "= 'sbtest'"),
        ("pgsql", "pg_index", "i.indisprimary", "= 'public'::regnamespace"),
    ],
)
def test_keys_and_indexes_are_looked_up(
    driver: Driver, catalogue: str, primary: str, schema: str
) -> None:
    keys, indexes = (query.sql for query in of_load(driver, 1) if query.name in _KEYS)
    assert all(catalogue in sql and schema in sql for sql in (keys, indexes))
    assert primary in keys
    assert keys.count("'bmsql_") == 8
    assert "'bmsql_history'" not in keys
    assert "IN ('bmsql_customer', 'bmsql_oorder')" in indexes
    assert "IN ('c_last', 'o_carrier_id')" in indexes
