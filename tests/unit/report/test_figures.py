"""The table of figures names fields that exist, and leaves none out."""

from encbench.api.overheadreport import Row
from encbench.report.document.group import LayerStep
from encbench.report.document.trial import TrialView
from encbench.report.figures import CPU, FIGURES, IN_STEPS, JUDGED, RECOVERY, TPS, judged

PLACE = {"instance", "workload", "concurrency", "arm", "role", "blocks", "planned_blocks"}
"""Fields of a row that say which row it is, or what it rests on."""


def test_rows_hold_the_figures_and_nothing_else() -> None:
    named = {figure.field for figure in FIGURES} | {figure.points for figure in FIGURES}
    named |= {figure.overhead for figure in JUDGED.values()}
    named |= {figure.verdict for figure in JUDGED.values()}
    assert set(Row.model_fields) == (named - {""}) | PLACE | {"saturation", "figure"}


def test_every_figure_is_one_of_a_trial() -> None:
    assert {figure.field for figure in FIGURES} <= set(TrialView.model_fields)


def test_steps_hold_the_changes_of_their_figures() -> None:
    named = {figure.step for figure in IN_STEPS}
    fields = set(LayerStep.model_fields) - {"arm", "before", "layers", "blocks"}
    of_finding = {"verdict", "obstacle", "why", "bar", "placement", "carried"}
    assert fields == (named - {""}) | of_finding | {"instead", "cpu"}


def test_a_recovery_is_judged_by_its_seconds_alone() -> None:
    assert judged(recovery=True) == (RECOVERY,)
    assert judged(recovery=False)[0] is TPS
    assert RECOVERY not in judged(recovery=False)


def test_where_tps_is_as_offered_cpu_comes_first() -> None:
    found = judged(recovery=False, as_offered=True)
    assert found[0] is CPU
    assert set(found) == set(judged(recovery=False)) - {TPS}
