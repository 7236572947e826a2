"""The invariants of TPC-C's tables, as queries that return no row. Standard library only.

They are the six of the published procedure (TPC-C clause 3.3.2, conditions 1 to 4): a warehouse's
year-to-date equals its districts' sum, both ways; a district's next order follows its highest order
and its highest new order; new orders have no gap; orders have as many lines as they state. Each is
a single statement, which sees one state of the database, so it also holds during a load. A district
whose new orders are all delivered has no highest one and is skipped, as in the specification. NULL
in a column that a condition compares contradicts it.

`of_load` checks a load itself: the numbers of rows that it makes (clause 4.3.3.1), the primary keys
and the secondary indexes. A table without one of these is slower, and the mode would be blamed.
bmsql_history has a primary key only where a program wants one, and foreign keys are optional, so
neither is asked for. What finds an index is its column, because builds may name it as they like.

The `_SLOW` ones are conditions 5 to 12, which read every order, line, customer and payment and need
a database at rest. They find, for example, a Delivery that changes no balance. Condition 11 asks
for the 2,100 delivered orders of a fresh load; here it adds what customers count as delivered
since. The client's `check-all` asks the same (images/tpcc).

The agent runs them in the database's own pod (docs/design/0004-tpcc.md explains why), so they work
for any client's tables of these names. They use only SQL that every engine supports, but for the
catalogues of indexes.
"""

from collections.abc import Iterable
from typing import NamedTuple

from encbench.core.connection import SCHEMAS, Driver

CUSTOMERS_PER_WAREHOUSE = 30_000
"""Each has one payment and one order."""
NEW_ORDERS_PER_WAREHOUSE = 9_000
STOCK_PER_WAREHOUSE = 100_000
ITEMS = 100_000
DISTRICTS_PER_WAREHOUSE = 10
DELIVERED_PER_DISTRICT = 2_100
"""Orders that a load delivers (clause 4.3.3.1)."""


class Query(NamedTuple):
    """One condition."""

    name: str
    meaning: str
    """The violation that a row shows, in words."""
    sql: str
    """With `@` before the name of each table."""


_CONDITIONS = (
    Query(
        "warehouse-ytd",
        "a warehouse's year-to-date is not the sum of its districts'",
        "SELECT w.w_id, w.w_ytd, d.ytd FROM @bmsql_warehouse w LEFT JOIN "
        "(SELECT d_w_id, SUM(d_ytd) AS ytd FROM @bmsql_district GROUP BY d_w_id) d "
        "ON d.d_w_id = w.w_id WHERE w.w_ytd IS NULL OR d.ytd IS NULL OR d.ytd <> w.w_ytd",
    ),
    Query(
        "district-ytd",
        "the sum of the districts' year-to-date is not their warehouse's",
        "SELECT d.d_w_id, d.ytd, w.w_ytd FROM "
        "(SELECT d_w_id, SUM(d_ytd) AS ytd FROM @bmsql_district GROUP BY d_w_id) d "
        "LEFT JOIN @bmsql_warehouse w ON w.w_id = d.d_w_id "
        "WHERE w.w_ytd IS NULL OR d.ytd IS NULL OR w.w_ytd <> d.ytd",
    ),
    Query(
        "next-order",
        "a district's next order does not follow its highest order",
        "SELECT d.d_w_id, d.d_id, d.d_next_o_id, o.newest FROM @bmsql_district d LEFT JOIN "
        "(SELECT o_w_id, o_d_id, MAX(o_id) AS newest FROM @bmsql_oorder GROUP BY o_w_id, o_d_id) o "
        "ON o.o_w_id = d.d_w_id AND o.o_d_id = d.d_id "
        "WHERE d.d_next_o_id IS NULL OR o.newest IS NULL OR d.d_next_o_id - 1 <> o.newest",
    ),
    Query(
        "next-new-order",
        "a district's next order does not follow its highest new order",
        "SELECT d.d_w_id, d.d_id, d.d_next_o_id, n.newest FROM @bmsql_district d JOIN "
        "(SELECT no_w_id, no_d_id, MAX(no_o_id) AS newest "
        "FROM @bmsql_new_order GROUP BY no_w_id, no_d_id) n "
        "ON n.no_w_id = d.d_w_id AND n.no_d_id = d.d_id "
        "WHERE d.d_next_o_id IS NULL OR d.d_next_o_id - 1 <> n.newest",
    ),
    Query(
        "new-order-gaps",
        "a district's new orders have a gap",
        "SELECT n.no_w_id, n.no_d_id, n.oldest, n.newest, n.held FROM "
        "(SELECT no_w_id, no_d_id, MIN(no_o_id) AS oldest, MAX(no_o_id) AS newest, "
        "COUNT(*) AS held FROM @bmsql_new_order GROUP BY no_w_id, no_d_id) n "
        "WHERE n.newest - n.oldest + 1 <> n.held",
    ),
    Query(
        "order-lines",
        "a district's order lines are not as many as its orders say",
        "SELECT o.o_w_id, o.o_d_id, o.said, l.held FROM "
        "(SELECT o_w_id, o_d_id, SUM(o_ol_cnt) AS said "
        "FROM @bmsql_oorder GROUP BY o_w_id, o_d_id) o LEFT JOIN "
        "(SELECT ol_w_id, ol_d_id, COUNT(*) AS held "
        "FROM @bmsql_order_line GROUP BY ol_w_id, ol_d_id) l "
        "ON l.ol_w_id = o.o_w_id AND l.ol_d_id = o.o_d_id "
        "WHERE o.said IS NULL OR l.held IS NULL OR l.held <> o.said",
    ),
)


