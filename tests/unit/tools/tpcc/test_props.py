"""Props files."""

from typing import Any

import pytest

from encbench.api.workload import WorkloadSpec
from encbench.tools.tpcc import props
from tests.support.workloads import MARIADB, MYSQL, PGSQL, tpcc_spec

FIVE: dict[str, Any] = {"benchmarksql": {}}
SIX: dict[str, Any] = {"benchmarksql": {}, "dialect": 6}
WHOLE = {"warmup": "0s", "duration": "5m"}
RAMPED = {"warmup": "2m", "duration": "5m"}


def run(spec: WorkloadSpec, connection: Any = MYSQL, cores: float = 1.5) -> dict[str, str]:
    assert spec.tpcc is not None
    return props.run_props(spec.tpcc, spec.load, connection, cores)


def replicas(spec: WorkloadSpec, terminals: int, seed: int, count: int) -> list[dict[str, str]]:
    assert spec.tpcc is not None
    return props.replica_props(spec.tpcc, terminals, seed, count)


def test_our_own_client() -> None:
    found = run(tpcc_spec())
    assert found.pop("conn").startswith("jdbc:mysql://overhead-tde:3306/sbtest?sslMode=DISABLED")
    assert found == {
        "db": "mysql",
        "driver": "com.mysql.cj.jdbc.Driver",
        "warehouses": "2",
        "warmupSeconds": "2",
        "runSeconds": "5",
        "terminalWarehouseFixed": "true",
        "newOrderWeight": "45",
        "paymentWeight": "43",
        "orderStatusWeight": "4",
        "deliveryWeight": "4",
        "stockLevelWeight": "4",
    }


def test_statements_are_named_only_where_the_workload_names_them() -> None:
    assert "statements" not in run(tpcc_spec())
    assert run(tpcc_spec({"statements": "lean"}))["statements"] == "lean"
    assert run(tpcc_spec({"statements": "benchmarksql"}))["statements"] == "benchmarksql"
    assert "statements" not in run(tpcc_spec({**FIVE, "statements": "benchmarksql"}, WHOLE), PGSQL)


def test_benchmarksql_5_counts_in_minutes() -> None:
    found = run(tpcc_spec(FIVE, WHOLE), PGSQL)
    assert (found["runMins"], found["runTxnsPerTerminal"]) == ("5", "0")
    assert (found["db"], found["driver"]) == ("postgres", "org.postgresql.Driver")
    assert "reWriteBatchedInserts=true" in found["conn"]
    assert not {"warmupSeconds", "runSeconds", "seed", "resultDirectory"} & found.keys()


def test_benchmarksql_measures_mariadb_without_bulk_commands_and_loads_with_them() -> None:
    """The confidential proxy has none, so a direct run must not have them either."""
    spec = tpcc_spec(FIVE, WHOLE)
    assert spec.tpcc is not None
    assert run(spec, MARIADB)["conn"].count("useBulkStmts=false") == 1
    assert "useBulkStmts" not in props.load_props(spec.tpcc, MARIADB, 1.5, 40)["conn"]
    assert "useBulkStmts" not in run(spec, MYSQL)["conn"] + run(tpcc_spec(), MARIADB)["conn"]
    own = tpcc_spec({**FIVE, "urlParameters": {"useBulkStmts": "true"}}, WHOLE)
    assert run(own, MARIADB)["conn"].count("useBulkStmts") == 1
    assert "useBulkStmts=true" in run(own, MARIADB)["conn"]


def test_benchmarksql_6() -> None:
    mix = {"newOrder": 44.3, "payment": 43.1, "orderStatus": 4.2, "delivery": 4.2}
    found = run(tpcc_spec({**SIX, "mix": {**mix, "stockLevel": 4.2}}, RAMPED), MARIADB)
    assert (found["rampupMins"], found["runMins"]) == ("2", "5")
    assert (found["monkeys"], found["application"]) == ("2", "Generic")
    assert (found["keyingTimeMultiplier"], found["thinkTimeMultiplier"]) == ("0.0", "0.0")
    assert (found["paymentWeight"], found["stockLevelWeight"]) == ("43.1", "4.2")
    assert found["resultDirectory"].startswith("/tmp/")
    assert not {"newOrderWeight", "terminals", "limitTxnsPerMin"} & found.keys()


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        (tpcc_spec(), {"mysql": "mysql", "mariadb": "mariadb", "postgresql": "postgres"}),
        (tpcc_spec(FIVE, WHOLE), {"mysql": "mysql", "mariadb": "mysql", "postgresql": "postgres"}),
        (
            tpcc_spec(SIX, WHOLE),
            {"mysql": "mariadb", "mariadb": "mariadb", "postgresql": "postgres"},
        ),
    ],
    ids=["own", "5", "6"],
)
def test_each_client_s_word_for_the_engine(spec: WorkloadSpec, names: dict[str, str]) -> None:
    connections = {"mysql": MYSQL, "mariadb": MARIADB, "postgresql": PGSQL}
    assert {engine: run(spec, connections[engine])["db"] for engine in names} == names


