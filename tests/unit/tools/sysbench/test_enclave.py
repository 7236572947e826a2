"""encbench's own scripts for encrypted column types: command lines, Jobs, what is refused."""

from dataclasses import replace
from typing import Any

import pytest

from encbench.api.campaign import Blocks
from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.core.connection import EnclaveClient, SecretEntry
from encbench.core.dataset import dataset_key
from encbench.ports import Body
from encbench.tools.registry import tool
from encbench.tools.sysbench import memory, script
from encbench.tools.sysbench.command import load_command, run_command, script_argument
from encbench.tools.sysbench.enclave import FILES, OPTIONS, RANGE_SIZE, texts
from encbench.tools.sysbench.problems import pair_problems, problems
from tests.support.testbeds import ENCLAVE, instance
from tests.support.workloads import PGSQL, load_context, trial_context, workload_spec

POINT = workload_spec({"script": "enclave_point", "options": {"lookup": "k"}})
INSIDE = replace(
    PGSQL,
    enclave=EnclaveClient(("k", "c", "pad"), "PageBatch"),
    mek=SecretEntry("overhead-tde-credentials", "mek"),
)
MODE = EncryptionModeSpec.model_validate(ENCLAVE)
POSTGRESQL = InstanceTemplateSpec.model_validate(
    instance(engine="postgresql", version="15", image="registry.example.com/postgresql:15")
)
MARIADB = InstanceTemplateSpec.model_validate(instance())
COMMON = {"tables", "table_size", "encrypted", "workload", "key_file", "index"}
"""Options that the operator sets."""


def own_words(words: list[str]) -> set[str]:
    names = ("--workload", "--encrypted", "--index", "--key-file", "--lookup")
    return {word for word in words if word.startswith(names)}


def test_an_encrypted_arm_names_columns_and_the_key_s_file() -> None:
    expected = {
        "--workload=point",
        "--encrypted=k,c,pad",
        "--index=PageBatch",
        "--key-file=/etc/encbench/mek/mek",
        "--lookup=k",
    }
    assert own_words(run_command(POINT, INSIDE)) == expected
    assert own_words(load_command(POINT.sysbench_test, INSIDE, 2)) == expected


def test_a_plain_arm_runs_the_same_script_without_encryption() -> None:
    words = run_command(POINT, PGSQL)
    assert own_words(words) == {"--workload=point", "--encrypted=none", "--lookup=k"}
    assert script_argument(POINT.sysbench_test) == "/etc/encbench/session/enclave.lua"
    assert load_command(POINT.sysbench_test, PGSQL, 2)[-1] == "/etc/encbench/session/enclave.lua"


def test_other_scripts_are_told_nothing() -> None:
    assert own_words(run_command(workload_spec(), INSIDE)) == set()


def jobs(connection: Any) -> list[Body]:
    context = trial_context(POINT, connection=connection)
    load = load_context(POINT.sysbench_test.to_dict(), connection=connection)
    kind = tool(POINT)
    return [kind.load_job(load), kind.trial_job(context)]


def test_the_pods_carry_the_scripts_in_one_folder() -> None:
    for job in jobs(INSIDE):
        template = job["spec"]["template"]
        for name in FILES:
            assert template["metadata"]["annotations"][f"encbench.io/{name}"] == texts()[name]
        (volume,) = [one for one in template["spec"]["volumes"] if one["name"] == "session"]
        paths = {item["path"] for item in volume["downwardAPI"]["items"]}
        assert {*FILES} <= paths


def test_the_key_is_mounted_into_the_tool_of_encrypted_arms_alone() -> None:
    for job in jobs(INSIDE):
        pod = job["spec"]["template"]["spec"]
        (volume,) = [one for one in pod["volumes"] if one["name"] == "mek"]
        assert volume["secret"]["items"] == [{"key": "mek", "path": "mek"}]
        users = [
            one["name"]
            for one in pod["containers"]
            if "mek" in {mount["name"] for mount in one["volumeMounts"]}
        ]
        assert users == ["tool"]
    for job in jobs(PGSQL):
        volumes = job["spec"]["template"]["spec"]["volumes"]
        assert "mek" not in {one["name"] for one in volumes}


def test_the_script_declares_what_it_is_told() -> None:
    declared = script.read(texts()["enclave.lua"])
    assert declared.options == COMMON | OPTIONS.keys()
    assert f'range_size = {{"Rows of a range", {RANGE_SIZE}}}' in texts()["enclave.lua"]


def test_workloads_with_the_same_lookup_share_their_data() -> None:
    def key(name: str, **options: str) -> str:
        return dataset_key(workload_spec({"script": f"enclave_{name}", "options": options}))

    assert key("point") == key("write") == key("range", **{"range-size": "10"})
    assert key("point") != key("point", lookup="k")
    assert key("point") != dataset_key(workload_spec({"script": "oltp_point_select"}))


def test_statements_that_each_thread_prepares() -> None:
    def count(name: str) -> int:
        return memory.statements(workload_spec({"script": f"enclave_{name}", "tables": 4}))

    assert (count("point"), count("range"), count("write")) == (4, 4, 18)


