"""Sixteen campaigns of a known study, a night apart: TEST DATA, made up from a seed.

The first two ran under an older kernel. On 2026-01-11 the loss at 4 threads rose from 8 to 12 %;
that at 16 threads stayed at 8 %. `python -m tests.data.report.nights` renews the golden files.
"""

import random
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from encbench.api.conditions import format_time
from encbench.api.overheadreport import Interval
from encbench.report.document import Report
from encbench.report.document.group import Group
from encbench.report.history.renderings import json_document, text
from encbench.report.history.series import History, history
from tests.data.report.golden import known

FOLDER = Path(__file__).parent / "expected" / "history"
NIGHTS, OLDER, ROSE = 16, 2, 10
BEGIN = datetime(2026, 1, 1, 1, 30, tzinfo=UTC)


def night(number: int) -> Report:
    """The report of one night."""
    drawn = random.Random(number)
    report = known()
    campaign = report.campaign.model_copy(
        update={"name": f"night-{number + 1}", "uid": f"uid-{number}"}
    )
    origin = report.provenance
    facts = tuple(
        one.model_copy(
            update={"values": tuple(v.model_copy(update={"value": "6.1.0"}) for v in one.values)}
        )
        if one.name == "Kernel" and number < OLDER
        else one
        for one in origin.facts
    )
    return report.model_copy(
        update={
            "campaign": campaign,
            "start_time": format_time(BEGIN + timedelta(days=number)),
            "provenance": origin.model_copy(update={"facts": facts}),
            "groups": tuple(_group(one, number, drawn) for one in report.groups),
        }
    )


def _group(group: Group, number: int, drawn: random.Random) -> Group:
    true = 0.12 if group.concurrency == 4 and number >= ROSE else 0.08
    estimate = round(drawn.gauss(true, 0.008), 6)
    overhead = Interval(
        estimate=estimate, low=round(estimate - 0.02, 6), high=round(estimate + 0.02, 6)
    )
    rows = tuple(
        row.model_copy(update={"overhead": overhead}) if row.role == "treatment" else row
        for row in group.rows
    )
    return group.model_copy(update={"rows": rows})


@cache
def nights() -> tuple[Report, ...]:
    return tuple(night(number) for number in range(NIGHTS))


@cache
def the_history() -> History:
    return history(nights())


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "history.txt").write_text(text(the_history()), encoding="utf-8")
    (FOLDER / "history.json").write_text(json_document(the_history()), encoding="utf-8")


if __name__ == "__main__":
    main()
