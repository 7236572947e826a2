"""Judging what the agent saw of encrypted column types, with one thing changed at a time."""

from typing import Any

import pytest

from encbench.api.testbed import TestbedSpec
from encbench.api.workload import WorkloadSpec
from encbench.core.evidence import Proof, TrialProofsRecord
from encbench.core.records import ClientFacts
from encbench.proofs.clients import decrypted, hides_sessions
from encbench.proofs.enclave import digests, judge
from tests.support import sealed
from tests.support.testbeds import ENCLAVE, spec_of_testbed
from tests.support.workloads import workload_spec
from tests.unit.engines.judged import failed

ENGINE = Proof(ok=True, summary="plaintext is in force: TLS is off")
POINT = workload_spec({"script": "enclave_point"})


def spec_of(boundary: dict[str, Any] | None = None, **changes: Any) -> TestbedSpec:
    """A testbed with encrypted types; `boundary` are fields of the enclave."""
    columns = {**ENCLAVE["columns"], **changes}
    columns["enclave"] = {**columns["enclave"], **(boundary or {})}
    whole = spec_of_testbed({"columns": columns}, engine="postgresql", version="15").to_dict()
    whole["dataset"]["sysbench"] = {"script": "enclave_point", "tables": 2}
    return TestbedSpec.model_validate(whole)


def by_k(spec: TestbedSpec, **options: str) -> TestbedSpec:
    whole = spec.to_dict()
    whole["dataset"]["sysbench"]["options"] = {"lookup": "k", **options}
    return TestbedSpec.model_validate(whole)


def evidence(spec: TestbedSpec) -> dict[str, Any]:
    assert spec.mode.enclave is not None
    return sealed.evidence(spec.mode.enclave, 2)


def test_a_mode_without_encrypted_types_is_none_of_its_business() -> None:
    assert judge(ENGINE, {}, spec_of_testbed()) is ENGINE
    proxied = spec_of_testbed({"columns": {"method": "confidential", "ratio": 100}})
    assert judge(ENGINE, {}, proxied) is ENGINE


@pytest.mark.parametrize("ratio", [75, 100])
@pytest.mark.parametrize("index", ["Single", "PageBatch"])
@pytest.mark.parametrize("costs", [{}, {"transition": "0ns", "value": "0ns"}])
def test_a_mode_in_force_is_proven(ratio: int, index: str, costs: dict[str, str]) -> None:
    spec = spec_of({"index": index, **costs}, ratio=ratio)
    for own in (spec, by_k(spec)):
        proof = judge(ENGINE, evidence(spec), own)
        assert proof.ok, proof.summary
        assert "SIMULATION of the boundary" in proof.summary


def test_the_summary_says_what_was_found() -> None:
    spec = spec_of()
    assert judge(ENGINE, evidence(spec), spec).summary == (
        "encrypted column types (k, c, pad) is in force: 2 tables with the types asked for, and a "
        "crossing took 8.03 µs and 1.20 µs a value (SIMULATION of the boundary); " + ENGINE.summary
    )


def broken(change: Any, spec: TestbedSpec | None = None) -> Proof:
    spec = spec or spec_of()
    facts = evidence(spec)
    change(facts["enclave"])
    proof = judge(ENGINE, facts, spec)
    assert not proof.ok
    return proof


# -- the breakages that must not pass


def test_a_plain_column_among_encrypted_ones() -> None:
    proof = broken(lambda seen: seen["types"]["sbtest2"].update(c="character(120)"))
    assert failed(proof) == {"columns of another type"}
    assert "sbtest2.c is character(120) instead of enc_text" in proof.summary


def test_a_column_that_should_be_plain() -> None:
    proof = broken(lambda seen: seen["types"]["sbtest1"].update(id="enc_int4"))
    assert "sbtest1.id is enc_int4 instead of integer" in proof.summary


def test_another_key() -> None:
    row = {"digest": None, "wrong": {"c": "the mode's key does not open it"}}
    proof = broken(lambda seen: seen["row"].update(row))
    assert failed(proof) == {"values that the key does not open", "digest of the row"}
    assert "sbtest1.c (the mode's key does not open it)" in proof.summary


def test_a_server_with_another_key_than_the_mode_s() -> None:
    why = "the database server did not do what was asked: the key does not open a value"
    proof = broken(lambda seen: seen.update(refused=why))
    assert failed(proof) == {"statements over encrypted values"}
    assert why in proof.summary