def said(test: dict[str, Any], mode: EncryptionModeSpec, on: InstanceTemplateSpec) -> list[str]:
    spec = workload_spec(test)
    return [one.text for one in (*problems(spec, None, Blocks()), *pair_problems(spec, on, mode))]


@pytest.mark.parametrize("name", ["point", "range", "write"])
def test_what_fits_has_no_problem(name: str) -> None:
    for mode in (MODE, EncryptionModeSpec()):
        assert said({"script": f"enclave_{name}"}, mode, POSTGRESQL) == []


@pytest.mark.parametrize(
    ("test", "mode", "on", "why"),
    [
        ({"script": "enclave_point"}, {}, MARIADB, "enclave_point runs on PostgreSQL only"),
        (
            {},
            ENCLAVE,
            POSTGRESQL,
            "write sysbench.script: enclave_point, enclave_range or enclave_write, or leave "
            "columns out of the mode",
        ),
        (
            {"script": "enclave_write", "options": {"lookup": "k"}},
            {},
            POSTGRESQL,
            "enclave_write finds its rows by id: leave lookup out",
        ),
        (
            {"script": "enclave_point", "options": {"lookup": "c"}},
            {},
            POSTGRESQL,
            "sysbench.options lookup: write id or k, not 'c'",
        ),
        (
            {"script": "enclave_point", "options": {"encrypted": "k"}},
            {},
            POSTGRESQL,
            "encrypted is unknown to enclave_point: it takes create-secondary",
        ),
        (
            {"script": "enclave_point", "options": {"db-ps-mode": "disable"}},
            {},
            POSTGRESQL,
            "enclave_point reads results that only prepared statements have: leave db-ps-mode out",
        ),
        (
            {"script": "enclave_write", "options": {"db_ps_mode": "disable"}},
            ENCLAVE,
            POSTGRESQL,
            "enclave_write reads results that only prepared statements have",
        ),
        (
            {"script": "enclave_point", "options": {"lookup": "k", "create-secondary": "off"}},
            {},
            POSTGRESQL,
            "create-secondary: enclave_point finds its rows by k, which has no index without it",
        ),
        (
            {"script": "enclave_range", "options": {"lookup": "k", "create_secondary": "false"}},
            ENCLAVE,
            POSTGRESQL,
            "create-secondary: enclave_range finds its rows by k, which has no index without it",
        ),
        (
            {"script": "enclave_write", "options": {"lookup": "k", "create-secondary": "off"}},
            {},
            POSTGRESQL,
            "enclave_write finds its rows by id: leave lookup out",
        ),
        (
            {"script": "enclave_range", "options": {"range-size": "0"}},
            {},
            POSTGRESQL,
            "range-size: enclave_range reads a sum, and a range without a row has none: write 1",
        ),
        (
            {"script": "enclave_range", "options": {"range_size": "0.9"}},
            ENCLAVE,
            POSTGRESQL,
            "range-size: enclave_range reads a sum, and a range without a row has none: write 1",
        ),
        (
            {"script": "enclave_write", "tableSize": 999},
            ENCLAVE,
            POSTGRESQL,
            "reads a table of 999 rows without its index, whose use is part of the proof",
        ),
    ],
)
def test_what_does_not(
    test: dict[str, Any], mode: dict[str, Any], on: InstanceTemplateSpec, why: str
) -> None:
    found = said(test, EncryptionModeSpec.model_validate(mode), on)
    assert len(found) == 1
    assert why in found[0]


@pytest.mark.parametrize(
    ("rows", "options", "fits"),
    [
        (21_474_836, {}, True),
        (21_474_837, {}, False),
        (50_000_000, {"lookup": "k"}, False),
        (1_000_000, {"range-size": "2147"}, True),
        (1_000_000, {"range-size": "5000"}, False),
        (1_000_000, {"range_size": "2148"}, False),
    ],
)
def test_sums_of_encrypted_values_stay_encrypted_integers(
    rows: int, options: dict[str, str], fits: bool
) -> None:
    test = {"script": "enclave_range", "tableSize": rows, "options": options}
    found = said(test, MODE, POSTGRESQL)
    assert len(found) == (0 if fits else 1)
    plain_k = EncryptionModeSpec.model_validate(
        {"columns": {"method": "enclave", "list": ["sbtest.c"], "enclave": {}}}
    )
    for mode in (EncryptionModeSpec(), plain_k):
        assert said(test, mode, POSTGRESQL) == []
    assert said({**test, "script": "enclave_point"}, MODE, POSTGRESQL) == []


def test_the_range_that_would_fit_is_named() -> None:
    test = {"script": "enclave_range", "tableSize": 50_000_000}
    (found,) = said(test, MODE, POSTGRESQL)
    assert "write range-size: '42' or less, a smaller tableSize, or a mode" in found
    no_number = {**test, "options": {"range-size": "many"}}
    assert said(no_number, MODE, POSTGRESQL) == [
        "sysbench.options range-size: write a number, not 'many'"
    ]


