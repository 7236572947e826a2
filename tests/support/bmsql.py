"""A TPC-C database small enough to be written in a second, and consistent.

Only what the consistency queries read; the real tables with all their rows are a client's to make.
"""

WAREHOUSES = 2
_DISTRICTS = 10
_ORDERS = 30
_OUTSTANDING = 9
"""The newest orders of a district that are not delivered."""
_LINES = 5

TABLES = {
    "warehouse": "w_id INT PRIMARY KEY, w_ytd DECIMAL(12, 2)",
    "district": "d_w_id INT, d_id INT, d_ytd DECIMAL(12, 2), d_next_o_id INT, "
    "PRIMARY KEY (d_w_id, d_id)",
    "oorder": "o_w_id INT, o_d_id INT, o_id INT, o_ol_cnt INT, o_carrier_id INT, "
    "PRIMARY KEY (o_w_id, o_d_id, o_id)",
    "new_order": "no_w_id INT, no_d_id INT, no_o_id INT, PRIMARY KEY (no_w_id, no_d_id, no_o_id)",
    "order_line": "ol_w_id INT, ol_d_id INT, ol_o_id INT, ol_number INT, "
    "PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)",
    "customer": "c_id INT PRIMARY KEY, c_last VARCHAR(16)",
    "history": "h_w_id INT",
    "stock": "s_id INT PRIMARY KEY",
    "item": "i_id INT PRIMARY KEY",
}

INDEXES = [
    "CREATE INDEX bmsql_customer_idx1 ON bmsql_customer (c_id, c_last)",
    "CREATE UNIQUE INDEX bmsql_oorder_idx1 ON bmsql_oorder (o_w_id, o_d_id, o_carrier_id, o_id)",
]


def drop() -> list[str]:
    """Statements that leave nothing."""
    return [f"DROP TABLE IF EXISTS bmsql_{table}" for table in TABLES]


def create() -> list[str]:
    """Statements that make the tables anew."""
    tables = [f"CREATE TABLE bmsql_{table} ({columns})" for table, columns in TABLES.items()]
    districts = [(w, d) for w in range(1, WAREHOUSES + 1) for d in range(1, _DISTRICTS + 1)]
    orders = [(w, d, o) for w, d in districts for o in range(1, _ORDERS + 1)]
    new_orders = [(w, d, o) for w, d, o in orders if o > _ORDERS - _OUTSTANDING]
    lines = [(w, d, o, n) for w, d, o in orders for n in range(1, _LINES + 1)]
    rows: dict[str, list[tuple[object, ...]]] = {
        "warehouse": [(w, "300000.00") for w in range(1, WAREHOUSES + 1)],
        "district": [(w, d, "30000.00", _ORDERS + 1) for w, d in districts],
        "oorder": [(*order, _LINES, "NULL") for order in orders],
        "new_order": list(new_orders),
        "order_line": list(lines),
    }
    filled = (_insert(table, values) for table, values in rows.items())
    return [*drop(), *tables, *filled, *INDEXES]


def _insert(table: str, rows: list[tuple[object, ...]]) -> str:
    values = ", ".join(f"({', '.join(map(str, row))})" for row in rows)
    return f"INSERT INTO bmsql_{table} VALUES {values}"  # noqa: S608