def test_options_stand_over_our_own() -> None:
    options = {"options": {"keyingTimeMultiplier": "0.1", "monkeys": "9"}}
    found = run(tpcc_spec({**SIX, **options}, WHOLE))
    assert (found["keyingTimeMultiplier"], found["monkeys"]) == ("0.1", "9")


def test_an_option_that_differs_between_replicas_stands_as_well() -> None:
    spec = tpcc_spec({**SIX, "options": {"maxDeliveryBGThreads": "2"}}, WHOLE)
    assert run(spec)["maxDeliveryBGThreads"] == "2"
    assert replicas(spec, 17, 7, 2) == [{"sutThreads": "9"}, {"sutThreads": "8"}]


def test_terminals_and_the_limit_are_shared_by_the_replicas() -> None:
    limited = tpcc_spec({"limitTxnsPerMin": 100, "warehouses": 10})
    assert replicas(limited, 8, 1000, 3) == [
        {
            "terminals": "3",
            "limitTxnsPerMin": "34",
            "terminalOffset": "0",
            "terminalsTotal": "8",
            "seed": "1000",
        },
        {
            "terminals": "3",
            "limitTxnsPerMin": "33",
            "terminalOffset": "3",
            "terminalsTotal": "8",
            "seed": "1000",
        },
        {
            "terminals": "2",
            "limitTxnsPerMin": "33",
            "terminalOffset": "6",
            "terminalsTotal": "8",
            "seed": "1000",
        },
    ]


def test_no_limit_is_as_fast_as_possible() -> None:
    (only,) = replicas(tpcc_spec(), 8, 7, 1)
    assert (only["terminals"], only["limitTxnsPerMin"], only["seed"]) == ("8", "0", "7")


def test_benchmarksql_shares_as_well() -> None:
    assert replicas(tpcc_spec(FIVE, WHOLE), 5, 7, 2) == [
        {"terminals": "3", "limitTxnsPerMin": "0"},
        {"terminals": "2", "limitTxnsPerMin": "0"},
    ]
    assert replicas(tpcc_spec(SIX, WHOLE), 17, 7, 2) == [
        {"sutThreads": "9", "maxDeliveryBGThreads": "6"},
        {"sutThreads": "8", "maxDeliveryBGThreads": "6"},
    ]
    (alone,) = replicas(tpcc_spec(SIX, WHOLE), 1, 7, 1)
    assert alone["maxDeliveryBGThreads"] == "1"


@pytest.mark.parametrize(
    ("tpcc", "cores", "workers"),
    [
        ({"warehouses": 1000}, 4, "8"),
        ({"warehouses": 3}, 4, "3"),
        ({"warehouses": 1000}, 0.2, "2"),
        ({"warehouses": 1000, "loadWorkers": 5}, 4, "5"),
        ({"warehouses": 1000, "loadWorkers": 1024}, 4, "20"),
        ({"warehouses": 1000}, 64, "20"),
    ],
)
def test_loaders(tpcc: dict[str, Any], cores: float, workers: str) -> None:
    spec = tpcc_spec(tpcc).tpcc
    assert spec is not None
    found = props.load_props(spec, MYSQL, cores, 21)
    assert found["loadWorkers"] == workers
    assert found["warehouses"] == str(tpcc["warehouses"])


def test_values_are_escaped_as_java_reads_them() -> None:
    assert props.text({"a": "x\\y", "b": " z", "c": "p=q:r#s!"}) == (
        "a=x\\\\y\nb=\\ z\nc=p=q:r#s!\n"
    )
