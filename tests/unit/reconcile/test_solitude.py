"""For how long a trial is expected to need its nodes."""

from dataclasses import replace

from encbench.api.tpcc import Tpcc
from encbench.api.workload import Recovery
from encbench.reconcile.trial.solitude import AROUND, expected
from encbench.tools.turns import load_seconds
from tests.unit.reconcile.seen import a_trial


def test_of_what_follows_the_load_no_time_is_planned() -> None:
    usual = a_trial()
    assert expected(usual, is_external=False) == load_seconds(usual.spec) + AROUND
    for what in (
        {"recovery": Recovery(stop="Crash")},
        {"tpcc": Tpcc(warehouses=1), "sysbench": None},
    ):
        workload = usual.spec.workload.model_copy(update=what)
        spec = usual.spec.model_copy(update={"workload": workload})
        trial = replace(usual, spec=spec)
        assert expected(trial, is_external=False) is None
    # The agent beside the database asks TPC-C's queries, and an external one has none.
    assert expected(trial, is_external=True) == load_seconds(spec) + AROUND
