"""The judge, on evidence with one thing changed at a time."""

import copy
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.evidence import Proof
from encbench.engines.registry import engine
from tests.support import sidecars
from tests.support.fake_agent import FakeAgent, FakeServer
from tests.support.testbeds import PLAINTEXT, TDE, TLS, TLS12
from tests.unit.engines.judged import OTHERS, failed, file

MODES = {"plaintext": PLAINTEXT, "tde": TDE, "tls": TLS, "both": {**TDE, **TLS12}}


async def evidence(mode: dict[str, Any], *, full: bool = True) -> Any:
    server = FakeServer(token="t", in_force=EncryptionModeSpec.model_validate(mode))
    agent = FakeAgent({"a": server})
    return await agent.evidence("a", sidecars.access("t"), "encbench-marker-0001", full=full)


def judged(facts: dict[str, Any], mode: dict[str, Any], *, full: bool = True) -> Proof:
    return engine("mariadb").judge(facts, EncryptionModeSpec.model_validate(mode), full=full)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", MODES)
async def test_a_mode_in_force_is_proven(name: str, full: bool) -> None:
    facts = await evidence(MODES[name], full=full)
    proof = judged(facts, MODES[name], full=full)
    assert proof.ok
    assert " is in force: " in proof.summary
    assert proof.evidence == facts


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("innodb_encrypt_tables", "ON"),
        ("innodb_encrypt_tables", "OFF"),
        ("innodb_encrypt_log", "OFF"),
        ("innodb_encrypt_temporary_tables", "OFF"),
        ("aria_encrypt_tables", "OFF"),
        ("encrypt_binlog", "OFF"),
        ("encrypt_tmp_files", "OFF"),
        ("encrypt_tmp_disk_tables", "OFF"),
        ("log_bin", "OFF"),
    ],
)
@pytest.mark.parametrize("full", [False, True])
async def test_each_variable_counts_under_tde(variable: str, value: str, full: bool) -> None:
    facts = await evidence(TDE, full=full)
    facts["catalogue"]["variables"][variable] = value
    proof = judged(facts, TDE, full=full)
    assert failed(proof) == {variable}
    assert f"{variable}: expected" in proof.summary
    del facts["catalogue"]["variables"][variable]
    assert failed(judged(facts, TDE, full=full)) == {variable}


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("have_ssl", "DISABLED"),
        ("tls_version", "TLSv1.2,TLSv1.3"),
        ("tls_version", "TLSv1.2"),
        ("ssl_cipher", ""),
        ("ssl_cipher", "TLS_AES_256_GCM_SHA384"),
        ("require_secure_transport", "OFF"),
    ],
)
@pytest.mark.parametrize("full", [False, True])
async def test_each_variable_counts_under_tls(variable: str, value: str, full: bool) -> None:
    facts = await evidence(TLS, full=full)
    facts["catalogue"]["variables"][variable] = value
    assert failed(judged(facts, TLS, full=full)) == {variable}
    del facts["catalogue"]["variables"][variable]
    assert failed(judged(facts, TLS, full=full)) == {variable}


@pytest.mark.parametrize("value", ["YES", None])
async def test_a_server_that_offers_tls_is_no_plaintext_one(value: str | None) -> None:
    for mode in (PLAINTEXT, TDE):
        facts = await evidence(mode)
        facts["catalogue"]["variables"]["have_ssl"] = value
        if value is None:
            del facts["catalogue"]["variables"]["have_ssl"]
        assert failed(judged(facts, mode)) == {"have_ssl"}


async def test_the_summary_names_both_halves_of_the_mode() -> None:
    both = {**TDE, **TLS12}
    assert judged(await evidence(both), both).summary.startswith(
        "TLSv1.2 with ECDHE-ECDSA-AES128-GCM-SHA256 and TDE with AES_CTR is in force: "
        "no client connects without TLS, all 2 tablespaces are encrypted"
    )
    plain = judged(await evidence(PLAINTEXT), PLAINTEXT).summary
    assert plain.startswith("plaintext is in force: TLS is off, no tablespace is encrypted")


async def test_the_algorithm_counts() -> None:
    facts = await evidence(TDE)
    facts["catalogue"]["variables"]["file_key_management_encryption_algorithm"] = "aes_cbc"
    assert failed(judged(facts, TDE)) == {"encryption algorithm"}