def test_only_ranges_have_a_range_size_that_counts() -> None:
    for name, size in (("point", "0"), ("write", "0"), ("range", "1"), ("range", "1.5")):
        test = {"script": f"enclave_{name}", "options": {"range-size": size}}
        assert said(test, MODE, POSTGRESQL) == []


@pytest.mark.parametrize(
    ("rows", "size", "options", "ratio", "fits"),
    [
        (1000, "100", {}, 75, True),
        (1000, "101", {}, 75, False),
        (100_000, "10000", {}, 75, True),
        (100_000, "10001", {}, 75, False),
        # By an encrypted key the server expects few rows of any range.
        (1000, "1000", {}, 100, True),
        (1000, "1000", {"lookup": "k"}, 75, True),
        # The table is too small as it is.
        (999, "100", {}, 75, True),
    ],
)
def test_a_range_by_a_plain_key_is_a_small_part_of_its_table(
    rows: int, size: str, options: dict[str, str], ratio: int, fits: bool
) -> None:
    options = {"range-size": size, **options}
    test = {"script": "enclave_range", "tableSize": rows, "options": options}
    mode = EncryptionModeSpec.model_validate({"columns": {**ENCLAVE["columns"], "ratio": ratio}})
    found = [one for one in said(test, mode, POSTGRESQL) if "read the table without" in one]
    assert len(found) == (0 if fits else 1)
    assert all(f"write range-size: '{rows // 10}' or less, or a larger" in one for one in found)
    assert said(test, EncryptionModeSpec(), POSTGRESQL) == [], "no proof looks"
    points = said({**test, "script": "enclave_point"}, mode, POSTGRESQL)
    assert not any("range-size" in one for one in points)


@pytest.mark.parametrize("options", [{}, {"create-secondary": "off"}])
def test_a_table_is_large_enough_for_its_index(options: dict[str, str]) -> None:
    test = {"script": "enclave_point", "tableSize": 1000, "options": options}
    assert said(test, MODE, POSTGRESQL) == []
    assert said({**test, "tableSize": 1}, EncryptionModeSpec(), POSTGRESQL) == []


@pytest.mark.parametrize(
    ("costs", "why"),
    [
        ({"transition": "1ns"}, "transition: 1ns is too short to be proven"),
        ({"transition": "1us"}, "transition: 1us is too short to be proven"),
        ({"transition": "4999ns"}, "more than the 5 % that a proof allows: write 5us at least"),
        ({"transition": "5us"}, None),
        ({"transition": "1ms", "value": "20us"}, None),
        ({"transition": "0us", "value": "0ms"}, None),
        ({"transition": "1ms", "value": "21us"}, "value: 21us is too long to be proven"),
        ({"value": "82us"}, None),
        ({"value": "83us"}, "value: 83us is too long to be proven"),
        ({"value": "1ms"}, "must end in time on a small server, too: write 82us at most"),
    ],
)
def test_costs_that_a_proof_can_measure(costs: dict[str, str], why: str | None) -> None:
    columns = {**ENCLAVE["columns"], "enclave": costs}
    mode = EncryptionModeSpec.model_validate({"columns": columns})
    found = said({"script": "enclave_point"}, mode, POSTGRESQL)
    assert len(found) == (0 if why is None else 1)
    assert why is None or why in found[0]


@pytest.mark.parametrize(("ratio", "count"), [(75, 1), (100, 0)])
def test_page_batching_where_the_only_encrypted_index_is_left_out(ratio: int, count: int) -> None:
    columns = {"method": "enclave", "ratio": ratio, "enclave": {"index": "PageBatch"}}
    mode = EncryptionModeSpec.model_validate({"columns": columns})
    test = {"script": "enclave_point", "options": {"create-secondary": "off"}}
    found = said(test, mode, POSTGRESQL)
    assert len(found) == count
    assert all("leave create-secondary out of sysbench.options, or leave" in one for one in found)
    assert said({"script": "enclave_point"}, mode, POSTGRESQL) == []


def test_page_batching_without_an_encrypted_index() -> None:
    columns = {"method": "enclave", "list": ["sbtest.c"], "enclave": {"index": "PageBatch"}}
    mode = EncryptionModeSpec.model_validate({"columns": columns})
    (found,) = said({"script": "enclave_point"}, mode, POSTGRESQL)
    assert "add sbtest.k to columns.list, or leave index out" in found


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("sbtest.d", "sbtest.d is not a column of encbench's tables: write any of sbtest.id"),
        ("sbtest1.c", "encrypted types are those of all tables alike: write sbtest.c"),
        ("other.c", "other.c is not a column of encbench's tables"),
    ],
)
def test_columns_that_the_tables_lack(name: str, why: str) -> None:
    columns = {"method": "enclave", "list": [name], "enclave": {}}
    mode = EncryptionModeSpec.model_validate({"columns": columns})
    (found,) = said({"script": "enclave_point"}, mode, POSTGRESQL)
    assert why in found
