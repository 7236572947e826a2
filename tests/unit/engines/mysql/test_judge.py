"""The judge, on evidence with one thing changed at a time."""

from itertools import combinations
from typing import Any

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.evidence import Proof
from encbench.engines.registry import engine
from tests.support.testbeds import PLAINTEXT, TLS, TLS12
from tests.unit.engines.judged import OTHERS, failed, file
from tests.unit.engines.mysql.evidence import evidence
from tests.unit.engines.mysql.golden import ALL, TABLES

BUFFERING = "innodb_change_buffering"
PARTS = ("tables", "system", "redo", "undo", "binlog")


def scoped(*parts: str) -> dict[str, Any]:
    return {"atRest": {"method": "engine", "scope": list(parts)}}


SCOPES = [scoped(*parts) for size in range(1, 6) for parts in combinations(PARTS, size)]
MODES = [PLAINTEXT, *SCOPES]


def judged(
    facts: dict[str, Any], mode: dict[str, Any], *, full: bool = True, name: str = "mysql"
) -> Proof:
    return engine(name).judge(facts, EncryptionModeSpec.model_validate(mode), full=full)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", ["mysql", "percona"])
def test_each_mode_is_proven_by_its_own_evidence_and_by_no_other(name: str, full: bool) -> None:
    for mode in [*MODES, ALL]:
        facts = evidence(mode, engine=name, full=full)
        for other in MODES:
            same = other == mode or (mode is ALL and name == "mysql" and other == scoped(*PARTS))
            proof = judged(facts, other, full=full, name=name)
            assert proof.ok is same, (mode, other, proof.summary)


def test_all_that_percona_has_is_more_than_all_that_mysql_has() -> None:
    assert judged(evidence(ALL, engine="percona"), ALL, name="percona").ok
    assert failed(judged(evidence(ALL), ALL, name="percona")) == {
        "innodb_sys_tablespace_encrypt",
        "innodb_temp_tablespace_encrypt",
        "encrypt_tmp_files",
    }


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("default_table_encryption", "OFF"),
        ("innodb_redo_log_encrypt", "OFF"),
        ("innodb_undo_log_encrypt", "OFF"),
        ("binlog_encryption", "OFF"),
        ("log_bin", "OFF"),
    ],
)
@pytest.mark.parametrize("full", [False, True])
def test_each_variable_counts_under_tde(variable: str, value: str, full: bool) -> None:
    facts = evidence(ALL, full=full)
    facts["catalogue"]["variables"][variable] = value
    proof = judged(facts, ALL, full=full)
    assert failed(proof) == {variable}
    assert f"{variable}: expected" in proof.summary
    del facts["catalogue"]["variables"][variable]
    assert failed(judged(facts, ALL, full=full)) == {variable}


def test_the_keyring_counts() -> None:
    facts = evidence(ALL)
    facts["catalogue"]["plugins"] = {"component_keyring_file": "DISABLED"}
    assert failed(judged(facts, ALL)) == {"active keyring"}
    plain = evidence(PLAINTEXT)
    plain["catalogue"]["plugins"] = {"component_keyring_file": "ACTIVE"}
    assert failed(judged(plain, PLAINTEXT)) == {"active keyrings"}
    plugin = evidence(ALL)
    plugin["catalogue"]["plugins"] = {"keyring_file": "ACTIVE"}
    assert judged(plugin, ALL).ok


@pytest.mark.parametrize(
    ("version", "setting", "plugins", "is_exempt"),
    [
        ("8.0.28", "OFF", {}, True),
        ("8.0.28", "ON", {}, False),
        ("8.0.28", "OFF", {"component_keyring_file": "DISABLED"}, False),
        ("9.7.4", "OFF", {}, False),
        ("8.0.28", None, {}, False),
    ],
)
def test_8_0_lists_no_component_without_its_performance_schema(
    version: str, setting: str | None, plugins: dict[str, str], is_exempt: bool
) -> None:
    facts = evidence(ALL, version=version)
    facts["catalogue"]["plugins"] = plugins
    if setting is not None:
        facts["catalogue"]["variables"]["performance_schema"] = setting
    proof = judged(facts, ALL)
    assert failed(proof) == (set() if is_exempt else {"active keyring"})
    assert ("exempt: active keyring" in {one.name for one in proof.checks}) is is_exempt
    plain = evidence(PLAINTEXT, version=version)
    plain["catalogue"]["variables"]["performance_schema"] = "OFF"
    assert not judged(plain, ALL).ok


@pytest.mark.parametrize("place", range(4))
def test_every_tablespace_counts(place: int) -> None:
    facts = evidence(ALL)
    facts["catalogue"]["tablespaces"][place]["encrypted"] = False
    assert failed(judged(facts, ALL)) == {"tablespaces in plaintext"}
    facts = evidence(PLAINTEXT)
    facts["catalogue"]["tablespaces"][place]["encrypted"] = True
    assert failed(judged(facts, PLAINTEXT)) == {"encrypted tablespaces"}


