"""Do statements that PostgreSQL combines write what plain ones do?"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.contract.tpcc.program import Program
from tests.support import postgres
from tests.support.subset import first_of
from tests.support.tpcc import loaded

TABLES = (
    *("warehouse", "district", "customer", "stock", "item"),
    *("oorder", "new_order", "order_line", "history"),
)
WRITTEN = """
    SELECT COUNT(*) || ' ' || md5(string_agg(written, ' ' ORDER BY written)) FROM (
        SELECT (to_jsonb(row) - '{o_entry_d,ol_delivery_d,h_date,hist_id}'::text[])::text
            || (to_jsonb(row) ->> 'ol_delivery_d' IS NOT NULL) AS written
        FROM @bmsql_%s row
    ) rows"""
"""Rows and their digest, but for the time of the run and numbers that a sequence gives."""
OTHERS: Mapping[str, Mapping[str, str]] = {
    "plain": {"plainStatements": "true"},
    "benchmarksql": {"statements": "benchmarksql"},
}


def _written(folder: Path, **properties: str) -> dict[str, str]:
    """Every table after one terminal's transactions from one seed."""
    with postgres.running({}, dataset=loaded(1)) as server:
        program = Program(server, folder, 1)
        done = program.run("run", terminals=1, runTxnsPerTerminal=600, **properties)
        assert done.code == 0, done.said
        assert done.result["errors"] == done.result["retries"] == 0
        assert all(one["committed"] > 0 for one in done.types.values())
        assert done.types["newOrder"]["rolledBack"] > 0
        return {name: program.one(WRITTEN % name) for name in TABLES}


@pytest.fixture(scope="module")
def combined(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """After lean statements, as PostgreSQL gets them."""
    return _written(tmp_path_factory.mktemp("combined"))


@pytest.mark.parametrize("other", first_of(OTHERS))
def test_all_tables_are_the_same(combined: dict[str, str], tmp_path: Path, other: str) -> None:
    assert _written(tmp_path, **OTHERS[other]) == combined
