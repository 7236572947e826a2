"""The part of the second proof that only the clients can give: what their sessions negotiated.

It is known when their output is in the bucket, after the agent's evidence, and joins that proof
there. Every arm is judged: a plaintext one must have negotiated nothing, and a client that tells
nothing proves nothing.
"""

from collections.abc import Sequence
from typing import Any

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.evidence import Proof, ProofCheck
from encbench.core.records import ClientFacts
from encbench.core.tls import expected
from encbench.proofs.check import Check


def prove(
    mode: EncryptionModeSpec, clients: Sequence[ClientFacts], unverified: str | None = None
) -> Proof:
    """Whether each client negotiated what the mode says, and nothing else.

    `unverified` is what the tool leaves unverified of the server's certificate: an exemption, which
    the proof lists.
    """
    wanted = expected(mode.in_transit)
    checks = [
        Check(
            f"session of client {index}",
            str(wanted),
            " and ".join(map(str, client.sessions)) or "nothing that it said",
            client.sessions == (wanted,),
        )
        for index, client in enumerate(clients)
    ]
    exempt = (
        [Check("exempt: the server's certificate", "anything", unverified, ok=True)]
        if unverified
        else []
    )
    return by_clients(
        f"every client's session had {wanted}",
        "the mode is not proven by the clients",
        checks,
        exempt,
        {"sessions": [[one.to_dict() for one in c.sessions] for c in clients]},
    )


def by_clients(
    found: str,
    missing: str,
    checks: Sequence[Check],
    exemptions: Sequence[Check],
    evidence: dict[str, Any],
) -> Proof:
    """The proof that one check for each client makes; without a client it does not hold."""
    failed = [f"{check.name}: {check.detail}" for check in checks if not check.ok]
    ok = bool(checks) and not failed
    return Proof(
        ok=ok,
        summary=found if ok else f"{missing}: {'; '.join(failed) or 'there are none'}",
        checks=tuple(
            ProofCheck(name=check.name, ok=check.ok, detail=check.detail)
            for check in (*checks, *exemptions)
        ),
        evidence=evidence,
    )


def joined(proof: Proof, sessions: Proof) -> Proof:
    """The agent's proof and the clients' as one, which holds when both do."""
    failed = [part.summary for part in (proof, sessions) if not part.ok]
    return proof.model_copy(
        update={
            "ok": not failed,
            "summary": "; ".join(failed or (proof.summary, sessions.summary)),
            "checks": (*proof.checks, *sessions.checks),
            "evidence": {**proof.evidence, **sessions.evidence},
        }
    )
