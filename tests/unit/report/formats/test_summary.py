"""The terminal's table."""

from encbench.api.overheadreport import Artefact, Artefacts, OverheadReportStatus
from encbench.report.analysis.build import to_status
from encbench.report.formats.summary import text
from encbench.text.lines import WIDTH
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Study

KEY = Artefact(key="bench/demo/report/report.html", digest="sha256:" + "0" * 64)


def status(study: Study) -> OverheadReportStatus:
    return to_status(report_of(study))


def test_columns_line_up_and_lines_have_no_tail() -> None:
    found = status(
        Study(blocks=2, colocated=True, fail={(4, 1, "tde"): ("Invalid", "ClientThrottled")})
    )
    artefacts = Artefacts(bucket="encbench", index=KEY, html=KEY, markdown=KEY, csv=KEY, json_=KEY)
    lines = text(found.model_copy(update={"artefacts": artefacts})).splitlines()
    head = next(n for n, line in enumerate(lines) if line.startswith("INSTANCE"))
    assert all(len(line) <= WIDTH for line in lines[:head])
    place = lines[head].index("VERDICT")
    assert {line[place:] for line in lines[head + 1 : head + 7]} == {
        f"{verdict:12}  TPS"
        for verdict in ("Baseline", "NoiseFloor", found.rows[2].verdict, found.rows[5].verdict)
    }
    assert all(line[place - 1] == " " for line in lines[head : head + 7])
    assert "excluded     1 ClientThrottled" in lines
    caveats = [one.title for one in found.caveats if one.weight == "serious"]
    assert "Client and database shared a node" in caveats
    at = lines.index(f"caveat       {caveats[0]}")
    assert lines[at : at + len(caveats)] == [f"caveat       {title}" for title in caveats]
    notes = len(found.caveats) - len(caveats)
    assert lines[at + len(caveats)] == f"notes        {notes} on the page"
    assert lines[-1] == "page         s3://encbench/bench/demo/report/report.html"
    assert all(line == line.rstrip() for line in lines)


def test_without_an_interval_no_dash_stands_for_one() -> None:
    (row,) = [line for line in text(status(Study(blocks=1))).splitlines() if " 16  tde " in line]
    assert "–" not in row


def test_a_report_without_rows_is_its_headline() -> None:
    assert text(OverheadReportStatus(headline="no data")) == "no data\n"
