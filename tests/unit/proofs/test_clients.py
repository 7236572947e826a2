"""What only the clients can prove: what they negotiated, and what their drivers read."""

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.columns.probes import TPCC
from encbench.core.evidence import Proof, ProofCheck, TrialProofsRecord
from encbench.core.records import ClientFacts
from encbench.core.tls import PLAIN, TlsSession
from encbench.proofs.check import joined
from encbench.proofs.clients import before_sessions, decrypted, read, sessions, silent
from tests.support.testbeds import PLAINTEXT, TLS, spec_of_external, spec_of_testbed
from tests.support.workloads import tpcc_spec

MODE = EncryptionModeSpec.model_validate(TLS)
RIGHT = TlsSession(tls="TLSv1.3", cipher="TLS_AES_128_GCM_SHA256")
WRONG = {
    "another suite": TlsSession(tls="TLSv1.3", cipher="TLS_AES_256_GCM_SHA384"),
    "another version": TlsSession(tls="TLSv1.2", cipher="TLS_AES_128_GCM_SHA256"),
    "no TLS": PLAIN,
    "no answer": TlsSession(tls="unknown", cipher="unknown"),
}


def client(*negotiated: TlsSession) -> ClientFacts:
    return ClientFacts(sessions=negotiated)


def test_each_client_must_have_what_the_mode_says() -> None:
    found = sessions(MODE, [client(RIGHT), client(RIGHT)])
    assert found.ok
    assert found.summary == "every client's session had TLSv1.3 with TLS_AES_128_GCM_SHA256"
    assert [check.name for check in found.checks] == ["session of client 0", "session of client 1"]


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_anything_else_is_no_proof(wrong: TlsSession) -> None:
    found = sessions(MODE, [client(RIGHT), client(wrong)])
    assert not found.ok
    assert [check.ok for check in found.checks] == [True, False]
    assert f"session of client 1: expected {RIGHT}; observed {wrong}" in found.summary


def test_plaintext_is_proven_as_strictly() -> None:
    assert sessions(EncryptionModeSpec(), [client(PLAIN)]).ok
    found = sessions(EncryptionModeSpec(), [client(RIGHT)])
    assert not found.ok
    assert "expected no TLS; observed TLSv1.3" in found.summary


@pytest.mark.parametrize("mode", [MODE, EncryptionModeSpec()])
def test_who_tells_nothing_proves_nothing(mode: EncryptionModeSpec) -> None:
    found = sessions(mode, [client()])
    assert not found.ok
    assert "observed nothing that it said" in found.summary
    assert not sessions(mode, []).ok


def test_sessions_that_differ_within_a_client_are_no_proof() -> None:
    assert not sessions(MODE, [client(RIGHT, PLAIN)]).ok


def test_what_a_tool_leaves_unverified_is_listed_and_does_not_count() -> None:
    found = sessions(MODE, [client(RIGHT)], "its names")
    assert found.ok
    (exemption,) = found.checks[1:]
    assert exemption.name == "exempt: the server's certificate"
    assert exemption.detail == "not verified: its names"
    assert not sessions(MODE, [], "its names").ok


@pytest.mark.parametrize("agents", [True, False])
@pytest.mark.parametrize("clients", [True, False])
def test_the_joined_proof_holds_when_both_do(agents: bool, clients: bool) -> None:
    before = Proof(
        ok=agents, summary="files", checks=(ProofCheck(name="a", ok=agents),), evidence={"x": 1}
    )
    told = sessions(MODE, [client(RIGHT if clients else PLAIN)])
    found = joined(before, told)
    assert found.ok == (agents and clients)
    assert len(found.checks) == 2
    assert found.evidence["x"] == 1
    assert found.evidence["sessions"] == [
        [{"tls": "TLSv1.3", "cipher": "TLS_AES_128_GCM_SHA256"}]
        if clients
        else [{"tls": "none", "cipher": "none"}]
    ]
    if agents != clients:
        assert found.summary == (told.summary if agents else "files")