_DELIVERED = (
    "(SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) AS delivered FROM @bmsql_oorder "
    "JOIN @bmsql_order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id "
    "WHERE ol_delivery_d IS NOT NULL GROUP BY o_w_id, o_d_id, o_c_id)"
)
"""What was delivered to each customer, by its lines."""
_SLOW = (
    Query(
        "carriers",
        "an order has a carrier although it is outstanding, or has none and is not",
        "SELECT o_w_id, o_d_id, o_id, o_carrier_id, no_o_id FROM @bmsql_oorder "
        "LEFT JOIN @bmsql_new_order ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id "
        "WHERE (o_carrier_id IS NULL) <> (no_o_id IS NOT NULL)",
    ),
    Query(
        "lines-of-order",
        "an order's lines are not as many as it says",
        "SELECT o_w_id, o_d_id, o_id, o_ol_cnt, l.held FROM @bmsql_oorder LEFT JOIN "
        "(SELECT ol_w_id, ol_d_id, ol_o_id, COUNT(*) AS held "
        "FROM @bmsql_order_line GROUP BY ol_w_id, ol_d_id, ol_o_id) l "
        "ON l.ol_w_id = o_w_id AND l.ol_d_id = o_d_id AND l.ol_o_id = o_id "
        "WHERE o_ol_cnt IS NULL OR l.held IS NULL OR l.held <> o_ol_cnt",
    ),
    Query(
        "line-deliveries",
        "a line has a date of delivery although its order has no carrier, or the other way round",
        "SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_delivery_d, o_carrier_id "
        "FROM @bmsql_order_line LEFT JOIN @bmsql_oorder "
        "ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id "
        "WHERE o_id IS NULL OR (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)",
    ),
    Query(
        "warehouse-history",
        "a warehouse's year-to-date is not the sum of its payments",
        "SELECT w_id, w_ytd, h.paid FROM @bmsql_warehouse LEFT JOIN "
        "(SELECT h_w_id, SUM(h_amount) AS paid FROM @bmsql_history GROUP BY h_w_id) h "
        "ON h.h_w_id = w_id WHERE w_ytd IS NULL OR h.paid IS NULL OR w_ytd <> h.paid",
    ),
    Query(
        "district-history",
        "a district's year-to-date is not the sum of its payments",
        "SELECT d_w_id, d_id, d_ytd, h.paid FROM @bmsql_district LEFT JOIN "
        "(SELECT h_w_id, h_d_id, SUM(h_amount) AS paid "
        "FROM @bmsql_history GROUP BY h_w_id, h_d_id) h "
        "ON h.h_w_id = d_w_id AND h.h_d_id = d_id "
        "WHERE d_ytd IS NULL OR h.paid IS NULL OR d_ytd <> h.paid",
    ),
    Query(
        "customer-balance",
        "a customer's balance is not what was delivered less what was paid",
        "SELECT c_w_id, c_d_id, c_id, c_balance, o.delivered, h.paid "  # noqa: S608
        "FROM @bmsql_customer "
        f"LEFT JOIN {_DELIVERED} o ON o.o_w_id = c_w_id AND o.o_d_id = c_d_id AND o.o_c_id = c_id "
        "LEFT JOIN (SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount) AS paid "
        "FROM @bmsql_history GROUP BY h_c_w_id, h_c_d_id, h_c_id) h "
        "ON h.h_c_w_id = c_w_id AND h.h_c_d_id = c_d_id AND h.h_c_id = c_id "
        "WHERE c_balance IS NULL OR c_balance <> COALESCE(o.delivered, 0) - COALESCE(h.paid, 0)",
    ),
    Query(
        "delivered-orders",
        "a district's delivered orders are not the load's and those that its customers count",
        "SELECT d_w_id, d_id, o.made, n.outstanding, c.counted "  # noqa: S608
        "FROM @bmsql_district LEFT JOIN "
        "(SELECT o_w_id, o_d_id, COUNT(*) AS made FROM @bmsql_oorder GROUP BY o_w_id, o_d_id) o "
        "ON o.o_w_id = d_w_id AND o.o_d_id = d_id LEFT JOIN "
        "(SELECT no_w_id, no_d_id, COUNT(*) AS outstanding "
        "FROM @bmsql_new_order GROUP BY no_w_id, no_d_id) n "
        "ON n.no_w_id = d_w_id AND n.no_d_id = d_id LEFT JOIN "
        "(SELECT c_w_id, c_d_id, SUM(c_delivery_cnt) AS counted "
        "FROM @bmsql_customer GROUP BY c_w_id, c_d_id) c "
        "ON c.c_w_id = d_w_id AND c.c_d_id = d_id "
        "WHERE o.made IS NULL OR c.counted IS NULL OR "
        f"o.made - COALESCE(n.outstanding, 0) <> {DELIVERED_PER_DISTRICT} + c.counted",
    ),
    Query(
        "delivered-amounts",
        "a customer's balance and payments are not what was delivered",
        "SELECT c_w_id, c_d_id, c_id, c_balance, c_ytd_payment, o.delivered "  # noqa: S608
        "FROM @bmsql_customer "
        f"LEFT JOIN {_DELIVERED} o ON o.o_w_id = c_w_id AND o.o_d_id = c_d_id AND o.o_c_id = c_id "
        "WHERE c_balance IS NULL OR c_ytd_payment IS NULL "
        "OR c_balance + c_ytd_payment <> COALESCE(o.delivered, 0)",
    ),
)


