"""The invariants of TPC-C's tables, as queries that return no row. Standard library only.

They are the six of the published procedure (TPC-C clause 3.3.2, conditions 1 to 4): a warehouse's
year-to-date equals its districts' sum, both ways; a district's next order follows its highest order
and its highest new order; new orders have no gap; orders have as many lines as they state. Each is
a single statement, which sees one state of the database, so it also holds during a load. A district
whose new orders are all delivered has no highest one and is skipped, as in the specification.
`counts` check the loading by numbers of rows that a run never changes.

The agent runs them in the database's own pod (docs/design/0004-tpcc.md explains why), so they work
for any client's tables of these names, and use only SQL that every engine supports.
"""

from typing import NamedTuple

CUSTOMERS_PER_WAREHOUSE = 30_000
STOCK_PER_WAREHOUSE = 100_000
ITEMS = 100_000
DISTRICTS_PER_WAREHOUSE = 10


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
        "ON d.d_w_id = w.w_id WHERE d.ytd IS NULL OR d.ytd <> w.w_ytd",
    ),
    Query(
        "district-ytd",
        "the sum of the districts' year-to-date is not their warehouse's",
        "SELECT d.d_w_id, d.ytd, w.w_ytd FROM "
        "(SELECT d_w_id, SUM(d_ytd) AS ytd FROM @bmsql_district GROUP BY d_w_id) d "
        "LEFT JOIN @bmsql_warehouse w ON w.w_id = d.d_w_id "
        "WHERE w.w_ytd IS NULL OR w.w_ytd <> d.ytd",
    ),
    Query(
        "next-order",
        "a district's next order does not follow its highest order",
        "SELECT d.d_w_id, d.d_id, d.d_next_o_id, o.newest FROM @bmsql_district d LEFT JOIN "
        "(SELECT o_w_id, o_d_id, MAX(o_id) AS newest FROM @bmsql_oorder GROUP BY o_w_id, o_d_id) o "
        "ON o.o_w_id = d.d_w_id AND o.o_d_id = d.d_id "
        "WHERE o.newest IS NULL OR d.d_next_o_id - 1 <> o.newest",
    ),
    Query(
        "next-new-order",
        "a district's next order does not follow its highest new order",
        "SELECT d.d_w_id, d.d_id, d.d_next_o_id, n.newest FROM @bmsql_district d JOIN "
        "(SELECT no_w_id, no_d_id, MAX(no_o_id) AS newest "
        "FROM @bmsql_new_order GROUP BY no_w_id, no_d_id) n "
        "ON n.no_w_id = d.d_w_id AND n.no_d_id = d.d_id WHERE d.d_next_o_id - 1 <> n.newest",
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
        "WHERE l.held IS NULL OR l.held <> o.said",
    ),
)


def conditions(prefix: str) -> tuple[Query, ...]:
    """The six; `prefix` precedes each table's name, such as `sbtest.`."""
    return tuple(query._replace(sql=query.sql.replace("@", prefix)) for query in _CONDITIONS)


def counts(prefix: str, warehouses: int) -> tuple[Query, ...]:
    """Row counts that a run never changes; on empty tables the six would hold trivially."""
    wanted = {
        "warehouse": warehouses,
        "district": warehouses * DISTRICTS_PER_WAREHOUSE,
        "customer": warehouses * CUSTOMERS_PER_WAREHOUSE,
        "stock": warehouses * STOCK_PER_WAREHOUSE,
        "item": ITEMS,
    }
    return tuple(
        Query(
            f"{table}-count",
            f"bmsql_{table} does not hold the {rows:,} rows of {warehouses:,} warehouses",
            f"SELECT t.held FROM (SELECT COUNT(*) AS held FROM {prefix}bmsql_{table}) t "  # noqa: S608
            f"WHERE t.held <> {rows}",
        )
        for table, rows in wanted.items()
    )
