"""The published studies: what follows is reproduced, what does not is said plainly."""

import csv
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import product

import pytest

from encbench.audit.checks import OverheadCheck
from tests.unit.audit.reference import ALL, FOLDER, NAMES, audited


def of(kind: str) -> list[str]:
    return [finding.text for finding in ALL.findings if finding.kind == kind]


def place(check: OverheadCheck) -> tuple[str, int]:
    return check.source.table.name, check.row.line


def test_every_published_overhead_is_checked() -> None:
    published = 0
    for name in NAMES:
        with (FOLDER / name).open() as file:
            rows = list(csv.DictReader(file))
        published += sum(1 for row in rows for column in row if column.startswith("published_"))
    assert len(ALL.checks) == published == 48
    assert ALL.counts == {"follows": 44, "slip": 2, "contradiction": 2}


def test_what_follows_is_reproduced_to_the_published_rounding() -> None:
    """By other means than the audit's: decimals, corner values and rounding to the last digit."""
    for check in ALL.checks:
        assert check.plain is not None
        plain, encrypted = (
            Decimal(check.plain.row.cells[check.plain.column]),
            Decimal(check.row.cells[check.claim.encrypted]),
        )
        assert check.published is not None
        published = Decimal(check.published.text)
        step = Decimal(1).scaleb(published.as_tuple().exponent)  # type: ignore[arg-type]
        rounded = {
            figure.quantize(step, rule)
            for p, e in product(within(plain), within(encrypted))
            for figure in [100 * (e / p - 1 if check.claim.formula == "increase" else 1 - e / p)]
            for rule in (ROUND_HALF_UP, ROUND_HALF_EVEN)
        }
        assert (check.verdict == "follows") == (published in rounded), place(check)
        if check.verdict == "slip":
            assert min(abs(published - figure) for figure in rounded) == step
        if check.verdict == "contradiction":
            assert min(abs(published - figure) for figure in rounded) > step


def within(printed: Decimal) -> list[Decimal]:
    half = Decimal(1).scaleb(printed.as_tuple().exponent) / 2  # type: ignore[arg-type]
    return [printed - half, printed, printed + half]


def test_the_two_rows_whose_tps_is_that_of_another_row() -> None:
    wrong = [check for check in ALL.checks if check.verdict == "contradiction"]
    assert [place(check) for check in wrong] == [
        ("polardbx_ratio.csv", 6),
        ("polardbx_ratio.csv", 7),
    ]
    fifty, hundred = of("contradiction")[:2]
    for text in (fifty, hundred):
        assert "its tps 276,640 is that of line 5 (encrypted_columns_percent 20)" in text
        assert "whose published 3 % does follow from it" in text
    assert "published is 8 %, but 1 − 276,640/284,561" in fifty
    assert "8 % would take tps from 260,373 to 263,219" in fifty
    assert "published is 11 %" in hundred
    assert (
        "polardbx_tpcc_tps.csv, line 11 prints encrypted_100pct_tps 252,432 for the same "
        "condition, from which 11 % does follow" in hundred
    )


def test_the_client_cpu_that_cannot_be_reconciled() -> None:
    texts = [text for text in of("contradiction") if text.startswith("polardbx_client_cpu.csv")]
    (strong,) = [text for text in texts if "instance 4x8c64g, concurrency 1024" in text]
    assert "client_cpu_before_percent 17.73 cannot be reconciled with either of" in strong
    assert "jdbc_client_cpu_percent 47.09 and encjdbc_client_cpu_percent 69.9" in strong
    assert "both lie above even the client_cpu_100pct_encrypted_percent 43.59" in strong
    (weak,) = [text for text in texts if text != strong]
    assert "instance 2x4c32g" in weak
    assert (
        "13.01 is neither jdbc_client_cpu_percent 21.37 nor encjdbc_client_cpu_percent 28.0" in weak
    )


def test_the_rounding_slips() -> None:
    cut, off = of("slip")
    assert cut.startswith("polardbx_tpcc_tps.csv, line 10 (instance 4x8c64g, concurrency 512)")
    assert "published is 13 %" in cut and "13.59 %, which rounds to 14 %" in cut
    assert "cut off, not rounded" in cut
    assert off.startswith(
        "rds_postgresql_sgx_sysbench.csv, line 12 (table pk_plain_write, threads 24)"
    )
    assert "published is 2.6 %" in off and "which rounds to 2.5 %" in off


def test_what_follows_only_by_rounding_is_noted_and_no_finding() -> None:
    rounded = [note for note in ALL.notes if "follows only from" in note]
    assert [note.split(" follows")[0] for note in rounded] == [
        "polardbx_client_cpu.csv, line 4 (instance 2x8c64g, concurrency 1024): 85 %",
        "rds_postgresql_sgx_sysbench.csv, line 6 (table pk_plain_range, threads 8): 18.3 %",
    ]


def test_the_order_of_files_changes_nothing() -> None:
    turned = audited(*reversed(NAMES))
    assert turned.counts == ALL.counts
    assert {f.text for f in turned.findings} == {f.text for f in ALL.findings}


def test_without_the_plain_figures_the_repeat_is_still_seen() -> None:
    alone = audited("polardbx_ratio.csv")
    assert alone.counts == {"unchecked": 6}
    repeat, unchecked = alone.findings
    assert repeat.kind == "repeat"
    assert "tps 276,640 stands in lines 5 (" in repeat.text
    assert "one figure cannot cost 3 %, 8 % and 11 % at once" in repeat.text
    assert unchecked.kind == "unchecked"
    assert "lines 2, 3, 4, 5, 6 and 7" in unchecked.text
    assert "no file has its plaintext_tps (by instance and concurrency)" in unchecked.text


def test_a_study_without_fault_has_no_findings() -> None:
    clean = audited("polardbx_driver_cpu.csv")
    assert not clean.findings
    assert clean.counts == {"follows": 4}


def test_the_reach_is_exact() -> None:
    check = next(c for c in ALL.checks if place(c) == ("rds_postgresql_sgx_sysbench.csv", 12))
    assert check.reach is not None
    assert check.reach.low == 100 - 100 * Fraction("14.685") / Fraction("15.045")
    assert check.reach.high == 100 - 100 * Fraction("14.675") / Fraction("15.055")


@pytest.mark.parametrize("name", NAMES)
def test_each_file_is_of_a_known_shape(name: str) -> None:
    (source,) = audited(name).sources
    assert source.shape.title


def test_signs_are_notes_and_no_findings() -> None:
    plateau, ratios, twelve = ALL.notes[2:]
    assert (
        "plaintext_tps is on a plateau (instance 2x4c32g from concurrency 256 to 1024; "
        "instance 4x8c64g from concurrency 512 to 1024)" in plateau
    )
    assert "2 plaintext_tps figures serve several overheads (98,990 those of lines 2, 3" in ratios
    assert twelve.startswith("rds_postgresql_sgx_sysbench.csv: 12 disabled_ktps figures serve")
    assert "46.99 those of lines 2 and 14" in twelve
    assert "and 9 more" in twelve
    assert not [f for f in ALL.findings if f.kind not in ("contradiction", "slip")]
