"""Any CSV by naming its columns: joins, formulas, units, and what is refused with advice."""

import csv
import io
import json

import pytest

from encbench.audit import render
from encbench.audit.audit import Audit, audit
from encbench.audit.naming import Naming
from encbench.audit.tables import BadInput, read

LOSS = Naming("plain", "enc", "loss")


def audited(naming: Naming | None, **files: str) -> Audit:
    return audit([read(f"{name}.csv", text.encode()) for name, text in files.items()], naming)


def verdicts(found: Audit) -> list[str]:
    return [check.verdict for check in found.checks]


def test_loss_in_percent() -> None:
    found = audited(
        LOSS, t="threads,plain,enc,loss\n1,100.0,90.0,10\n2,100.0,90.0,12\n4,100.0,88.4,11"
    )
    assert verdicts(found) == ["follows", "contradiction", "slip"]
    assert "t.csv, line 3 (threads 2): published is 12 %, but 1 − 90.0/100.0 is 10.00 %" in (
        found.findings[0].text
    )


@pytest.mark.parametrize(
    ("formula", "percent", "published"),
    [
        ("loss", True, "50"),
        ("loss", False, "0.50"),
        ("loss", None, "50"),
        ("loss", False, "50 %"),
        ("ratio", None, "2.0"),
        ("ratio", True, "200"),
        ("increase", True, "-50"),
        ("points", None, "-50.0"),
    ],
)
def test_formulas_and_units(formula: str, percent: bool | None, published: str) -> None:
    naming = Naming("plain", "enc", "loss", formula, percent)
    table = "plain,enc,loss\n100.00,50.00,{}\n"
    assert verdicts(audited(naming, t=table.format(published))) == ["follows"]
    assert verdicts(audited(naming, t=table.format("7.1"))) == ["contradiction"]


@pytest.mark.parametrize(
    ("names", "row", "percent"),
    [
        ("plain,enc", "45.2%,71.1%,25.9%", None),
        ("plain,enc", "45.2 %,71.1 %,25.9", None),
        ("plain,enc", "45.2%,71.1%,25.9", True),
        ("CPU % off,CPU % on", "45.2,71.1,25.9 %", None),
        ("off_percent,on_percent", "45.2,71.1,25.9", True),
        ("plain,enc", "0.452,0.711,25.9 %", None),
    ],
)
def test_points_of_percentages_are_percentages(names: str, row: str, percent: bool | None) -> None:
    plain, encrypted = names.split(",")
    naming = Naming(plain, encrypted, "points", "points", percent)
    found = audited(naming, t=f"{names},points\n{row}\n")
    assert verdicts(found) == ["follows"]
    assert not found.findings


def test_the_plain_figure_is_joined_from_another_file() -> None:
    found = audited(
        LOSS,
        claims="instance,threads,enc,loss\na,8,80,20\nb,8,80,20\n",
        plain='instance,terminals,plain\nb,8,200\na,"8",100\n',
    )
    assert verdicts(found) == ["follows", "contradiction"]
    assert "(plain of plain.csv, line 2)" in found.findings[0].text


@pytest.mark.parametrize("keys", ["Instance,Threads", "INSTANCE,THREADS", "instance,Terminals"])
def test_a_join_takes_keys_in_any_case(keys: str) -> None:
    found = audited(
        LOSS,
        claims="instance,threads,Host,enc,loss\na,8,h,80,20\nb,8,h,80,20\n",
        plain=f"{keys},host,plain\nb,8,h,200\na,8,h,100\na,8,i,300\n",
    )
    assert verdicts(found) == ["follows", "contradiction"]


def test_tables_are_held_to_each_other_as_they_are_printed() -> None:
    """A column of thousands that may be rounded does not agree with what is a thousand off."""
    found = audited(
        Naming("plain", "enc", "loss"),
        one="size,plain,enc,loss\ns,10000,9000,10\nm,11000,9900,10\nl,25000,22500,10\n",
        two="size,plain\ns,11000\nm,12000\nl,26000\n",
    )
    assert [one.kind for one in found.findings] == ["contradiction"] * 3