async def test_the_key_plugin_counts() -> None:
    facts = await evidence(TDE)
    facts["catalogue"]["plugins"] = {"file_key_management": "DISABLED"}
    assert failed(judged(facts, TDE)) == {"plugin file_key_management"}
    plain = await evidence(PLAINTEXT)
    plain["catalogue"]["plugins"] = {"file_key_management": "ACTIVE"}
    assert failed(judged(plain, PLAINTEXT)) == {"active key plugins"}


@pytest.mark.parametrize(
    ("field", "value", "name"),
    [
        ("encrypted", False, "tablespaces in plaintext"),
        ("busy", True, "tablespaces being encrypted or decrypted"),
    ],
)
async def test_every_tablespace_counts(field: str, value: bool, name: str) -> None:
    facts = await evidence(TDE)
    facts["catalogue"]["tablespaces"][0][field] = value
    assert failed(judged(facts, TDE)) == {name}


@pytest.mark.parametrize("full", [False, True])
async def test_a_table_of_another_engine_disproves_tde(full: bool) -> None:
    for mode, expected in ((TDE, {OTHERS}), (PLAINTEXT, set())):
        facts = await evidence(mode, full=full)
        facts["catalogue"]["otherTables"] = {"sbtest1": "MyISAM"}
        proof = judged(facts, mode, full=full)
        assert failed(proof) == expected
        assert ("sbtest1 (MyISAM)" in proof.summary) is bool(expected)


async def test_an_earlier_agent_lists_no_other_tables_and_the_proof_says_so() -> None:
    facts = await evidence(TDE)
    del facts["catalogue"]["otherTables"]
    proof = judged(facts, TDE)
    assert proof.ok
    (listed,) = [check for check in proof.checks if check.name == f"exempt: {OTHERS}"]
    assert "an agent of an earlier version" in listed.detail


async def test_an_empty_catalogue_proves_nothing() -> None:
    facts = await evidence(TDE)
    facts["catalogue"]["tablespaces"] = []
    assert failed(judged(facts, TDE)) == {"the catalogue knows the marker's tablespace"}


@pytest.mark.parametrize("kind", ["table", "redo", "binlog", "system", "aria"])
async def test_a_readable_marker_disproves_tde(kind: str) -> None:
    facts = await evidence(TDE)
    file(facts, kind)["found"] = True
    proof = judged(facts, TDE)
    assert failed(proof) == {"files in which the marker is readable"}
    assert file(facts, kind)["path"] in proof.summary


async def test_the_aria_log_is_exempt_and_listed() -> None:
    facts = await evidence(TDE)
    file(facts, "aria-log")["found"] = True
    proof = judged(facts, TDE)
    assert proof.ok
    assert "1 exempt" in proof.summary
    (listed,) = [check for check in proof.checks if check.name.startswith("exempt: ")]
    assert "aria_log" in listed.name
    assert "marker readable" in listed.detail


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("table", "marker in its table file"),
        ("redo", "marker in a redo file"),
        ("binlog", "marker in a binlog file"),
    ],
)
async def test_plaintext_must_be_readable(kind: str, name: str) -> None:
    facts = await evidence(PLAINTEXT)
    file(facts, kind)["found"] = False
    assert failed(judged(facts, PLAINTEXT)) == {name}


async def test_an_encrypted_tablespace_disproves_plaintext() -> None:
    facts = await evidence(PLAINTEXT)
    facts["catalogue"]["tablespaces"][0]["encrypted"] = True
    assert failed(judged(facts, PLAINTEXT)) == {"encrypted tablespaces"}


@pytest.mark.parametrize("kind", ["table", "redo", "binlog"])
@pytest.mark.parametrize("empty", [False, True])
async def test_an_absence_where_nobody_looked_proves_nothing(kind: str, empty: bool) -> None:
    facts = await evidence(TDE)
    if empty:
        file(facts, kind)["bytes"] = 0
    else:
        facts["files"].remove(file(facts, kind))
    assert "files of each kind" in failed(judged(facts, TDE))


async def test_a_small_proof_is_no_full_one() -> None:
    for name, mode in MODES.items():
        facts = await evidence(mode, full=False)
        assert not judged(facts, mode, full=True).ok, name


@pytest.mark.parametrize(
    "path", [("catalogue",), ("files",), ("markerTable",), ("catalogue", "tablespaces"), ("full",)]
)
async def test_evidence_that_lacks_something_is_no_proof_and_no_error(
    path: tuple[str, ...],
) -> None:
    facts = copy.deepcopy(await evidence(TDE))
    place = facts
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    proof = judged(facts, TDE)
    assert not proof.ok
    assert path[-1] in proof.summary
    assert not judged({}, TDE).ok
    assert not judged({}, PLAINTEXT).ok
