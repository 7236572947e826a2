"""BenchmarkSQL's statements on InnoDB: what is read after a wait is what others have committed.

A transaction's first plain SELECT fixes what its later ones see; a locking one sees what is there.
Each test lets the client wait for a lock between the two, and changes what it reads next.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from tests.contract.tpcc.program import Done, Program, ended
from tests.support import mariadb, mysql
from tests.support.subset import first_of
from tests.support.tpcc import loaded

ENGINES: dict[str, Callable[..., AbstractContextManager[Any]]] = {
    "mariadb": mariadb.running,
    "mysql": mysql.running,
}
WAITING = "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"


@pytest.fixture(scope="module", params=first_of(ENGINES))
def program(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Program]:
    """A server with one warehouse."""
    with ENGINES[request.param]({}, dataset=loaded(1)) as server:
        yield Program(server, tmp_path_factory.mktemp(request.param), 1)


def changed_meanwhile(program: Program, kind: str, lock: str, *changes: str) -> Done:
    """One transaction of that kind, which waits for the lock until all is changed."""
    with program.server.session() as other, other.cursor() as cursor:
        other.begin()
        cursor.execute(lock)
        process = program.start(
            "run",
            statements="benchmarksql",
            terminals=1,
            runTxnsPerTerminal=1,
            **{f"{kind}Weight": 100},
        )
        deadline = time.monotonic() + 30
        while program.one(WAITING) == 0:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.1)
        for change in changes:
            cursor.execute(change)
        other.commit()
    done = ended(process)
    assert done.code == 0, done.said
    assert done.result["errors"] == 0, done.result["errorCounts"]
    assert done.result["transactions"] == 1
    return done


def test_a_payment_keeps_what_another_has_written(program: Program) -> None:
    """A lost update of the data of a customer with bad credit, against clause 3.4."""
    program.admin("UPDATE @bmsql_customer SET c_credit = 'BC', c_data = 'before'")
    changed_meanwhile(
        program,
        "payment",
        "UPDATE bmsql_warehouse SET w_ytd = w_ytd WHERE w_id = 1",
        "UPDATE bmsql_customer SET c_data = 'after'",
    )
    lost = "SELECT COUNT(*) FROM @bmsql_customer WHERE c_data NOT LIKE '%after'"
    assert program.one(lost) == 0


def test_a_delivery_finds_an_order_that_is_newer(program: Program) -> None:
    done = changed_meanwhile(
        program,
        "delivery",
        "SELECT COUNT(*) FROM bmsql_new_order WHERE no_w_id = 1 AND no_d_id = 2 FOR UPDATE",
        "DELETE FROM bmsql_new_order WHERE no_w_id = 1 AND no_d_id = 2",
        "INSERT INTO bmsql_oorder (o_w_id, o_d_id, o_id, o_c_id, o_ol_cnt) "
        "VALUES (1, 2, 3001, 1, 1)",
        "INSERT INTO bmsql_order_line "
        "(ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_amount) "
        "VALUES (1, 2, 3001, 1, 1, 1, 5)",
        "INSERT INTO bmsql_new_order (no_w_id, no_d_id, no_o_id) VALUES (1, 2, 3001)",
    )
    assert done.result["deliveredOrders"] == 10
