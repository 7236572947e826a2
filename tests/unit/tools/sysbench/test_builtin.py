"""What each script that the API allows must be known by: a further one fails here."""

from typing import get_args

import pytest

from encbench.api.campaign import Blocks
from encbench.api.workload import READ_ONLY_SCRIPTS, BuiltinScript, EnclaveScript
from encbench.core.dataset import dataset_key
from encbench.tools.sysbench import enclave
from encbench.tools.sysbench.builtin import COMMON, SCRIPTS
from encbench.tools.sysbench.memory import statements
from encbench.tools.sysbench.problems import problems
from tests.support.workloads import workload_spec

BUILT_IN: tuple[str, ...] = get_args(BuiltinScript)
OWN: tuple[str, ...] = get_args(EnclaveScript)
WRITE = {
    *("enclave_write", "oltp_delete", "oltp_insert", "oltp_read_write", "oltp_update_index"),
    *("oltp_update_non_index", "oltp_write_only"),
}
PREPARES_NONE = "oltp_insert"


def test_its_options_are_known() -> None:
    assert {*BUILT_IN} == SCRIPTS.keys() - {"oltp_common"}
    assert {*OWN} == {f"enclave_{name}" for name in enclave.STATEMENTS}
    for script in (*BUILT_IN, *OWN):
        unknown = workload_spec({"script": script, "options": {"zzz": "1"}})
        (problem,) = problems(unknown, None, Blocks())
        assert f"is unknown to {script}: it takes " in problem.text


@pytest.mark.parametrize("script", [*BUILT_IN, *OWN])
def test_its_statements_are_counted(script: str) -> None:
    assert bool(statements(workload_spec({"script": script}))) != (script == PREPARES_NONE)


def test_a_script_that_nobody_has_counted_is_not_taken_to_prepare_none() -> None:
    spec = workload_spec()
    sysbench = spec.sysbench_test.model_copy(update={"script": "oltp_new"})
    with pytest.raises(KeyError, match="oltp_new"):
        statements(spec.model_copy(update={"sysbench": sysbench}))


def test_it_makes_the_tables_of_all_others() -> None:
    """Those of oltp_common.lua, which declares the options: `core.dataset` has them all alike."""
    assert all(COMMON.items() <= SCRIPTS[script].items() for script in BUILT_IN)
    assert len({dataset_key(workload_spec({"script": script})) for script in BUILT_IN}) == 1


def test_it_reads_alone_or_it_writes() -> None:
    assert WRITE.isdisjoint(READ_ONLY_SCRIPTS)
    assert {*READ_ONLY_SCRIPTS} | WRITE == {*BUILT_IN, *OWN}
