"""The page: one self-contained HTML file with inline CSS and SVG, no script, no network.

The template holds the words and the order. This module prepares its data, so every figure on the
page comes from the report and is formatted by `text`.
"""

from functools import partial

from encbench.core.plan import block_name
from encbench.report.document import Report
from encbench.report.document.group import Group, PairedComparison
from encbench.report.figures import JUDGED
from encbench.report.formats import cards, layertables, pooled, tables, turntables
from encbench.report.formats.markdown import LAYERS, intervals
from encbench.report.formats.page.conditions import results, timelines
from encbench.report.formats.page.environment import environment
from encbench.report.formats.tables import TableColumn
from encbench.report.words import conduct, judgement, text
from encbench.text.lines import unbroken
from encbench.text.words import plural


def page(report: Report) -> str:
    """The report as HTML."""
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            report=report,
            text=text,
            plural=plural,
            unbroken=unbroken,
            verdicts=cards.VERDICTS,
            cards=[cards.card(report, headline) for headline in report.headlines],
            results=results(report),
            glances=_glances(report),
            figures=JUDGED,
            how_layers=LAYERS,
            how_intervals=intervals(report),
            pooled=_pooled(report),
            how_turns=turntables.HOW,
            studies=[(found.title, layertables.study(found)) for found in report.studies],
            shares=[layertables.share(one) for one in report.encrypted_columns],
            columns=layertables.columns(report.encrypted_columns),
            plan=conduct.plan(report),
            placement=conduct.placement(report),
            external=conduct.external(report),
            repeat=conduct.repeat(report),
            searches=conduct.searches(report),
            disturbances=conduct.disturbances(report),
            used=list(dict.fromkeys(c.verdict for g in report.groups for c in g.comparisons)),
            timelines=timelines(report),
            floors=tables.judged_in(report.groups),
            serious=[caveat for caveat in report.caveats if caveat.weight == "serious"],
            by_arm=judgement.by_arm(report.ended),
            bad=[trial for trial in report.trials if trial.outcome != "Succeeded"],
            block_name=partial(block_name, report.spec.blocks),
        )
    )


def _pooled(report: Report) -> tuple[str, str, list[TableColumn]] | None:
    """Of a follow-up: heading, words, and the table, without columns where nothing is pooled."""
    if report.pooling is None:
        return None
    any_pooled = any(group.pooled for group in report.groups)
    return (
        pooled.title(report.pooling),
        pooled.words(report, report.pooling),
        pooled.compared(report, report.pooling) if any_pooled else [],
    )


def _glances(report: Report) -> list[tuple[Group, list[PairedComparison | None]]]:
    """Each condition with how its treatments were judged; empty where the cards show all that."""
    if len(report.groups) * len(report.treatments) <= len(report.headlines):
        return []
    names = [arm.name for arm in report.treatments]
    return [(group, [group.comparison(name) for name in names]) for group in report.groups]
