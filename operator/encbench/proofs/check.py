"""Checks, and the proof that they make, the same for every engine.

A check compares what was expected with what was observed. An exemption is a place where an engine
is known to leave plaintext, or something that cannot be seen. Every proof that relies on one lists
it, so that no reader takes the proof for more than it is.

A proof holds when all of its checks do. Its summary says in one sentence what was found, or what
failed. A proof without a check, or with exemptions only, proves nothing and does not hold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.evidence import ON_TRUST, Proof, ProofCheck
from encbench.core.tls import suite

ANYTHING = "anything"
SHOWN = 3
"""Failed checks that the summary names; it counts the rest."""


@dataclass(frozen=True)
class Comparison:
    """One check."""

    name: str
    expected: str | None
    """None where nothing can be expected, because there is nothing to see."""
    observed: str
    ok: bool
    exempt: bool = False

    @property
    def detail(self) -> str:
        """Both sides in words."""
        if self.expected is None:
            return self.observed
        if self.expected == self.observed:
            return f"{self.observed}, as expected"
        return f"expected {self.expected}; observed {self.observed}"

    def stored(self) -> ProofCheck:
        """The check as the proof stores it."""
        name = f"exempt: {self.name}" if self.exempt else self.name
        return ProofCheck(name=name, ok=self.ok, detail=self.detail)


def equals(name: str, expected: str, observed: str | None) -> Comparison:
    """A setting must have this value; `observed` is None where the server does not know it."""
    seen = "nothing" if observed is None else observed
    return Comparison(name, expected, seen, seen == expected)


def holds(name: str, ok: bool, yes: str, no: str) -> Comparison:
    """A fact must hold; `yes` and `no` describe either case."""
    return Comparison(name, yes, yes if ok else no, ok)


def none(name: str, found: Sequence[str]) -> Comparison:
    """Nothing must have been found; the check names the first few things that were."""
    shown = ", ".join(found[:5]) + (f" and {len(found) - 5} more" if len(found) > 5 else "")
    return Comparison(name, "none", shown or "none", not found)


def exempt(
    name: str, observed: str, expected: str | None = ANYTHING, *, why: str = ""
) -> Comparison:
    """An exemption: it never fails, and a proof that has nothing else proves nothing."""
    if why:
        expected = f"{expected}, for {why}"
    return Comparison(name, expected, observed, ok=True, exempt=True)


def conclude(
    mode: str,
    found: str,
    checks: Sequence[Comparison],
    evidence: Mapping[str, Any],
    *,
    on_trust: bool = False,
) -> Proof:
    """The proof of the mode of that name; `found` says what was found when it holds.

    With `on_trust` that is a declaration, which cannot be verified from the pod.
    """
    trust = f", {ON_TRUST}" if on_trust else ""
    return proof_of(
        checks,
        evidence,
        found=f"{mode} is in force: {found}{trust}",
        missing=f"{mode} is not proven",
        on_trust=on_trust,
    )


def proof_of(
    checks: Sequence[Comparison],
    evidence: Mapping[str, Any],
    *,
    found: str,
    missing: str,
    unchecked: str = "nothing was checked",
    on_trust: bool = False,
) -> Proof:
    """The proof that these checks make; `unchecked` is the reason given where there are none.

    With `on_trust` it holds by a declaration, as `found` then says.
    """
    own = [check for check in checks if not check.exempt]
    failed = [f"{check.name}: {check.detail}" for check in own if not check.ok]
    ok = bool(own) and not failed
    rest = [f"and {len(failed) - SHOWN} more"] if len(failed) > SHOWN else []
    return Proof(
        ok=ok,
        summary=found if ok else f"{missing}: {'; '.join(failed[:SHOWN] + rest) or unchecked}",
        on_trust=(ok and on_trust) or None,
        checks=tuple(check.stored() for check in checks),
        evidence=dict(evidence),
    )


def joined(first: Proof, second: Proof) -> Proof:
    """One proof of two. It holds when both do; otherwise its summary says which failed and why.

    What either of them takes on trust or has lost, both do.
    """
    failed = [part.summary for part in (first, second) if not part.ok]
    return first.model_copy(
        update={
            "ok": not failed,
            "summary": "; ".join(failed or (first.summary, second.summary)),
            "on_trust": first.on_trust or second.on_trust,
            "evidence_lost": first.evidence_lost or second.evidence_lost,
            "checks": (*first.checks, *second.checks),
            "evidence": {**first.evidence, **second.evidence},
        }
    )


def mode_name(mode: EncryptionModeSpec, at_rest: str | None) -> str:
    """The mode for a proof's summary; `at_rest` is the engine's term for its encryption at rest."""
    in_transit = mode.in_transit
    words = [] if in_transit is None else [f"{in_transit.version} with {suite(in_transit)}"]
    return " and ".join([*words, *([at_rest] if at_rest else [])]) or "plaintext"
