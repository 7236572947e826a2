"""The renderings of an audit; and our own report.csv, which must stand the test itself."""

import csv
import io
import json
from pathlib import Path

from encbench.audit import render
from encbench.audit.audit import audit
from encbench.audit.tables import read
from encbench.report.formats.csvrows import columns
from encbench.text.lines import WIDTH
from tests.unit.audit.reference import ALL

DATA = Path(__file__).resolve().parents[2] / "data"


def test_text_has_a_table_for_each_claim_and_a_sentence_for_each_finding() -> None:
    said = render.text(ALL)
    assert "polardbx_ratio.csv: published_overhead_percent by 1 − tps/plaintext_tps" in said
    lines = said.splitlines()
    (row,) = [line for line in lines if line.startswith("4x8c64g   512 ")]
    assert row.split() == [
        *("4x8c64g", "512", "292,481", "252,741", "13", "%", "13.59", "%", "rounding", "slip")
    ]
    folded = " ".join(said.split())
    for number, finding in enumerate(ALL.findings, 1):
        assert f"{number}. {finding.text}" in folded
    assert "44 of 48 published overheads follow" in folded
    words = said[said.index("44 of 48") :]
    assert max(len(line) for line in words.splitlines()) <= WIDTH


def test_json_is_the_audit() -> None:
    document = json.loads(render.json_document(ALL))
    assert document["schema"] == "encbench.io/audit/v1"
    counted = {verdict: count for verdict, count in document["counts"].items() if count}
    assert counted == {"follows": 44, "slip": 2, "contradiction": 2}
    assert document["counts"].keys() == render.SAYS.keys()
    assert len(document["checks"]) == 48
    assert [f["text"] for f in document["findings"]] == [f.text for f in ALL.findings]
    slip = next(c for c in document["checks"] if c["verdict"] == "slip")
    assert (slip["file"], slip["line"], slip["published"]) == ("polardbx_tpcc_tps.csv", 10, "13")
    assert slip["lowest"] < slip["recomputed"] < slip["highest"]


def test_csv_has_every_check_and_every_finding() -> None:
    rows = list(csv.DictReader(io.StringIO(render.csv_rows(ALL))))
    assert len([row for row in rows if row["published"]]) == 48
    said = "\n".join(row["finding"] for row in rows)
    assert all(said.count(finding.text) == 1 for finding in ALL.findings)
    denied = [row for row in rows if not row["published"]]
    assert {row["column"] for row in denied} == {"client_cpu_before_percent"}


def test_markdown_has_tables_that_are_tables() -> None:
    said = render.markdown(ALL)
    tables = [block for block in said.split("\n\n") if block.startswith("|")]
    assert len(tables) == 6
    for table in tables:
        assert len({line.replace("\\|", "").count("|") for line in table.splitlines()}) == 1
    assert "published\\_overhead\\_percent" in said


def test_our_own_report_follows_from_its_figures() -> None:
    content = (DATA / "report" / "expected" / "report.csv").read_bytes()
    found = audit([read("report.csv", content)], None)
    assert not found.findings
    assert len(found.checks) == 16, "five changes and three differences under two conditions"
    assert set(found.counts) == {"follows"}


def test_the_shape_of_our_own_report_is_that_of_its_columns() -> None:
    from encbench.audit.known import KNOWN

    (own,) = [shape for shape in KNOWN if shape.baseline]
    ours = set(columns(0.05))
    assert own.columns | {"role"} <= ours
    for claim in own.claims:
        assert {claim.plain, claim.encrypted} <= ours
