"""sysbench's command lines."""

from dataclasses import replace

import pytest

from encbench.api.encryptionmode import InTransit, TlsVersion
from encbench.core.connection import Connection
from encbench.core.offered import shares
from encbench.tools.sysbench.command import (
    environment,
    load_command,
    replica_arguments,
    run_command,
    script_argument,
    unverified,
)
from tests.support.workloads import CUSTOM, MYSQL, PGSQL, workload_spec


def test_warm_up_and_window_are_one_run_with_a_checkpoint_between() -> None:
    spec = workload_spec()
    words = run_command(spec, MYSQL)
    assert "--time=7" in words
    assert "--report-checkpoints=2" in words
    assert words[-2:] == ["/etc/encbench/session/session.lua", "run"]
    assert script_argument(spec.sysbench_test) == "oltp_read_write"


def test_no_warm_up_is_no_checkpoint() -> None:
    words = run_command(workload_spec(load={"warmup": "0s"}), MYSQL)
    assert "--time=5" in words
    assert not [word for word in words if "checkpoints" in word]


def test_no_secret_on_the_command_line() -> None:
    words = run_command(workload_spec(), MYSQL)
    assert not [word for word in words if "password" in word or "user" in word]
    assert "--config-file=/etc/encbench/sysbench/sysbench.conf" in words


def test_a_plaintext_client_does_not_encrypt() -> None:
    words = run_command(workload_spec(), MYSQL)
    assert "--mysql-ssl=off" in words
    assert environment(MYSQL) == {}
    words = run_command(workload_spec(), PGSQL)
    assert not [word for word in words if "ssl" in word]
    assert environment(PGSQL) == {"PGSSLMODE": "disable", "PGGSSENCMODE": "disable"}


@pytest.mark.parametrize(
    ("version", "suite"),
    [("TLSv1.2", "ECDHE-ECDSA-AES256-GCM-SHA384"), ("TLSv1.3", "TLS_AES_256_GCM_SHA384")],
)
def test_a_tls_client_takes_one_version_and_one_suite_and_verifies(
    version: TlsVersion, suite: str
) -> None:
    tls = InTransit(version=version, cipher_suite="TLS_AES_256_GCM_SHA384")
    spec = workload_spec()
    mysql = replace(MYSQL, tls=tls)
    for words in (run_command(spec, mysql), load_command(spec.sysbench_test, mysql, 1)):
        assert {"--mysql-ssl=on", f"--mysql-ssl-cipher={suite}"} <= set(words)
        assert "--mysql-ssl=off" not in words
    assert environment(mysql) == {}
    assert environment(replace(PGSQL, tls=tls)) == {
        "PGSSLMODE": "verify-full",
        "PGSSLROOTCERT": "/etc/encbench/tls/cacert.pem",
        "PGSSLMINPROTOCOLVERSION": version,
        "PGSSLMAXPROTOCOLVERSION": version,
        "PGGSSENCMODE": "disable",
    }


def test_with_mysql_s_protocol_the_name_is_left_unverified() -> None:
    assert "the campaign's CA has" in (unverified(replace(MYSQL, tls=InTransit())) or "")
    external = replace(MYSQL, tls=InTransit(), outside=True)
    assert "names" in (unverified(external) or "")
    assert "a CA of the Secret's ca.crt has" in (unverified(external) or "")
    assert unverified(replace(PGSQL, tls=InTransit())) is None
    assert unverified(MYSQL) is None


@pytest.mark.parametrize(("connection", "port"), [(MYSQL, 3306), (PGSQL, 5432)])
def test_the_database_is_the_connection_s(connection: Connection, port: int) -> None:
    driver = connection.driver
    wanted = [
        f"--db-driver={driver}",
        f"--{driver}-host=overhead-tde",
        f"--{driver}-port={port}",
        f"--{driver}-db=sbtest",
    ]
    spec = workload_spec()
    for words in (run_command(spec, connection), load_command(spec.sysbench_test, connection, 1)):
        assert set(wanted) <= set(words)
        other = {"mysql": "pgsql", "pgsql": "mysql"}[driver]
        assert not [word for word in words if other in word]


def test_the_users_options_and_dataset() -> None:
    spec = workload_spec({"tables": 3, "tableSize": 7, "options": {"range-size": "5"}})
    words = run_command(spec, MYSQL)
    assert {"--tables=3", "--table-size=7", "--range-size=5"} <= set(words)


@pytest.mark.parametrize("script", ["oltp_read_write", "enclave_point"])
def test_data_do_not_depend_on_the_rows_that_a_workload_prefers(script: str) -> None:
    options = {"rand-type": "uniform", "rand_spec_pct": "5", "range-size": "5"}
    spec = workload_spec({"script": script, "options": options})
    drawn = {"--rand-type=uniform", "--rand_spec_pct=5"}
    assert {*drawn, "--range-size=5"} <= set(run_command(spec, PGSQL))
    loads = set(load_command(spec.sysbench_test, PGSQL, 1))
    assert "--range-size=5" in loads
    assert not drawn & loads
    own = workload_spec({**CUSTOM, "options": options})
    assert drawn <= set(load_command(own.sysbench_test, PGSQL, 1))


def test_a_script_of_the_users_own_is_a_path() -> None:
    spec = workload_spec(CUSTOM)
    path = "/etc/encbench/script/transfer.lua"
    assert script_argument(spec.sysbench_test) == path
    assert load_command(spec.sysbench_test, MYSQL, 1)[-1] == path


def test_replicas_share_threads_and_rate_and_differ_in_their_seed() -> None:
    load = workload_spec(load={"concurrency": [7], "rate": 100}).load
    assert replica_arguments(load, 7, 1000, 3) == [
        ["--threads=3", "--rand-seed=1000", "--rate=34"],
        ["--threads=2", "--rand-seed=1001", "--rate=33"],
        ["--threads=2", "--rand-seed=1002", "--rate=33"],
    ]


def test_no_rate_is_as_fast_as_possible() -> None:
    (only,) = replica_arguments(workload_spec().load, 4, 5, 1)
    assert only == ["--threads=4", "--rand-seed=5"]


def test_seeds_stay_in_sysbench_s_range() -> None:
    arguments = replica_arguments(workload_spec().load, 4, 2**31 - 1, 2)
    assert [some[1] for some in arguments] == ["--rand-seed=2147483647", "--rand-seed=1"]


@pytest.mark.parametrize(("whole", "parts"), [(1, 1), (7, 3), (64, 64), (100, 7)])
def test_shares_add_up_and_differ_by_one_at_most(whole: int, parts: int) -> None:
    found = shares(whole, parts)
    assert sum(found) == whole
    assert max(found) - min(found) <= 1
    assert len(found) == parts
