"""The modes of MySQL that the tests share a server of."""

from typing import Any

from tests.support.testbeds import PLAINTEXT

ALL: dict[str, Any] = {"atRest": {"method": "engine"}}
TABLES: dict[str, Any] = {"atRest": {"method": "engine", "scope": ["tables"]}}
REST: dict[str, Any] = {
    "atRest": {"method": "engine", "scope": ["system", "redo", "undo", "binlog"]}
}
"""All that `TABLES` leaves out: of the two, each part is encrypted in one."""

MODES = {"plaintext": PLAINTEXT, "tde": ALL, "tables": TABLES, "rest": REST}