def test_clients_may_be_a_key_beside_threads() -> None:
    found = audited(
        LOSS, claims="threads,clients,enc,loss\n8,2,80,20\n", plain="clients,plain\n2,100\n"
    )
    assert verdicts(found) == ["follows"]


def test_a_join_by_fewer_keys() -> None:
    found = audited(
        LOSS,
        claims="instance,mode,enc,loss\na,x,80,20\na,y,50,50\n",
        plain="instance,plain\na,100\n",
    )
    assert verdicts(found) == ["follows", "follows"]


def test_a_join_that_fits_twice_asks_for_a_key() -> None:
    with pytest.raises(BadInput, match=r"line 2 .* fits lines 2, 3 of plain.csv: name .* --key"):
        audited(
            LOSS,
            claims="instance,enc,loss\na,80,20\n",
            plain="instance,run,plain\na,1,100\na,2,120\n",
        )


def test_two_plain_rows_of_a_known_header_need_columns_named_or_a_line_less() -> None:
    keys = "instance,concurrency,published_overhead_percent"
    whole = f"{keys},encrypted_100pct_tps,plaintext_tps\na,8,20,80,100\na,8,20,96,120\n"
    shares = f"{keys},encrypted_columns_percent,tps,client_cpu_percent\na,8,20,100,80,50\n"
    with pytest.raises(BadInput, match="--key, which needs --plain and --encrypted, or leave all"):
        audited(None, shares=shares, whole=whole)


def test_a_plain_figure_that_is_nowhere_is_said() -> None:
    found = audited(LOSS, claims="instance,enc,loss\nc,80,20\n", plain="instance,plain\na,100\n")
    assert verdicts(found) == ["unchecked"]
    assert "no file has its plain (by instance)" in found.findings[0].text


def test_a_claim_without_keys_has_no_plain_figure_elsewhere() -> None:
    found = audited(LOSS, claims="enc,loss\n80,20\n", plain="instance,plain\na,100\n")
    assert verdicts(found) == ["unchecked"]
    assert "no file has its plain (by no key)" in found.findings[0].text


def test_a_baseline_that_no_row_has_is_said() -> None:
    naming = Naming("tps", "tps", "loss", baseline=("mode", "none"))
    found = audited(naming, t="instance,mode,tps,loss\na,off,100.0,\na,on,90.0,10\n")
    assert {*verdicts(found)} == {"unchecked"}
    assert "no row with mode none has its tps (by instance)" in found.findings[0].text


def test_rows_of_their_own_for_each_arm() -> None:
    naming = Naming("tps", "tps", "loss", baseline=("mode", "off"))
    table = "instance,mode,tps,loss\na,off,100.0,\na,on,90.0,10\nb,on,90.0,55\nb,off,200.0,\n"
    assert verdicts(audited(naming, t=table)) == ["follows", "follows"]


def test_two_files_that_print_one_figure_differently() -> None:
    found = audited(
        LOSS, one="instance,plain,enc,loss\na,100,80,20\n", two="instance,plain\na,150\n"
    )
    (finding,) = found.findings
    assert finding.kind == "contradiction"
    assert "plain 100 is not the plain 150 of two.csv, line 2" in finding.text


def test_figures_that_agree_within_their_rounding_are_no_finding() -> None:
    found = audited(
        LOSS, one="instance,plain,enc,loss\na,100.04,80.0,20\n", two="instance,plain\na,100\n"
    )
    assert not found.findings


def test_a_repeat_whose_overheads_all_follow_is_said_from_five_digits() -> None:
    table = "threads,plain,enc,loss\n1,{p}1,{e},{a}\n2,{p}9,{e},{a}\n"
    long = audited(LOSS, t=table.format(p="10000", e="90123", a="10"))
    short = audited(LOSS, t=table.format(p="10", e="90", a="11"))
    assert [finding.kind for finding in long.findings] == ["repeat"]
    assert "are hardly ever equal" in long.findings[0].text
    assert "repeat" not in [finding.kind for finding in short.findings]