def test_a_missing_index() -> None:
    def drop(seen: Any) -> None:
        seen["indexes"] = [one for one in seen["indexes"] if one["name"] != "sbtest1_pkey"]
        seen["plans"][0] |= {"nodes": ["Seq Scan"], "indexes": []}

    proof = broken(drop)
    assert "sbtest1.id has none" in proof.summary
    assert "point by id (Seq Scan)" in proof.summary


@pytest.mark.parametrize("figure", ["transition", "value"])
def test_a_boundary_that_is_off_while_it_is_asked_for(figure: str) -> None:
    proof = broken(lambda seen: seen["calibration"].update({f"{figure}Asked": 0.0, figure: 90.0}))
    assert f"cost of a {figure}, as the server has it: expected" in proof.summary
    assert failed(proof) == {
        f"cost of a {figure}, as the server has it",
        f"cost of a {figure}, measured",
    }


# -- and the finer ones


@pytest.mark.parametrize(("took", "ok"), [(8_390.0, True), (8_410.0, False), (7_590.0, False)])
def test_a_cost_is_within_five_percent(took: float, ok: bool) -> None:
    spec = spec_of()
    facts = evidence(spec)
    facts["enclave"]["calibration"]["transition"] = took
    assert judge(ENGINE, facts, spec).ok is ok


def test_a_boundary_that_is_on_while_it_should_cost_nothing() -> None:
    spec = spec_of({"transition": "0ns", "value": "0ns"})
    proof = broken(lambda seen: seen["calibration"].update(transition=8000.0), spec)
    assert failed(proof) == {"cost of a transition, measured"}


def test_another_operator_class() -> None:
    spec = spec_of({"index": "PageBatch"}, ratio=100)
    proof = broken(lambda seen: seen["indexes"][0].update(operatorClass="enc_int4_ops"), spec)
    assert "sbtest1_pkey has enc_int4_ops instead of enc_int4_batch_ops" in proof.summary


@pytest.mark.parametrize("lookup", ["id", "k"])
@pytest.mark.parametrize(("transitions", "ok"), [(8, True), (9, False), (None, False)])
def test_an_index_that_is_not_batched(lookup: str, transitions: int | None, ok: bool) -> None:
    """Its operator class is the right one all the same."""
    spec = spec_of({"index": "PageBatch"}, ratio=100)
    facts = evidence(spec)
    searches = [one for one in facts["enclave"]["searches"] if one["lookup"] != lookup]
    if transitions is not None:
        searches.append({"lookup": lookup, "transitions": transitions})
    facts["enclave"]["searches"] = searches
    expected = set() if ok else {f"crossings of a search by {lookup}"}
    assert failed(judge(ENGINE, facts, spec)) == expected


def test_only_encrypted_indexes_that_are_there_are_batched() -> None:
    facts = evidence(spec_of({"index": "PageBatch"}))
    assert [one["lookup"] for one in facts["enclave"]["searches"]] == ["k"]
    assert judge(ENGINE, facts, spec_of({"index": "PageBatch"})).ok
    whole = spec_of({"index": "PageBatch"}, ratio=100).to_dict()
    whole["dataset"]["sysbench"]["options"] = {"create-secondary": "off"}
    spec = TestbedSpec.model_validate(whole)
    facts = evidence(spec)
    facts["enclave"]["searches"] = [{"lookup": "id", "transitions": 3}]
    assert judge(ENGINE, facts, spec).ok


def test_an_agent_of_an_earlier_version_makes_no_searches() -> None:
    spec = spec_of({"index": "PageBatch"}, ratio=100)
    facts = evidence(spec)
    del facts["enclave"]["searches"]
    assert judge(ENGINE, facts, spec).ok


def test_an_agent_of_an_earlier_version_saw_what_other_sessions_would_have() -> None:
    spec = spec_of()
    facts = evidence(spec)
    facts["enclave"]["overrides"] = []
    assert judge(ENGINE, facts, spec).ok
    own = "encbench_enclave.transition_ns=0"
    proof = broken(lambda seen: seen.update(overrides=[own]))
    assert failed(proof) == {"settings of single roles or databases"}
    assert own in proof.summary


