"""The part of the column proof that only a client can give: what its own driver read.

Our TPC-C client reads one row of every table through its driver, before its first transaction and
after its last, and prints digests of the plaintext; the agent has computed the same from the
server's own session. A driver that did not decrypt, or not all, prints others.
"""

from collections.abc import Sequence

from encbench.api.testbed import TestbedSpec
from encbench.api.workload import WorkloadSpec
from encbench.core.columns.probes import MAY_GO, TPCC
from encbench.core.evidence import Proof, ProofCheck, TrialProofsRecord
from encbench.core.records import ClientFacts
from encbench.proofs import columns
from encbench.proofs.check import Check
from encbench.reconcile.trial.sessions import by_clients

READINGS = 2
"""Before the first transaction and after the last."""


def told(
    spec: TestbedSpec,
    workload: WorkloadSpec,
    clients: Sequence[ClientFacts],
    made: TrialProofsRecord,
) -> Proof | None:
    """What the clients of an arm with a proxy say; None in every other arm, and of sysbench.

    sysbench has no JDBC: it gets what the agent has seen, ciphertext where a column is chosen.
    """
    if spec.mode.columns is None or workload.tpcc is None:
        return None
    if workload.tpcc.benchmarksql is not None:
        return exempt("BenchmarkSQL does not tell")
    return prove(clients, made.before, made.after)


def hides_sessions(spec: TestbedSpec) -> bool:
    """Whether a client cannot tell what its session negotiated: a strict proxy encrypts the answer.

    Then nothing was: the proxy speaks no TLS and the server has none, as its settings show. A JDBC
    driver that decrypts gives our TPC-C client the answer.
    """
    return spec.mode.columns is not None and spec.dataset.tpcc is None


def prove(clients: Sequence[ClientFacts], before: Proof | None, after: Proof | None) -> Proof:
    """Whether each client's driver read what the server has."""
    known = [columns.digests(proof.evidence) for proof in (before, after) if proof is not None]
    wanted = {
        probe.table: frozenset(one[probe.table] for one in known if probe.table in one)
        for probe in TPCC
    }
    checks = [_check(index, client, wanted) for index, client in enumerate(clients)]
    return by_clients(
        "every client's driver read what the server has",
        "the clients do not prove what they read",
        checks,
        [],
        {"read": [list(client.columns or ()) for client in clients]},
    )


def exempt(why: str) -> Proof:
    """A client that does not tell: nothing stands against it, and every proof says so."""
    check = ProofCheck(name="exempt: what the client read", ok=True, detail=why)
    return Proof(ok=True, summary=f"what the client read is not proven, for {why}", checks=(check,))


def _check(index: int, client: ClientFacts, wanted: dict[str, frozenset[str]]) -> Check:
    name, told = f"rows that the driver of client {index} read", client.columns or ()
    wrong = []
    for table, digests in wanted.items():
        own = [digest for found, digest in told if found == table]
        if not digests:
            wrong.append(f"{table} (the agent has not told it)")
        elif len(own) < READINGS:
            wrong.append(f"{table} (told {len(own)} times)")
        elif any(digest not in digests for digest in own):
            wrong.append(table)
        elif table not in MAY_GO and len(digests) > 1:
            wrong.append(f"{table} (it changed)")
    seen = f"others in {', '.join(wrong)}" if wrong else "the server's"
    return Check(name, "the server's", seen, not wrong)
