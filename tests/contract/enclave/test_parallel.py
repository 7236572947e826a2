"""Parallel operations, whose workers need the key as well."""

import pg8000.dbapi
import pytest

from tests.support import enclave
from tests.support.enclave import Programs

AT_ONCE = (
    "ALTER DATABASE sbtest SET min_parallel_table_scan_size = 0",
    "ALTER DATABASE sbtest SET parallel_setup_cost = 0",
    "ALTER DATABASE sbtest SET parallel_tuple_cost = 0",
    "ALTER DATABASE sbtest SET max_parallel_maintenance_workers = 2",
    "CREATE TABLE t AS SELECT n, enc_seal(n) AS e FROM generate_series(1, 20000) n",
    "ANALYZE t",
)
BUILD = "CREATE INDEX t_e ON t (e)"


def test_indexes_and_sums(programs: Programs) -> None:
    with enclave.running(programs) as server:
        server.admin(*AT_ONCE)
        server.admin("SET client_min_messages = debug1", BUILD)
        assert server.admin("SELECT enc_open(sum(e)) FROM t WHERE n > 0") == [(200010000,)]
        plan = str(server.admin("EXPLAIN SELECT sum(e) FROM t WHERE n > 0"))
        assert "Partial Aggregate" in plan
        assert server.admin("SELECT count(*) FROM t a JOIN t b ON a.e = b.e") == [(20000,)]


def test_a_session_without_the_module_is_told_to_load_it(programs: Programs) -> None:
    """It would lose the key's file otherwise, because settings cannot be changed meanwhile."""
    with enclave.running(programs, overrides={"session_preload_libraries": ""}) as server:
        server.admin(*AT_ONCE)
        hint = "Add it to session_preload_libraries"
        with pytest.raises(pg8000.dbapi.DatabaseError, match=hint):
            server.admin(BUILD)
        server.admin("LOAD 'encbench_enclave'", BUILD)