def test_statements_by_k_need_the_index_on_k() -> None:
    spec = spec_of()
    facts = evidence(spec)
    facts["enclave"]["plans"][2] |= {"nodes": ["Seq Scan"], "indexes": []}
    assert judge(ENGINE, facts, spec).ok, "no workload finds rows by k"
    assert failed(judge(ENGINE, facts, by_k(spec))) == {"statements that do not use the index"}


def test_an_index_of_another_column_does_not_count() -> None:
    proof = broken(lambda seen: seen["plans"][1].update(indexes=["k_1"]))
    assert failed(proof) == {"statements that do not use the index"}


def test_a_workload_may_leave_out_the_index_on_k() -> None:
    spec = spec_of()
    facts = evidence(spec)
    seen = facts["enclave"]
    seen["indexes"] = [one for one in seen["indexes"] if one["column"] == "id"]
    assert not judge(ENGINE, facts, spec).ok
    whole = spec.to_dict()
    whole["dataset"]["sysbench"]["options"] = {"create-secondary": "off"}
    assert judge(ENGINE, facts, TestbedSpec.model_validate(whole)).ok


@pytest.mark.parametrize("place", ["heap or index", "any file"])
def test_a_readable_marker(place: str) -> None:
    spec = spec_of()
    facts = evidence(spec)
    if place == "any file":
        path = "data/pg_wal/000000010000000000000001"
        facts["files"] = [
            {"path": path, "kind": "redo", "bytes": 8192, "found": False, "echoed": True}
        ]
    else:
        facts["enclave"]["marker"][1]["found"] = True
    assert failed(judge(ENGINE, facts, spec)) == {"files in which the sealed marker is readable"}


def test_an_absence_where_nobody_looked_proves_nothing() -> None:
    proof = broken(lambda seen: seen["marker"].pop())
    assert failed(proof) == {"heap and index of the sealed marker"}
    proof = broken(lambda seen: seen.update(plans=[]))
    assert failed(proof) == {"plans of the statements"}
    proof = broken(lambda seen: seen["types"].pop("sbtest2"))
    assert failed(proof) == {"tables"}
    proof = broken(lambda seen: seen["row"].update(found=False, digest=None))
    assert failed(proof) == {"row 0 of sbtest1", "digest of the row"}


@pytest.mark.parametrize(
    "facts", [{}, {"files": []}, {"files": [], "enclave": None}, {"enclave": {"types": {}}}]
)
def test_evidence_that_lacks_something_is_no_proof(facts: dict[str, Any]) -> None:
    assert not judge(ENGINE, facts, spec_of()).ok
    assert digests(facts) == {}


# -- what the clients opened


def proofs(spec: TestbedSpec) -> TrialProofsRecord:
    proof = judge(ENGINE, evidence(spec), spec)
    return TrialProofsRecord(before=proof, after=proof)


def test_a_client_that_opens_the_row_as_the_key_does() -> None:
    spec = spec_of()
    client = ClientFacts(columns=(("sbtest1", sealed.DIGEST),) * 2)
    proof = decrypted(spec, POINT, [client], proofs(spec))
    assert proof is not None and proof.ok
    assert proof.summary == "every client opened the row as the key does"
    assert not hides_sessions(spec), "its sessions report what they negotiated"


@pytest.mark.parametrize(
    "read",
    [None, (("sbtest1", sealed.DIGEST),), (("sbtest1", sealed.DIGEST), ("sbtest1", "00" * 32))],
)
def test_a_client_that_does_not_encrypt_proves_nothing(read: Any) -> None:
    """It opens nothing, so that it prints another digest, or none at all."""
    spec = spec_of()
    proof = decrypted(spec, POINT, [ClientFacts(columns=read)], proofs(spec))
    assert proof is not None and not proof.ok
    assert "rows that the driver of client 0 read" in proof.summary


def test_a_client_that_is_cut_off_has_read_the_row_once() -> None:
    spec = spec_of()
    whole = {**POINT.to_dict(), "recovery": {"stop": "Clean"}}
    client = ClientFacts(columns=(("sbtest1", sealed.DIGEST),))
    proof = decrypted(spec, WorkloadSpec.model_validate(whole), [client], proofs(spec))
    assert proof is not None and proof.ok
    proof = decrypted(spec, POINT, [client], proofs(spec))
    assert proof is not None and not proof.ok


def test_the_clients_of_a_plain_arm_have_nothing_to_prove() -> None:
    assert decrypted(spec_of_testbed(), POINT, [ClientFacts()], TrialProofsRecord()) is None
