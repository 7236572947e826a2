"""Judging what the agent saw of columns."""

from typing import Any

import pytest

from encbench.api.testbed import TestbedSpec
from encbench.core.columns.probes import TPCC
from encbench.core.evidence import Proof
from encbench.proofs.columns import digests, judge
from tests.support.testbeds import spec_of_testbed
from tests.unit.engines.judged import failed

ENGINE = Proof(ok=True, summary="plaintext is in force: the marker is readable in 3 of 9 files")
BROKEN = Proof(ok=False, summary="plaintext is not proven: log_bin")
ALL = {"ratio": 100}


def spec_of(columns: dict[str, Any] = ALL, **dataset: Any) -> TestbedSpec:
    whole = spec_of_testbed({"columns": {"method": "confidential", **columns}}).to_dict()
    whole["dataset"] |= dataset
    return TestbedSpec.model_validate(whole)


def sbtest(**changes: Any) -> dict[str, Any]:
    """The table as a proxy shows it that encrypts all of it."""
    names = ["id", "k", "c", "pad"]
    whole: dict[str, Any] = {"table": "sbtest1", "row": True, "encrypted": {"AES_128_GCM": names}}
    return {**whole, **changes}


def evidence(*tables: dict[str, Any]) -> dict[str, Any]:
    return {"columns": {"chosen": 4, "all": len(tables), "tables": list(tables)}}


def of(*tables: dict[str, Any], columns: dict[str, Any] = ALL, full: bool = True) -> Proof:
    return judge(ENGINE, evidence(*tables), spec_of(columns), full=full)


def test_a_mode_without_columns_is_none_of_its_business() -> None:
    assert judge(ENGINE, {}, spec_of_testbed(), full=True) is ENGINE


def test_all_is_encrypted() -> None:
    proof = of(sbtest())
    assert proof.ok
    assert proof.summary == (
        "column encryption with AES_128_GCM is in force: in 1 table the key opened 4 values to "
        "the server's own, and 0 came as the server has them; " + ENGINE.summary
    )


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        (
            {"encrypted": {"AES_128_GCM": ["id", "c", "pad"]}, "plain": ["k"]},
            "chosen columns in plaintext",
        ),
        (
            {"encrypted": {"AES_128_GCM": ["id", "c", "pad"], "SM4_128_GCM": ["k"]}},
            "values of another algorithm than AES_128_GCM",
        ),
        ({"wrong": {"k": "why"}}, "values that neither equal the server's nor open to them"),
        ({"row": False}, "values that neither equal the server's nor open to them"),
        ({"encrypted": {}, "null": ["id", "k", "c", "pad"]}, "encrypted values"),
    ],
)
def test_what_stands_against_it(changes: dict[str, Any], name: str) -> None:
    proof = of(sbtest(**changes))
    assert not proof.ok
    assert name in failed(proof)
    assert proof.summary.startswith("column encryption with AES_128_GCM is not proven")


def test_more_than_was_chosen() -> None:
    proof = of(sbtest(), columns={"list": ["sbtest.c"]})
    assert failed(proof) == {"columns that are encrypted without being chosen"}


def test_a_list_of_one() -> None:
    shown = sbtest(encrypted={"AES_128_GCM": ["c"]}, plain=["id", "k", "pad"])
    assert of(shown, columns={"list": ["SBTEST1.C"]}).ok


def test_nothing_encrypted_is_proven_as_strictly() -> None:
    plain = sbtest(encrypted={}, plain=["id", "k", "c", "pad"])
    proof = of(plain, columns={"ratio": 0})
    assert proof.ok
    assert "the confidential proxy without encryption is in force: 4 values" in proof.summary
    assert not of(sbtest(), columns={"ratio": 0}).ok


def test_a_table_that_nobody_looked_at() -> None:
    whole = spec_of(ALL).to_dict()
    whole["dataset"]["sysbench"]["tables"] = 2
    proof = judge(ENGINE, evidence(sbtest()), TestbedSpec.model_validate(whole), full=True)
    assert failed(proof) == {"tables that were read"}
    assert not of().ok


def test_null_is_an_exemption_that_every_proof_lists() -> None:
    proof = of(sbtest(encrypted={"AES_128_GCM": ["id", "k", "c"]}, null=["pad"]))
    assert proof.ok
    assert "sbtest1.pad" in next(c.detail for c in proof.checks if c.name == "exempt: NULL")


def test_a_script_of_ones_own_has_tables_that_no_list_knows() -> None:
    names = {"list": ["mine.c"]}
    own = spec_of(names, scriptConfigMap="copy")
    mine = sbtest(table="mine", encrypted={"AES_128_GCM": ["c"]}, plain=["id"])
    other = sbtest(table="other")
    assert judge(ENGINE, evidence(mine, other), own, full=True).ok, "strict, so all of other"
    lax = spec_of({**names, "strict": False}, scriptConfigMap="copy")
    proof = judge(ENGINE, evidence(mine, other), lax, full=True)
    assert failed(proof) == {"columns that are encrypted without being chosen"}


@pytest.mark.parametrize("slip", ["mine.totl", "mein.total"])
def test_a_chosen_column_that_no_table_has_leaves_another_one_open(slip: str) -> None:
    own = spec_of({"list": ["mine.price", slip]}, scriptConfigMap="copy")
    mine = sbtest(table="mine", encrypted={"AES_128_GCM": ["price"]}, plain=["total"])
    proof = judge(ENGINE, evidence(mine), own, full=True)
    assert failed(proof) == {"chosen columns that no table has"}
    assert slip in next(c.detail for c in proof.checks if not c.ok)
    assert judge(ENGINE, evidence(mine), own, full=False).ok, "it looks at a few tables only"


@pytest.mark.parametrize("found", [{}, {"columns": None}, {"columns": {"tables": "none"}}])
def test_evidence_that_lacks_something_is_no_proof(found: dict[str, Any]) -> None:
    proof = judge(ENGINE, found, spec_of(), full=True)
    assert not proof.ok
    assert failed(proof) == {"evidence"}


def test_both_proofs_must_hold() -> None:
    proof = judge(BROKEN, evidence(sbtest()), spec_of(), full=True)
    assert not proof.ok
    assert proof.summary.startswith(BROKEN.summary)


def test_tpcc_may_lose_one_row_only() -> None:
    tables = [
        {"table": probe.table, "row": not probe.may_go, "digest": "absent" if probe.may_go else "0"}
        for probe in TPCC
    ]
    own = spec_of({"ratio": 0})
    whole = own.to_dict()
    whole["dataset"] = {"tpcc": {"warehouses": 1}, "client": whole["dataset"]["client"]}
    spec = TestbedSpec.model_validate(whole)
    proof = judge(ENGINE, evidence(*tables), spec, full=False)
    assert proof.ok
    assert "bmsql_new_order" in str(proof.checks)
    assert digests(evidence(*tables))["bmsql_new_order"] == "absent"
    tables[-1]["row"] = False
    assert "bmsql_stock" in judge(ENGINE, evidence(*tables), spec, full=False).summary


def test_no_evidence_has_no_digests() -> None:
    assert digests({}) == {}
    assert digests({"columns": {"tables": 1}}) == {}
