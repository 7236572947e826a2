"""The proof of column encryption on real servers: what the agent sees through the real proxy.

Each way in which a mode can silently not be in force is made, and seen.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from encbench.api.columns import Columns
from encbench.core.columns import probes, selection
from encbench.proofs import columns as judging
from tests.contract.columns.proving import OTHER_KEY, TABLES, evidence, judge, spec_of
from tests.contract.columns.tables import create
from tests.contract.database.proving import failed
from tests.support import mariadb, mysql
from tests.support.confidential import AES, KEY, SM4
from tests.support.subset import first_of
from tests.support.testbeds import PLAINTEXT

SBTEST = (
    "CREATE TABLE sbtest{n} (id INT AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL DEFAULT 0, "
    "c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '')",
    "INSERT INTO sbtest{n} (k, c, pad) VALUES (7, 'c-value', 'pad-value')",
)


@pytest.fixture(scope="module", params=first_of(["mariadb", "mysql"]))
def server(request: pytest.FixtureRequest) -> Iterator[Any]:
    start: Any = {"mariadb": mariadb.running, "mysql": mysql.running}[request.param]
    with start(PLAINTEXT) as found:
        found.admin(*create())
        yield found


@pytest.fixture(scope="module")
def sysbench_server() -> Iterator[Any]:
    with mariadb.running(PLAINTEXT) as found:
        found.admin(*(s.format(n=n) for n in range(1, TABLES + 1) for s in SBTEST))
        yield found


@pytest.mark.parametrize("algorithm", [AES, SM4])
@pytest.mark.parametrize(("ratio", "count"), [(0, 0), (20, 21), (50, 44), (100, 94)])
def test_each_class_of_columns_is_proven(
    server: Any, tmp_path: Path, ratio: int, count: int, algorithm: str
) -> None:
    spec = spec_of({"ratio": ratio, "algorithm": algorithm}, tpcc=True)
    found = evidence(server, tmp_path, spec)
    proof = judge(found, spec)
    assert proof.ok, proof.summary
    tables = found["columns"]["tables"]
    assert len(tables) == 10
    sealed = [name for one in tables for names in one["encrypted"].values() for name in names]
    assert len(sealed) == count, "all of its class, but the one that is NULL"
    assert sum(len(one["plain"]) for one in tables) == 94 - count
    assert sum(len(one["null"]) for one in tables) == 1


def test_it_is_proven_by_the_server_s_socket(server: Any, tmp_path: Path) -> None:
    """Also where the server does not remember the clients' login."""
    spec = spec_of({"ratio": 100, "upstream": "Socket"}, tpcc=True)
    server.admin("FLUSH PRIVILEGES")
    found = evidence(server, tmp_path, spec, upstream=f"unix:{server.layout.socket}")
    proof = judge(found, spec)
    assert proof.ok, proof.summary
    assert "the key opened 94 values to the server's own" in proof.summary


def test_a_list_is_proven(server: Any, tmp_path: Path) -> None:
    spec = spec_of({"list": ["bmsql_item.i_data", "bmsql_item.I_ID"]}, tpcc=True)
    proof = judge(evidence(server, tmp_path, spec), spec)
    assert proof.ok, proof.summary
    assert "the key opened 2 values to the server's own" in proof.summary


def test_a_proxy_with_an_empty_file(server: Any, tmp_path: Path) -> None:
    spec = spec_of({"ratio": 20}, tpcc=True)
    proof = judge(evidence(server, tmp_path, spec, text=""), spec)
    assert set(failed(proof)) == {"chosen columns in plaintext", "encrypted values"}


def test_a_proxy_that_misses_one_column(server: Any, tmp_path: Path) -> None:
    spec = spec_of({"ratio": 20}, tpcc=True)
    assert spec.mode.columns is not None
    text = selection.file_text("tpcc", spec.mode.columns).replace("bmsql_item.i_id\n", "")
    proof = judge(evidence(server, tmp_path, spec, text=text), spec)
    assert set(failed(proof)) == {"chosen columns in plaintext"}
    assert "bmsql_item.i_id" in proof.summary


