"""How checks become a proof, the same for every engine.

A check compares what was expected with what was observed. A proof holds when all of its checks do;
its summary says in one sentence what was found, or what stands against it. An exemption is a place
where an engine is known to leave plaintext: it is listed in every proof that relies on it, so that
no reader takes the proof for more than it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from encbench.core.evidence import Proof, ProofCheck

SHOWN = 3
"""Failed checks that the summary names; the rest are counted."""


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    name: str
    expected: str
    observed: str
    ok: bool

    @property
    def detail(self) -> str:
        """Both sides in words."""
        if self.expected == self.observed:
            return f"{self.observed}, as expected"
        return f"expected {self.expected}; observed {self.observed}"


def equals(name: str, expected: str, observed: str | None) -> Check:
    """A check that a setting has a value; None is a setting that the server does not know."""
    seen = "nothing" if observed is None else observed
    return Check(name, expected, seen, seen == expected)


def lacking(error: ValidationError, *place: str) -> Check:
    """A check that fails, for the evidence (or its part at `place`) is not whole."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in (*place, *first["loc"]))
    return Check("evidence", "complete", f"{where}: {first['msg']}", ok=False)


def conclude(
    mode: str,
    found: str,
    checks: Sequence[Check],
    exemptions: Sequence[Check],
    evidence: Mapping[str, Any],
) -> Proof:
    """The proof that these checks make. `mode` names it; `found` says what was found when it holds.

    A proof without a single check proves nothing and does not hold.
    """
    failed = [check for check in checks if not check.ok]
    ok = bool(checks) and not failed
    if ok:
        summary = f"{mode} is in force: {found}"
    else:
        shown = "; ".join(f"{check.name}: {check.detail}" for check in failed[:SHOWN])
        rest = f"; and {len(failed) - SHOWN} more" if len(failed) > SHOWN else ""
        summary = f"{mode} is not proven: {shown or 'nothing was checked'}{rest}"
    return Proof(
        ok=ok,
        summary=summary,
        checks=tuple(
            ProofCheck(name=check.name, ok=check.ok, detail=check.detail)
            for check in (*checks, *exemptions)
        ),
        evidence=dict(evidence),
    )


def both(before: Proof, more: Proof) -> Proof:
    """One proof of two, which holds when both do; what stands against it comes first."""
    first, second = (before, more) if more.ok and not before.ok else (more, before)
    return before.model_copy(
        update={
            "ok": before.ok and more.ok,
            "summary": f"{first.summary}; {second.summary}",
            "checks": (*more.checks, *before.checks),
            "evidence": {**before.evidence, **more.evidence},
        }
    )
