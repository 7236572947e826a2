"""What sysbench's threads prepare, and the memory that they are refused for."""

import re
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import InstanceTemplateSpec
from encbench.api.workload import WorkloadSpec
from encbench.tools.registry import tool
from encbench.tools.sysbench.memory import statements
from tests.support.testbeds import instance
from tests.support.workloads import workload_spec

INSTANCE = InstanceTemplateSpec.model_validate(instance())
TLS = EncryptionModeSpec.model_validate({"inTransit": {}})


def workload(script: str = "oltp_read_write", tables: int = 20, **options: str) -> WorkloadSpec:
    return workload_spec({"script": script, "tables": tables, "options": options})


@pytest.mark.parametrize(
    ("script", "tables", "count"),
    [
        ("oltp_read_write", 128, 9 * 128 + 2),
        ("oltp_read_only", 20, 5 * 20 + 2),
        ("oltp_write_only", 20, 4 * 20 + 2),
        ("oltp_point_select", 20, 20),
        ("oltp_update_index", 20, 20),
        ("oltp_update_non_index", 20, 20),
        ("oltp_delete", 20, 20),
        ("oltp_insert", 20, 0),
        ("select_random_points", 1, 1),
        ("select_random_ranges", 1, 1),
    ],
)
def test_each_script_prepares_its_statements_for_each_table(
    script: str, tables: int, count: int
) -> None:
    assert statements(workload(script, tables)) == count


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({"db-ps-mode": "disable"}, 0),
        ({"db_ps_mode": "disable"}, 0),
        ({"range-selects": "off"}, 20 + 2),
        ({"skip_trx": "on"}, 100),
    ],
)
def test_options_change_it(options: dict[str, str], count: int) -> None:
    assert statements(workload("oltp_read_only", 20, **options)) == count


def test_a_script_of_the_users_is_taken_to_prepare_none() -> None:
    own = workload_spec({"scriptConfigMapRef": {"name": "mine", "key": "mine.lua"}})
    assert statements(own) == 0


def many(memory: str, threads: int = 2048, **client: Any) -> WorkloadSpec:
    made = workload("oltp_read_only", 20).to_dict()
    made["load"]["concurrency"] = [8, threads]
    made["client"]["resources"] = {"cpu": "1", "memory": memory}
    made["client"] |= client
    return WorkloadSpec.model_validate(made)


def problems(spec: WorkloadSpec, mode: EncryptionModeSpec | None = None) -> list[str]:
    found = tool(spec).pair_problems(spec, INSTANCE, mode or EncryptionModeSpec())
    return [problem.text for problem in found]


def test_fewer_tables_are_advised_where_statements_are_prepared_for_each() -> None:
    (problem,) = problems(many("256Mi"))
    assert "fewer sysbench.tables, or a lower load.concurrency" in problem
    made = many("256Mi").to_dict()
    made["sysbench"]["options"] = {"db-ps-mode": "disable"}
    (problem,) = problems(WorkloadSpec.model_validate(made))
    assert "more client.replicas, or a lower load.concurrency" in problem


def test_a_client_that_does_not_hold_its_threads_is_refused_with_a_size() -> None:
    (problem,) = problems(many("256Mi"))
    assert "client.resources.memory of 256Mi does not hold 2,048 connections" in problem
    assert "102 prepared statements each" in problem
    found = re.search(r"write ([0-9]+)Mi or more", problem)
    assert found
    assert problems(many(f"{found[1]}Mi")) == [], "the advice is good"
    assert problems(many(f"{found[1]}Mi"), TLS) != [], "TLS takes more of the client"


def test_replicas_share_the_threads() -> None:
    assert problems(many("1Gi", 2048)) != []
    assert problems(many("1Gi", 2048, replicas=4)) == []


def test_few_threads_fit_into_the_least() -> None:
    assert problems(many("64Mi", 16), TLS) == []
