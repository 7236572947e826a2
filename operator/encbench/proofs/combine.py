"""How checks become a proof, and two proofs one.

A proof holds when all of its checks do; its summary says in one sentence what was found, or what
stands against it. A proof without a check, or with exemptions only, proves nothing and does not
hold.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.evidence import ON_TRUST, Proof
from encbench.core.tls import suite
from encbench.proofs.check import Comparison

SHOWN = 3
"""Failed checks that the summary names; the rest are counted."""


def conclude(
    mode: str,
    found: str,
    checks: Sequence[Comparison],
    evidence: Mapping[str, Any],
    *,
    on_trust: bool = False,
) -> Proof:
    """The proof of a mode. `mode` names it; `found` says what was found when it holds.

    `on_trust`: what was found is a declaration, which nothing in the pod can show.
    """
    trust = f", {ON_TRUST}" if on_trust else ""
    return proof_of(
        checks,
        evidence,
        found=f"{mode} is in force: {found}{trust}",
        missing=f"{mode} is not proven",
    )


def proof_of(
    checks: Sequence[Comparison],
    evidence: Mapping[str, Any],
    *,
    found: str,
    missing: str,
    unchecked: str = "nothing was checked",
) -> Proof:
    """The proof that these checks make; `unchecked` says what it means that there are none."""
    own = [check for check in checks if not check.exempt]
    failed = [f"{check.name}: {check.detail}" for check in own if not check.ok]
    ok = bool(own) and not failed
    rest = [f"and {len(failed) - SHOWN} more"] if len(failed) > SHOWN else []
    return Proof(
        ok=ok,
        summary=found if ok else f"{missing}: {'; '.join(failed[:SHOWN] + rest) or unchecked}",
        checks=tuple(check.stored() for check in checks),
        evidence=dict(evidence),
    )


def joined(first: Proof, second: Proof) -> Proof:
    """One proof of two, which holds when both do; else it says what stands against it."""
    failed = [part.summary for part in (first, second) if not part.ok]
    return first.model_copy(
        update={
            "ok": not failed,
            "summary": "; ".join(failed or (first.summary, second.summary)),
            "checks": (*first.checks, *second.checks),
            "evidence": {**first.evidence, **second.evidence},
        }
    )


def mode_name(mode: EncryptionModeSpec, at_rest: str | None) -> str:
    """The mode for a proof's summary; `at_rest` is the engine's word for its encryption at rest."""
    in_transit = mode.in_transit
    words = [] if in_transit is None else [f"{in_transit.version} with {suite(in_transit)}"]
    return " and ".join([*words, *([at_rest] if at_rest else [])]) or "plaintext"
