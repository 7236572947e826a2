"""When two workloads load the same data."""

from encbench.core.dataset import dataset_key
from tests.support.workloads import tpcc_spec, workload_spec

BENCHMARKSQL = {"home": "/opt/benchmarksql/run"}


def test_what_decides_of_the_run_alone_leaves_the_data_alone() -> None:
    plain = dataset_key(tpcc_spec())
    mix = {"newOrder": 40, "payment": 48}
    assert dataset_key(tpcc_spec({"mix": mix, "loadWorkers": 3})) == plain
    assert dataset_key(tpcc_spec(load={"concurrency": [16], "warmup": "9s"})) == plain


def test_more_warehouses_and_foreign_keys_are_other_tables() -> None:
    specs = [
        tpcc_spec(),
        tpcc_spec({"warehouses": 3}),
        tpcc_spec({"options": {"foreignKeys": "true"}}),
        workload_spec(),
    ]
    assert len({dataset_key(spec) for spec in specs}) == len(specs)


def test_each_client_makes_tables_of_its_own() -> None:
    load = {"warmup": "0s", "duration": "60s"}
    five = tpcc_spec({"dialect": 5, "benchmarksql": BENCHMARKSQL}, load)
    six = tpcc_spec({"dialect": 6, "benchmarksql": BENCHMARKSQL}, load)
    assert len({dataset_key(spec) for spec in (tpcc_spec(load=load), five, six)}) == 3


def test_what_our_own_client_loads_for_benchmarksql_is_what_it_loads_for_itself() -> None:
    load = {"warmup": "0s", "duration": "60s"}
    for dialect in (5, 6):
        own = {"benchmarksql": {**BENCHMARKSQL, "loadImage": "tpcc:1"}, "dialect": dialect}
        assert dataset_key(tpcc_spec(own, load)) == dataset_key(tpcc_spec())
        keyless = {**own, "options": {"foreignKeys": "false"}}
        assert dataset_key(tpcc_spec(keyless, load)) != dataset_key(tpcc_spec())
