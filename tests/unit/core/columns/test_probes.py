"""Rows that prove column encryption, and what our client prints of them."""

import hashlib

from encbench.core.columns import probes, selection


def test_a_digest_is_of_the_unchanging_values_in_order() -> None:
    probe = probes.probe_of("bmsql_warehouse")
    names = ["w_id", "W_YTD", "w_tax", "w_name"]
    told = probes.digest(probe, names, [b"1", b"300000.00", b"0.0500", None])
    assert told == hashlib.sha256(b"1\x1f0.0500\x1f\\N").hexdigest()
    assert told == probes.digest(probe, names, [b"1", b"7.00", b"0.0500", None])


def test_a_row_that_is_gone() -> None:
    assert probes.digest(probes.probe_of("bmsql_new_order"), [], None) == "absent"


def test_other_tables_have_no_digest() -> None:
    probe = probes.probe_of("sbtest7")
    assert probe.where == "LIMIT 1"
    assert probes.digest(probe, ["id"], [b"1"]) is None


def test_the_columns_that_change_are_columns_of_their_tables() -> None:
    known = set(selection.all_columns("tpcc"))
    named = {f"{probe.table}.{name}" for probe in probes.TPCC for name in probe.changing}
    assert named <= known
    assert {name.partition(".")[0] for name in known} == {probe.table for probe in probes.TPCC}