def test_a_proxy_that_encrypts_what_nobody_has_chosen(server: Any, tmp_path: Path) -> None:
    spec, more = spec_of({"ratio": 20}, tpcc=True), Columns(method="confidential", ratio=50)
    text = selection.file_text("tpcc", more)
    proof = judge(evidence(server, tmp_path, spec, text=text), spec)
    assert set(failed(proof)) == {"columns that are encrypted without being chosen"}


def test_a_proxy_that_encrypts_where_the_mode_says_nothing(server: Any, tmp_path: Path) -> None:
    spec, more = spec_of({"ratio": 0}, tpcc=True), Columns(method="confidential", ratio=100)
    text = selection.file_text("tpcc", more)
    proof = judge(evidence(server, tmp_path, spec, text=text), spec)
    assert set(failed(proof)) == {"columns that are encrypted without being chosen"}


def test_another_key(server: Any, tmp_path: Path) -> None:
    spec = spec_of({"ratio": 100}, tpcc=True)
    proof = judge(evidence(server, tmp_path, spec, key=OTHER_KEY), spec)
    assert "the mode's key does not open it" in proof.summary
    assert set(failed(proof)) == {
        "values that neither equal the server's nor open to them",
        "encrypted values",
    }


def test_another_algorithm(server: Any, tmp_path: Path) -> None:
    spec = spec_of({"ratio": 100}, tpcc=True)
    proof = judge(evidence(server, tmp_path, spec, algorithm=SM4), spec)
    assert set(failed(proof)) == {"values of another algorithm than AES_128_GCM"}


def test_no_proxy_at_all(server: Any, tmp_path: Path) -> None:
    spec = spec_of({"ratio": 100}, tpcc=True)
    proof = judge(evidence(server, tmp_path, spec, through=False), spec)
    assert "chosen columns in plaintext" in failed(proof)


def test_what_our_client_must_print(server: Any, tmp_path: Path) -> None:
    spec = spec_of({"ratio": 100}, tpcc=True)
    told = judging.digests(evidence(server, tmp_path, spec))
    assert set(told) == {probe.table for probe in probes.TPCC}
    assert told == judging.digests(evidence(server, tmp_path, spec, through=False)), (
        "it is of the server's own session"
    )
    server.admin("DELETE FROM bmsql_new_order")
    gone = evidence(server, tmp_path, spec)
    server.admin("INSERT INTO bmsql_new_order VALUES (1, 1, 3000)")
    assert judging.digests(gone)["bmsql_new_order"] == probes.ABSENT
    assert judge(gone, spec).ok


def test_the_key_is_in_no_evidence(server: Any, tmp_path: Path) -> None:
    told = json.dumps(evidence(server, tmp_path, spec_of({"ratio": 100}, tpcc=True)))
    assert KEY not in told
    assert server.credentials["password"] not in told


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize(("ratio", "each"), [(0, 0), (20, 1), (100, 4)])
def test_many_tables_of_sysbench(
    sysbench_server: Any, tmp_path: Path, ratio: int, each: int, *, full: bool
) -> None:
    spec = spec_of({"ratio": ratio}, tpcc=False)
    found = evidence(sysbench_server, tmp_path, spec, full=full)
    proof = judge(found, spec, full=full)
    assert proof.ok, proof.summary
    read = TABLES if full else probes.SAMPLE
    tables = found["columns"]["tables"]
    assert len(tables) == read
    assert all(len(one["encrypted"].get(AES, [])) == each for one in tables)


def test_one_table_of_many(sysbench_server: Any, tmp_path: Path) -> None:
    spec = spec_of({"list": ["sbtest17.c"]}, tpcc=False)
    found = evidence(sysbench_server, tmp_path, spec, full=False)
    assert judge(found, spec, full=False).ok
    assert "sbtest17" in [one["table"] for one in found["columns"]["tables"]]