def test_an_empty_catalogue_proves_nothing() -> None:
    for mode in (ALL, PLAINTEXT):
        facts = evidence(mode, full=False)
        facts["catalogue"]["tablespaces"] = []
        proof = judged(facts, mode, full=False)
        assert failed(proof) == {"the catalogue knows the marker's tablespace"}


@pytest.mark.parametrize("full", [False, True])
def test_a_table_of_another_engine_is_in_plaintext(full: bool) -> None:
    for mode, expected in ((ALL, {OTHERS}), (scoped("redo"), set()), (PLAINTEXT, set())):
        facts = evidence(mode, full=full)
        facts["catalogue"]["otherTables"] = {"sbtest1": "MyISAM"}
        proof = judged(facts, mode, full=full)
        assert failed(proof) == expected
        assert ("sbtest1 (MyISAM)" in proof.summary) is bool(expected)


@pytest.mark.parametrize("full", [False, True])
def test_a_change_buffer_would_hold_rows_of_tables_in_plaintext(full: bool) -> None:
    for mode, expected in ((ALL, {BUFFERING}), (scoped("redo"), set()), (PLAINTEXT, set())):
        facts = evidence(mode, full=full)
        facts["catalogue"]["variables"][BUFFERING] = "all"
        assert failed(judged(facts, mode, full=full)) == expected


def test_an_earlier_agent_does_not_say_all_and_the_proof_lists_it() -> None:
    facts = evidence(ALL)
    del facts["catalogue"]["variables"][BUFFERING]
    del facts["catalogue"]["otherTables"]
    proof = judged(facts, ALL)
    assert proof.ok
    assert {f"exempt: {OTHERS}", f"exempt: {BUFFERING}"} <= {one.name for one in proof.checks}


def test_every_binary_log_counts() -> None:
    for mode, name in ((ALL, "binary logs in plaintext"), (PLAINTEXT, "encrypted binary logs")):
        facts = evidence(mode)
        log = {"name": "binlog.000001", "encrypted": mode is PLAINTEXT}
        facts["catalogue"]["binaryLogs"].append(log)
        assert failed(judged(facts, mode)) == {name}
        facts["catalogue"]["binaryLogs"] = []
        assert failed(judged(facts, mode)) == {"binary logs are listed"}


@pytest.mark.parametrize("field", ["found", "echoed"])
@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("table", {"marker in its table file", "files of tables in which the marker is readable"}),
        ("system", {"files of system in which the marker is readable"}),
        ("redo", {"files of redo in which the marker is readable"}),
        ("undo", {"files of undo in which the marker is readable"}),
        ("binlog", {"files of binlog in which the marker is readable"}),
    ],
)
def test_a_readable_marker_or_echo_disproves_tde(kind: str, names: set[str], field: str) -> None:
    facts = evidence(ALL)
    file(facts, kind)[field] = True
    proof = judged(facts, ALL)
    assert failed(proof) == names
    assert file(facts, kind)["path"] in proof.summary


@pytest.mark.parametrize("field", ["found", "echoed"])
def test_a_log_of_statements_disproves_tde_of_everything_alone(field: str) -> None:
    name = "other files in which the marker is readable"
    for mode, failing in ((ALL, {name}), (scoped(*PARTS), {name}), (TABLES, set()), ({}, set())):
        facts = evidence(mode)
        statements = {"path": "data/mysql-0.log", "kind": "other", "bytes": 300, "found": False}
        facts["files"].append({**statements, field: True})
        assert failed(judged(facts, mode)) == failing


@pytest.mark.parametrize("field", ["found", "echoed"])
def test_the_doublewrite_buffer_goes_with_tables(field: str) -> None:
    text = {"found": "marker", "echoed": "echo"}[field]
    name = f"doublewrite files in which the {text} is readable"
    facts = evidence(ALL)
    file(facts, "doublewrite")[field] = True
    assert failed(judged(facts, ALL)) == {name}
    facts = evidence(TABLES)
    file(facts, "doublewrite")[field] = True
    # Pages of undo log and system tables are in plaintext there: that is no fault of the tables'.
    assert failed(judged(facts, TABLES)) == ({name} if field == "found" else set())


@pytest.mark.parametrize(
    ("kind", "field", "names"),
    [
        ("table", "found", {"marker in its table file", "marker in a table file"}),
        ("redo", "found", {"marker in a redo file"}),
        ("binlog", "found", {"marker in a binlog file"}),
        ("undo", "echoed", {"marker in a undo file"}),
        ("doublewrite", "found", {"marker in a doublewrite file"}),
    ],
)
def test_plaintext_must_be_readable(kind: str, field: str, names: set[str]) -> None:
    facts = evidence(PLAINTEXT)
    file(facts, kind)[field] = False
    assert failed(judged(facts, PLAINTEXT)) == names
    facts = evidence(PLAINTEXT)
    next(f for f in facts["files"] if f["path"] == "data/mysql.ibd")["echoed"] = False
    assert failed(judged(facts, PLAINTEXT)) == {"marker in a system file"}