def test_a_row_without_a_published_figure_is_passed_over() -> None:
    assert verdicts(audited(LOSS, t="plain,enc,loss\n100,90,10\n100,90,\n")) == ["follows"]


@pytest.mark.parametrize(
    ("plain", "encrypted", "published", "verdict"),
    [
        ("100.00", "86.41", "13", "slip"),
        ("100.00", "86.51", "13", "follows"),
        ("100.00", "96.51", "2", "contradiction"),
        ("100.00", "99.00", "0", "contradiction"),
        ("100.00", "99.01", "0", "slip"),
        ("10000", "8655", "13", "follows"),
        ("10000", "8650", "14", "follows"),
        ("10000", "8655", "14", "slip"),
    ],
)
def test_a_slip_is_at_most_half_a_step(
    plain: str, encrypted: str, published: str, verdict: str
) -> None:
    """3.49 % is never cut to 2 %, nor 1.00 % to 0 %; 13.45 % may be rounded twice to 14 %."""
    table = f"plain,enc,loss\n{plain},{encrypted},{published}\n"
    assert verdicts(audited(LOSS, t=table)) == [verdict]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no table"),
        ("plain,enc,loss\n", "has no table"),
        ("plain,enc,plain,loss\n1,2,3,4\n", "more than one column plain"),
        ("plain,enc,loss\n1,2\n", "line 2 has 2 cells where the header has 3"),
        ("plain,enc,loss\n1,x,3\n", "t.csv, line 2, column enc: 'x' is not a figure"),
        ("plain,enc\n1,2\n", "no file has a column loss: they have enc and plain"),
        ("plain,enc,loss\n1,2,\n", "every cell of it is empty"),
        ("instance,plain,enc,loss\na,1 ms,2,3\n", "column plain: '1 ms' is not a figure"),
        ('plain,enc,loss\n"0,200",1,3\n', "column plain: '0,200' is not a figure"),
        ("plain;enc;loss\n1,200;1,125;3\n", "'1,125' is not a figure: write digits with a point"),
    ],
)
def test_bad_input_is_refused_with_advice(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        audited(LOSS, t=text)


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(BadInput, match="is not text in UTF-8"):
        read("t.csv", b"plain\xff\n")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_any_spreadsheet_ends_them(end: str) -> None:
    lines = ("instance,note,tps_off", "", 'A,"two\nlines",100.5', "B,,90.2")
    table = read("mac.csv", end.join(lines).encode())
    assert [(row.line, row.cells["tps_off"]) for row in table.rows] == [(4, "100.5"), (5, "90.2")]


def test_an_unknown_header_asks_for_its_columns() -> None:
    with pytest.raises(BadInput, match="no known header: name its columns with --plain"):
        audited(None, t="a,b\n1,2\n")


def test_separators_and_byte_order_marks_of_spreadsheets() -> None:
    for text in ("plain;enc;loss\n100;90;10\n", "\ufeffplain\tenc\tloss\n100\t90\t10\n\n"):
        assert verdicts(audited(LOSS, t=text)) == ["follows"]


@pytest.mark.parametrize(
    "text",
    [
        '"a;b;c;d",enc,"x;y"\n100,90,10\n',
        '"TPS, off, on, all";enc;loss\n100;90;10\n',
        '"two\nlines";enc;loss\n100;90;10\n',
    ],
)
def test_a_separator_in_a_quoted_column_name_is_none(text: str) -> None:
    found = read("t.csv", text.encode())
    assert len(found.columns) == 3
    assert [*found.rows[0].cells.values()] == ["100", "90", "10"]


def test_without_a_published_overhead_loss_and_ratio_are_computed() -> None:
    found = audited(Naming("plain", "enc"), t="threads,plain,enc\n1,100.0,80.0\n2,100.0,\n")
    assert verdicts(found) == ["computed"]
    assert not found.findings
    (check,) = found.checks
    assert check.result == 20
    assert render.summary(found) == "1 overhead computed, because none is published."
    said = render.text(found)
    assert "PLAIN/ENCRYPTED" in said
    assert "20.00 %" in said and "1.2500" in said
    (line,) = json.loads(render.json_document(found))["checks"]
    assert (line["recomputed"], line["ratio"], line["published"]) == (20.0, "1.2500", None)


def test_two_variants_in_rows_of_their_own_need_no_published_overhead() -> None:
    naming = Naming("tps", "tps", baseline=("variant", "off"))
    table = "size,variant,tps\nsmall,off,100\nsmall,on,90\nbig,on,50\nbig,off,200\n"
    found = audited(naming, t=table)
    assert [check.result for check in found.checks] == [10, 75]


def test_one_column_for_both_needs_the_rows_to_be_told_apart() -> None:
    with pytest.raises(BadInput, match="both name tps: add --baseline COLUMN=VALUE"):
        audited(Naming("tps", "tps"), t="mode,tps\noff,100\non,90\n")


def test_an_unknown_file_does_not_keep_the_known_one_from_its_audit() -> None:
    known = "table,threads,disabled_ktps,enabled_ktps,published_overhead_percent\n{}\n"
    found = audited(None, strange="a,b\n1,2\n", known=known.format("t,8,100.0,80.0,50"))
    assert verdicts(found) == ["contradiction"]
    wrong, left_out = found.findings
    assert wrong.kind == "contradiction"
    assert left_out.kind == "unchecked"
    assert left_out.text.startswith("strange.csv has no known header: name its columns")
    rows = list(csv.DictReader(io.StringIO(render.csv_rows(found))))
    assert rows[-1]["finding"] == left_out.text
    alone = audited(None, strange="a,b\n1,2\n", known=known.format("t,8,100.0,80.0,20"))
    assert [finding.kind for finding in alone.findings] == ["unchecked"], "exit code 1 says so"


def test_beside_named_columns_a_known_file_is_read_as_what_it_is() -> None:
    found = audited(
        LOSS,
        mine="plain,enc,loss\n100,90,10\n",
        known="table,threads,disabled_ktps,enabled_ktps,published_overhead_percent\nt,8,90,45,50\n",
    )
    assert verdicts(found) == ["follows", "follows"]
    assert not found.findings


@pytest.mark.parametrize("column", ["benchmark", "version", "Cipher suite"])
def test_every_identifying_column_joins(column: str) -> None:
    """A column of that name, or one that holds text, without being named."""
    one, other = ("16", "17") if column == "version" else ("x", "y")
    found = audited(
        LOSS,
        claims=f"{column},enc,loss\n{one},80,20\n{other},80,60\n",
        plain=f"{column},plain\n{other},200\n{one},100\n",
    )
    assert verdicts(found) == ["follows", "follows"]
    swapped = audited(
        LOSS,
        claims=f"{column},enc,loss\n{one},80,60\n{other},80,20\n",
        plain=f"{column},plain\n{other},200\n{one},100\n",
    )
    assert verdicts(swapped) == ["contradiction", "contradiction"]
    assert f"{column} {one}" in swapped.findings[0].text


def test_a_text_column_of_one_file_does_not_keep_it_from_being_joined() -> None:
    found = audited(
        LOSS, claims="instance,enc,loss\na,80,20\n", plain="instance,host,plain\na,node-1,100\n"
    )
    assert verdicts(found) == ["follows"]


def test_a_key_that_the_plain_row_has_no_value_for_is_no_difference() -> None:
    naming = Naming("tps", "tps", "loss", baseline=("mode", "off"))
    table = "cipher,mode,tps,loss\n-,off,100.0,\naes,on,90.0,10\nsm4,on,80.0,20\n"
    assert verdicts(audited(naming, t=table)) == ["follows", "follows"]


def test_a_column_without_a_name_is_not_the_published_one() -> None:
    found = audited(
        Naming("plain", "enc"), tps="threads,enc\n1,90\n", plain=",threads,plain\n0,1,100\n"
    )
    assert not found.findings
