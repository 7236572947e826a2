"""sysbench's command lines."""

import pytest

from encbench.tools.sysbench.command import load_command, replica_arguments, run_command, shares
from tests.support.workloads import CUSTOM, workload_spec


def test_warm_up_and_window_are_one_run_with_a_checkpoint_between() -> None:
    words = run_command(workload_spec(), "db")
    assert "--time=7" in words
    assert "--report-checkpoints=2" in words
    assert words[-2:] == ["oltp_read_write", "run"]


def test_no_warm_up_is_no_checkpoint() -> None:
    words = run_command(workload_spec(load={"warmup": "0s"}), "db")
    assert "--time=5" in words
    assert not [word for word in words if "checkpoints" in word]


def test_no_secret_on_the_command_line() -> None:
    words = run_command(workload_spec(), "db")
    assert not [word for word in words if "password" in word or "user" in word]
    assert "--config-file=/etc/encbench/sysbench/sysbench.conf" in words


def test_the_users_options_and_dataset() -> None:
    spec = workload_spec({"tables": 3, "tableSize": 7, "options": {"range-size": "5"}})
    words = run_command(spec, "db")
    assert {"--tables=3", "--table-size=7", "--range-size=5"} <= set(words)


def test_a_script_of_the_users_own_is_a_path() -> None:
    spec = workload_spec(CUSTOM)
    assert run_command(spec, "db")[-2:] == ["/etc/encbench/script/transfer.lua", "run"]
    assert load_command(spec.sysbench, "db", 1)[-1] == "/etc/encbench/script/transfer.lua"


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
