"""The judge, on evidence with one thing changed at a time."""

import copy
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.evidence import Proof
from encbench.engines.registry import engine
from tests.support.testbeds import ENCLAVE, PLAINTEXT, TLS, TLS12
from tests.unit.engines.judged import failed, file
from tests.unit.engines.postgresql.facts import evidence

MODES = {"plaintext": PLAINTEXT, "tls": TLS, "tls12": TLS12, "enclave": {**ENCLAVE, **TLS}}


def judged(facts: dict[str, Any], mode: dict[str, Any], *, full: bool = True) -> Proof:
    return engine("postgresql").judge(facts, EncryptionModeSpec.model_validate(mode), full=full)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", MODES)
def test_a_mode_in_force_is_proven_and_no_other(name: str, full: bool) -> None:
    facts = evidence(MODES[name], full=full)
    for other, mode in MODES.items():
        proof = judged(facts, mode, full=full)
        assert proof.ok is (other == name)
        assert proof.evidence == facts


def test_the_summary_says_what_was_found() -> None:
    assert judged(evidence(PLAINTEXT), PLAINTEXT).summary == (
        "plaintext is in force: TLS is off, and the marker is readable in 2 of 5 files"
    )
    assert judged(evidence(TLS12, full=False), TLS12, full=False).summary == (
        "TLSv1.2 with ECDHE-ECDSA-AES128-GCM-SHA256 is in force: no client connects without TLS, "
        "and the marker is readable in 1 of 1 file"
    )


@pytest.mark.parametrize(
    ("mode", "variable", "value"),
    [
        ("plaintext", "ssl", "on"),
        ("plaintext", "shared_preload_libraries", "pg_tde"),
        ("plaintext", "default_table_access_method", "tde_heap"),
        ("plaintext", "session_preload_libraries", "encbench_enclave"),
        ("enclave", "session_preload_libraries", ""),
        ("tls", "ssl", "off"),
        ("tls", "ssl_min_protocol_version", "TLSv1.2"),
        ("tls", "ssl_max_protocol_version", ""),
        ("tls", "shared_preload_libraries", "pg_tde"),
        ("tls12", "ssl_ciphers", "HIGH"),
        ("tls12", "ssl_max_protocol_version", "TLSv1.3"),
    ],
)
@pytest.mark.parametrize("full", [False, True])
def test_each_variable_counts(mode: str, variable: str, value: str, full: bool) -> None:
    facts = evidence(MODES[mode], full=full)
    facts["catalogue"]["variables"][variable] = value
    assert failed(judged(facts, MODES[mode], full=full)) == {variable}
    del facts["catalogue"]["variables"][variable]
    assert failed(judged(facts, MODES[mode], full=full)) == {variable}


@pytest.mark.parametrize("rule", ["host sbtest encbench all", "hostnossl all all all", "not ours"])
def test_a_rule_that_does_without_tls_counts(rule: str) -> None:
    facts = evidence(TLS)
    facts["catalogue"]["variables"]["pg_hba line 3"] = rule
    proof = judged(facts, TLS)
    assert failed(proof) == {"rules of access that do without TLS"}
    assert rule in proof.summary
    assert judged({**evidence(PLAINTEXT)}, PLAINTEXT).ok


def test_rules_that_were_not_seen_prove_nothing() -> None:
    facts = evidence(TLS)
    del facts["catalogue"]["variables"]["pg_hba line 2"]
    assert failed(judged(facts, TLS)) == {"a rule of access by TLS"}


@pytest.mark.parametrize("mode", MODES.values())
def test_a_setting_that_other_sessions_would_have(mode: dict[str, Any]) -> None:
    facts = evidence(mode)
    own = "search_path=public, pg_catalog"
    facts["catalogue"]["variables"]["setting of a database and a role 16384 0 1"] = own
    proof = judged(facts, mode)
    assert failed(proof) == {"settings of single roles or databases"}
    assert own in proof.summary


@pytest.mark.parametrize("mode", MODES.values())
def test_what_could_encrypt_or_lie_elsewhere_counts(mode: dict[str, Any]) -> None:
    facts = evidence(mode)
    facts["catalogue"]["plugins"] |= {"pg_tde": "extension"}
    assert failed(judged(facts, mode)) == {"extensions that could encrypt"}
    facts = evidence(mode)
    facts["catalogue"]["tablespaces"].append(
        {"name": "fast at /mnt/fast", "encrypted": False, "busy": False}
    )
    assert failed(judged(facts, mode)) == {"tablespaces outside the data directory"}


@pytest.mark.parametrize(
    "found", [{"encbench_enclave": "extension"}, {"enc_int4": "type"}, {"enc_text": "type"}]
)
def test_a_plain_arm_is_free_of_the_extension_and_its_types(found: dict[str, str]) -> None:
    facts = evidence(PLAINTEXT)
    facts["catalogue"]["plugins"] = found
    proof = judged(facts, PLAINTEXT)
    assert failed(proof) == {"encrypted column types, and their extension"}
    assert next(iter(found)) in proof.summary


def test_an_encrypted_arm_has_all_of_it() -> None:
    facts = evidence(ENCLAVE)
    del facts["catalogue"]["plugins"]["enc_text"]
    assert failed(judged(facts, ENCLAVE)) == {"encrypted column types, and their extension"}


@pytest.mark.parametrize(
    ("kind", "name"), [("table", "marker in its table file"), ("redo", "marker in a redo file")]
)
def test_plaintext_must_be_readable(kind: str, name: str) -> None:
    facts = evidence(PLAINTEXT)
    file(facts, kind)["found"] = False
    assert failed(judged(facts, PLAINTEXT)) == {name}


def test_another_table_s_file_is_not_the_marker_s() -> None:
    facts = evidence(PLAINTEXT, full=False)
    file(facts, "table")["path"] = "data/base/16387/16388"
    assert failed(judged(facts, PLAINTEXT, full=False)) == {
        "the marker's table file",
        "marker in its table file",
    }
    facts = evidence(PLAINTEXT, full=False)
    del facts["markerFile"]
    assert not judged(facts, PLAINTEXT, full=False).ok


@pytest.mark.parametrize("kind", ["table", "redo"])
@pytest.mark.parametrize("empty", [False, True])
def test_an_absence_where_nobody_looked_proves_nothing(kind: str, empty: bool) -> None:
    facts = evidence(PLAINTEXT)
    of_kind = [entry for entry in facts["files"] if entry["kind"] == kind]
    for entry in of_kind:
        if empty:
            entry["bytes"] = 0
        else:
            facts["files"].remove(entry)
    assert "files of each kind" in failed(judged(facts, PLAINTEXT))


def test_a_small_proof_is_no_full_one() -> None:
    for name, mode in MODES.items():
        assert not judged(evidence(mode, full=False), mode, full=True).ok, name


@pytest.mark.parametrize(
    "path", [("catalogue",), ("files",), ("markerTable",), ("catalogue", "tablespaces"), ("full",)]
)
def test_evidence_that_lacks_something_is_no_proof_and_no_error(path: tuple[str, ...]) -> None:
    facts = copy.deepcopy(evidence(PLAINTEXT))
    place = facts
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    proof = judged(facts, PLAINTEXT)
    assert not proof.ok
    assert path[-1] in proof.summary
    assert not judged({}, PLAINTEXT).ok