class _Catalogue(NamedTuple):
    """How a server lists its indexes to an account that may only read."""

    lacking: str
    """Those of `tables` that have no `index`."""
    primary: str
    """What `index` is for a primary key."""
    column: str
    """A column of an index."""


_KEYED = (
    *("bmsql_warehouse", "bmsql_district", "bmsql_customer", "bmsql_new_order"),
    *("bmsql_oorder", "bmsql_order_line", "bmsql_stock", "bmsql_item"),
)
_INDEXED = {"bmsql_customer": "c_last", "bmsql_oorder": "o_carrier_id"}
"""A column of each secondary index that no primary or foreign key has."""
_CATALOGUES: dict[Driver, _Catalogue] = {
    "mysql": _Catalogue(
        "SELECT t.table_name FROM information_schema.tables t "  # noqa: S608
        f"WHERE t.table_schema = '{SCHEMAS['mysql']}' AND t.table_name IN ({{tables}}) "
        "AND t.table_name NOT IN (SELECT i.table_name FROM information_schema.statistics i "
        f"WHERE i.table_schema = '{SCHEMAS['mysql']}' AND {{index}})",
        "i.index_name = 'PRIMARY'",
        "i.column_name",
    ),
    # The information schema shows the constraints of those alone who may write.
    "pgsql": _Catalogue(
        "SELECT t.relname FROM pg_class t "  # noqa: S608
        f"WHERE t.relnamespace = '{SCHEMAS['pgsql']}'::regnamespace AND t.relname IN ({{tables}}) "
        "AND t.oid NOT IN (SELECT i.indrelid FROM pg_index i "
        "JOIN pg_attribute a ON a.attrelid = i.indexrelid WHERE {index})",
        "i.indisprimary",
        "a.attname",
    ),
}


def conditions(prefix: str, *, full: bool = False) -> tuple[Query, ...]:
    """The six, or with `full` all fourteen; `prefix` precedes each table's name (`sbtest.`)."""
    asked = _CONDITIONS + (_SLOW if full else ())
    return tuple(query._replace(sql=query.sql.replace("@", prefix)) for query in asked)


def of_load(driver: Driver, warehouses: int) -> tuple[Query, ...]:
    """What a load leaves behind; on empty tables the six would hold trivially.

    A run adds orders and payments. The number of order lines is drawn, and `order-lines` compares
    it with what the orders say.
    """
    return (*_counts(f"{SCHEMAS[driver]}.", warehouses), *_indexes(driver))


def _counts(prefix: str, warehouses: int) -> Iterable[Query]:
    wanted = {
        "warehouse": warehouses,
        "district": warehouses * DISTRICTS_PER_WAREHOUSE,
        "customer": warehouses * CUSTOMERS_PER_WAREHOUSE,
        "history": warehouses * CUSTOMERS_PER_WAREHOUSE,
        "oorder": warehouses * CUSTOMERS_PER_WAREHOUSE,
        "new_order": warehouses * NEW_ORDERS_PER_WAREHOUSE,
        "stock": warehouses * STOCK_PER_WAREHOUSE,
        "item": ITEMS,
    }
    for table, rows in wanted.items():
        yield Query(
            f"{table.replace('_', '-')}-count",
            f"bmsql_{table} does not hold the {rows:,} rows of {warehouses:,} warehouses",
            f"SELECT t.held FROM (SELECT COUNT(*) AS held FROM {prefix}bmsql_{table}) t "  # noqa: S608
            f"WHERE t.held <> {rows}",
        )


def _indexes(driver: Driver) -> Iterable[Query]:
    catalogue = _CATALOGUES[driver]
    yield Query(
        "primary-keys",
        "a table has no primary key",
        catalogue.lacking.format(tables=_quoted(_KEYED), index=catalogue.primary),
    )
    yield Query(
        "secondary-indexes",
        "a table has no index on its column " + " or ".join(_INDEXED.values()),
        catalogue.lacking.format(
            tables=_quoted(_INDEXED), index=f"{catalogue.column} IN ({_quoted(_INDEXED.values())})"
        ),
    )


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
