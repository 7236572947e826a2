"""When two workloads load the same data, and how much."""

from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.dataset import dataset_bytes, dataset_key
from tests.support.testbeds import ENCLAVE, PLAINTEXT, TLS
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


ALL = {"columns": {**ENCLAVE["columns"], "ratio": 100}}
TEXT = {"columns": {"method": "enclave", "list": ["sbtest.c"], "enclave": {}}}


@pytest.mark.parametrize(
    ("modes", "options", "row"),
    [
        ([], {}, 240),
        ([PLAINTEXT, TLS], {}, 240),
        ([PLAINTEXT, ENCLAVE], {}, 240 + 3 * 32 + 36),
        ([ALL], {}, 240 + 4 * 32 + 2 * 36),
        ([TEXT, ALL, ENCLAVE], {}, 240 + 4 * 32 + 2 * 36),
        ([TEXT], {}, 240 + 32),
        ([ENCLAVE], {"create-secondary": "off"}, 240 + 3 * 32),
        ([ALL], {"create-secondary": "off"}, 240 + 4 * 32 + 36),
    ],
)
def test_encrypted_types_make_rows_longer(
    modes: list[dict[str, Any]], options: dict[str, str], row: int
) -> None:
    test = {"tables": 3, "tableSize": 1000, "options": options}
    specs = [EncryptionModeSpec.model_validate(mode) for mode in modes]
    assert dataset_bytes(workload_spec({**test, "script": "enclave_point"}), specs) == 3000 * row
    assert dataset_bytes(workload_spec({**test, "script": "oltp_insert"}), specs) == 3000 * 240


def test_the_types_are_those_of_sysbench_s_tables_alone() -> None:
    specs = [EncryptionModeSpec.model_validate(ENCLAVE)]
    assert dataset_bytes(tpcc_spec({"warehouses": 2}), specs) == 200 * 2**20
