"""Drivers that encrypt columns."""

from dataclasses import replace

import pytest

from encbench.report.analysis.caveats import columns, tpcc
from tests.data.report.golden import DRIVER
from tests.unit.report.analysis.caveats.studies import CALM, outside, unmeasured


@pytest.mark.parametrize(
    ("count", "encrypts", "exchanges", "runs"),
    [
        (1, "a encrypts", "a only exchanges", "a runs"),
        (2, "a and b encrypt ", "b only exchange ", "a and b run "),
    ],
)
def test_the_verb_follows_the_count(count: int, encrypts: str, exchanges: str, runs: str) -> None:
    names = ("a", "b")[:count]
    modes = {name: {"driver": DRIVER} for name in names}
    study = replace(CALM, blocks=2, tpcc=True, workloads=names, instances=names, modes=modes)
    facts = unmeasured(replace(study, loss=dict.fromkeys(names, 0.1)))
    resolved = facts.resolved.model_copy(update={"instances": outside(facts)})
    (caveat,) = columns.driver_before_external(replace(facts, resolved=resolved))
    assert encrypts in caveat.text
    assert exchanges in caveat.text
    (caveat,) = tpcc.no_tpc_result(facts)
    assert runs in caveat.text
