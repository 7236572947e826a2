"""The part of a proof that only the clients can give: what they negotiated, and what they read.

It joins the second proof once their output is in the bucket, after the agent's evidence. Every arm
is judged: clients of a plaintext arm must have negotiated no TLS, and a client that reports nothing
proves nothing.

Our TPC-C client also reads one row of every table through its driver, before its first transaction
and after its last, and prints digests of the plaintext; the agent computes the same digests from
the server's own session. A driver that decrypts too little prints other digests. With encrypted
column types encbench's sysbench scripts do the same with one row, which both open with the key.
"""

from collections.abc import Mapping, Sequence

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.instancetemplate import External
from encbench.api.testbed import TestbedSpec
from encbench.api.workload import WorkloadSpec
from encbench.core.columns.probes import MAY_GO, TPCC
from encbench.core.evidence import Proof, TrialProofsRecord
from encbench.core.records import ClientFacts
from encbench.core.tls import expected
from encbench.proofs import columns, enclave
from encbench.proofs.check import Comparison, exempt, proof_of

UNSEEN = (
    "the data files, logs and backups of the server",
    "its settings, and whether other clients used it",
    "a restart of the server between two sessions",
    "that what answers is the end of the clients' connection, and not a pooler or proxy",
)
"""What no client's session shows of an external database.

The server says what its own end of a session negotiated. Behind a pooler that is the pooler's
connection, and not the client's.
"""
READINGS = 2
"""Before the first transaction and after the last."""


def before_sessions(external: External, mode: EncryptionModeSpec) -> Proof:
    """The proof of an external database until its clients have run: it holds, but claims nothing.

    It has no checks but exemptions. The clients' sessions decide; they join each trial's second
    proof.
    """
    name = "plaintext in transit" if mode.in_transit is None else "TLS"
    unseen = [exempt(what, "not to be seen through a session", expected=None) for what in UNSEEN]
    return Proof(
        ok=True,
        summary=f"{name} is for the clients' sessions of each trial to prove, for encbench does "
        "not run the server and sees nothing of its files",
        checks=tuple(one.stored() for one in unseen),
        evidence={"external": {"host": external.host, "database": external.database}},
    )


def sessions(
    mode: EncryptionModeSpec, clients: Sequence[ClientFacts], unverified: str | None = None
) -> Proof:
    """Whether each client negotiated what the mode says, and nothing else.

    `unverified` says what the tool does not verify in the server's certificate: an exemption.
    """
    wanted = expected(mode.in_transit)
    checks = [
        Comparison(
            f"session of client {index}",
            str(wanted),
            " and ".join(map(str, client.sessions)) or "nothing that it said",
            client.sessions == (wanted,),
        )
        for index, client in enumerate(clients)
    ]
    if unverified:
        unseen = f"not verified: {unverified}"
        checks.append(exempt("the server's certificate", unseen, expected=None))
    return proof_of(
        checks,
        {"sessions": [[one.to_dict() for one in client.sessions] for client in clients]},
        found=f"every client's session had {wanted}",
        missing="the mode is not proven by the clients",
        unchecked="there are none",
    )


def silent(mode: EncryptionModeSpec) -> Proof:
    """The proof of an external database's plaintext where clients report nothing: an exemption.

    A mode with inTransit is refused for such clients. The URL of a driver of the user's own is not
    judged, because only that driver knows what its parameters mean and what it does without them.
    """
    why = "BenchmarkSQL does not report it"
    check = exempt("what the clients' sessions negotiated", why, expected=None)
    url = "the clients' JDBC URL turns TLS off"
    if mode.driver is not None and mode.driver.jar is not None:
        url = "the clients' JDBC URL is driver.jar's own, and whether it turns TLS off was not seen"
    summary = f"plaintext in transit is not proven, for {why}: {url}"
    return Proof(ok=True, summary=summary, checks=(check.stored(),))


def hides_sessions(spec: TestbedSpec) -> bool:
    """Whether clients cannot report what their sessions negotiated: a strict proxy encrypts that.

    Such a session has no TLS: the proxy does not speak it, and the server's settings show that it
    is off. A JDBC driver that decrypts gives our TPC-C client the answer.
    """
    return spec.mode.proxy is not None and spec.dataset.tpcc is None


def decrypted(
    spec: TestbedSpec,
    workload: WorkloadSpec,
    clients: Sequence[ClientFacts],
    made: TrialProofsRecord,
) -> Proof | None:
    """What the clients of an arm with encrypted columns read; None in every other arm.

    sysbench has no JDBC: behind a proxy it receives chosen columns as ciphertext, like the agent.
    """
    if spec.mode.enclave is not None:
        # A client that its server's stop cuts off does not come to its second reading.
        readings = READINGS if workload.recovery is None else 1
        return opened(clients, made.before, made.after, readings)
    if spec.mode.proxy is None or workload.tpcc is None:
        return None
    if workload.tpcc.benchmarksql is not None:
        why = "BenchmarkSQL does not tell"
        check = exempt("what the client read", why, expected=None).stored()
        summary = f"what the client read is not proven, for {why}"
        return Proof(ok=True, summary=summary, checks=(check,))
    return read(clients, made.before, made.after)


def read(clients: Sequence[ClientFacts], before: Proof | None, after: Proof | None) -> Proof:
    """Whether each client's driver read what the server has."""
    known = [columns.digests(proof.evidence) for proof in (before, after) if proof is not None]
    tables = [probe.table for probe in TPCC]
    return _read(clients, known, tables, "every client's driver read what the server has")


def opened(
    clients: Sequence[ClientFacts],
    before: Proof | None,
    after: Proof | None,
    readings: int = READINGS,
) -> Proof:
    """Whether each client opened the row that no workload touches as the agent did."""
    known = [enclave.digests(proof.evidence) for proof in (before, after) if proof is not None]
    found = "every client opened the row as the key does"
    return _read(clients, known, [enclave.ROW_TABLE], found, readings)


def _read(
    clients: Sequence[ClientFacts],
    known: Sequence[Mapping[str, str]],
    tables: Sequence[str],
    found: str,
    readings: int = READINGS,
) -> Proof:
    """`known` has the digest of each of these tables, in each of the agent's proofs."""
    wanted = {table: frozenset(one[table] for one in known if table in one) for table in tables}
    return proof_of(
        [_rows_read(index, client, wanted, readings) for index, client in enumerate(clients)],
        {"read": [list(client.columns or ()) for client in clients]},
        found=found,
        missing="the clients do not prove what they read",
        unchecked="there are none",
    )


def _rows_read(
    index: int, client: ClientFacts, wanted: dict[str, frozenset[str]], readings: int
) -> Comparison:
    printed, wrong = client.columns or (), []
    for table, digests in wanted.items():
        own = [digest for found, digest in printed if found == table]
        if not digests:
            wrong.append(f"{table} (the agent has not told it)")
        elif len(own) < readings:
            wrong.append(f"{table} (told {len(own)} times)")
        elif any(digest not in digests for digest in own):
            wrong.append(table)
        elif table not in MAY_GO and len(digests) > 1:
            wrong.append(f"{table} (it changed)")
    seen = f"others in {', '.join(wrong)}" if wrong else "the server's"
    name = f"rows that the driver of client {index} read"
    return Comparison(name, "the server's", seen, not wrong)