def test_a_server_without_doublewrite_need_not_show_it() -> None:
    facts = evidence(PLAINTEXT)
    file(facts, "doublewrite")["found"] = False
    facts["catalogue"]["variables"]["innodb_doublewrite"] = "OFF"
    assert judged(facts, PLAINTEXT).ok


@pytest.mark.parametrize("kind", ["table", "redo", "binlog"])
def test_a_kind_that_was_not_read_proves_nothing(kind: str) -> None:
    facts = evidence(ALL)
    facts["files"] = [entry for entry in facts["files"] if entry["kind"] != kind]
    assert "files of each kind" in failed(judged(facts, ALL))


def test_a_quick_search_is_no_full_proof() -> None:
    for mode in (ALL, PLAINTEXT):
        assert "scope of the search" in failed(judged(evidence(mode, full=False), mode))


def test_pages_that_wait_to_be_written_prove_nothing_of_their_files() -> None:
    for mode in (ALL, PLAINTEXT):
        facts = evidence(mode)
        file(facts, "undo")["echoed"] = mode is ALL
        next(f for f in facts["files"] if f["path"] == "data/mysql.ibd")["echoed"] = mode is ALL
        assert not judged(facts, mode).ok
        for space in facts["catalogue"]["tablespaces"]:
            space["busy"] = True
        proof = judged(facts, mode)
        assert proof.ok
        listed = [check.name for check in proof.checks if check.name.startswith("exempt: files")]
        assert listed == ["exempt: files of system", "exempt: files of undo"]


def test_temporary_tables_are_exempt_and_listed() -> None:
    facts = evidence(ALL)
    file(facts, "temporary")["found"] = True
    proof = judged(facts, ALL)
    assert proof.ok
    (listed,) = [check for check in proof.checks if check.name == "exempt: temporary tables"]
    assert "MySQL has no encryption of temporary tables" in listed.detail
    assert "marker readable in 1 of 1 file" in listed.detail
    names = [check.name for check in judged(evidence(PLAINTEXT), PLAINTEXT).checks]
    assert "exempt: temporary tables" not in names


def test_5_7_has_nothing_to_list() -> None:
    facts = evidence(PLAINTEXT, version="5.7.44-log")
    facts["catalogue"]["tablespaces"] = []
    facts["catalogue"]["variables"]["have_ssl"] = "DISABLED"
    facts["files"] = [
        entry for entry in facts["files"] if entry["kind"] not in ("undo", "doublewrite", "system")
    ]
    assert judged(facts, PLAINTEXT).ok
    facts["catalogue"]["plugins"] = {"keyring_file": "ACTIVE"}
    assert failed(judged(facts, PLAINTEXT)) == {"active keyrings"}


@pytest.mark.parametrize("mode", [TLS, TLS12, {**ALL, **TLS}])
def test_tls_is_proven_by_what_the_server_would_negotiate(mode: dict[str, Any]) -> None:
    facts = evidence(mode, full=False)
    assert judged(facts, mode, full=False).ok
    suites = "ssl_cipher" if mode is TLS12 else "tls_ciphersuites"
    for variable in ("tls_version", suites, "require_secure_transport"):
        broken = evidence(mode, full=False)
        broken["catalogue"]["variables"][variable] = "something"
        assert failed(judged(broken, mode, full=False)) == {variable}
    broken = evidence(mode, full=False)
    broken["catalogue"]["variables"]["Ssl_server_not_after"] = ""
    assert failed(judged(broken, mode, full=False)) == {"TLS of the server"}


def test_plaintext_has_no_tls_at_all() -> None:
    for value in ("Nov 18 14:19:23 2036 GMT", None):
        facts = evidence(PLAINTEXT, full=False)
        facts["catalogue"]["variables"]["Ssl_server_not_after"] = value
        if value is None:
            del facts["catalogue"]["variables"]["Ssl_server_not_after"]
        assert failed(judged(facts, PLAINTEXT, full=False)) == {"TLS of the server"}


@pytest.mark.parametrize("lacking", ["full", "catalogue", "files", "markerTable"])
def test_evidence_that_is_not_whole_is_no_proof(lacking: str) -> None:
    facts = evidence(ALL)
    del facts[lacking]
    proof = judged(facts, ALL)
    assert failed(proof) == {"evidence"}
    assert lacking in proof.summary


def test_the_summary_names_what_is_encrypted() -> None:
    assert judged(evidence(TABLES), TABLES).summary == (
        "TDE of tables is in force: TLS is off, 1 of 4 tablespaces is encrypted and the marker is "
        "readable in 5 of 9 files"
    )
    both = {**scoped("redo", "tables"), **TLS}
    assert judged(evidence(both), both).summary.startswith(
        "TLSv1.3 with TLS_AES_128_GCM_SHA256 and TDE of tables, redo is in force: no "
    )