@pytest.mark.parametrize("mode", [PLAINTEXT, TLS])
def test_the_first_proof_claims_nothing_and_lists_what_is_not_seen(mode: dict[str, object]) -> None:
    spec = spec_of_external(mode)
    place = spec.instance.external
    assert place is not None
    proof = before_sessions(place, EncryptionModeSpec.model_validate(mode))
    assert proof.ok, "nothing stands against it yet"
    assert "in force" not in proof.summary
    assert len(proof.checks) == 4
    assert all(check.name.startswith("exempt: ") for check in proof.checks)
    assert "the end of the clients' connection" in proof.checks[-1].name


# -- what a client's driver read


def agent(**changes: str) -> Proof:
    tables = [
        {"table": probe.table, "row": True, "digest": changes.get(probe.table, digest(probe.table))}
        for probe in TPCC
    ]
    return Proof(ok=True, summary="", evidence={"columns": {"all": 10, "tables": tables}})


def digest(table: str) -> str:
    return f"{len(table):064x}"


def reader(**changes: str) -> ClientFacts:
    told = [(probe.table, changes.get(probe.table, digest(probe.table))) for probe in TPCC]
    return ClientFacts(columns=(*told, *told))


def test_a_driver_that_reads_what_the_server_has() -> None:
    found = read([reader(), reader()], agent(), agent())
    assert found.ok
    assert len(found.checks) == 2


def test_a_driver_that_decrypts_one_table_wrong() -> None:
    found = read([reader(), reader(bmsql_item="f" * 64)], agent(), agent())
    assert not found.ok
    assert "client 1 read: expected the server's; observed others in bmsql_item" in found.summary


@pytest.mark.parametrize(
    "facts",
    [ClientFacts(), ClientFacts(columns=(reader().columns or ())[:10])],
    ids=["nothing", "once"],
)
def test_a_client_that_tells_too_little(facts: ClientFacts) -> None:
    assert not read([facts], agent(), agent()).ok
    assert not read([], agent(), agent()).ok


def test_a_row_that_a_delivery_took() -> None:
    gone = agent(bmsql_new_order="absent")
    assert read([reader()], agent(), gone).ok
    assert read([reader(bmsql_new_order="absent")], gone, gone).ok
    assert not read([reader(bmsql_new_order="absent")], agent(), agent()).ok


def test_no_other_row_may_go_or_change() -> None:
    assert not read([reader()], agent(), agent(bmsql_item="absent")).ok
    assert not read([reader()], agent(), agent(bmsql_stock="e" * 64)).ok


def test_without_the_agents_own_digests_nothing_is_proven() -> None:
    assert not read([reader()], None, None).ok
    assert "the agent has not told it" in read([reader()], None, None).summary


def test_a_client_that_cannot_tell_is_listed_as_an_exemption() -> None:
    spec = spec_of_testbed({"columns": {"method": "confidential", "ratio": 100}})
    found = decrypted(
        spec,
        tpcc_spec({"benchmarksql": {}}, {"warmup": "0s", "duration": "1m"}),
        [],
        TrialProofsRecord(),
    )
    assert found is not None
    assert found.ok
    assert found.checks[0].name == "exempt: what the client read"


def test_plaintext_that_no_client_reports_is_an_exemption() -> None:
    found = silent(EncryptionModeSpec())
    assert found.ok
    assert [check.name for check in found.checks] == [
        "exempt: what the clients' sessions negotiated"
    ]
    assert "plaintext in transit is not proven" in found.summary
    assert found.summary.endswith("the clients' JDBC URL turns TLS off")


def test_the_user_s_own_url_may_ask_for_tls() -> None:
    jar = {"class": "x.D", "urlTemplate": "jdbc:x://{host}", "claimName": "jars", "path": "d.jar"}
    found = silent(EncryptionModeSpec.model_validate({"driver": {"jar": jar}}))
    assert "is driver.jar's own, and whether it turns TLS off was not seen" in found.summary
