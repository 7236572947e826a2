"""Checks: what a proof is made of, the same for every engine.

A check compares what was expected with what was observed. An exemption is a place where an engine
is known to leave plaintext, or something that cannot be seen: every proof that relies on it lists
it, so that no reader takes the proof for more than it is. `combine` makes a proof of checks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from encbench.core.evidence import ProofCheck

ANYTHING = "anything"


@dataclass(frozen=True)
class Comparison:
    """One thing that was looked at."""

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
        """As the proof keeps it."""
        name = f"exempt: {self.name}" if self.exempt else self.name
        return ProofCheck(name=name, ok=self.ok, detail=self.detail)


def equals(name: str, expected: str, observed: str | None) -> Comparison:
    """A setting that must have this value; None is a setting that the server does not know."""
    seen = "nothing" if observed is None else observed
    return Comparison(name, expected, seen, seen == expected)


def holds(name: str, ok: bool, yes: str, no: str) -> Comparison:
    """A fact that must hold, in words for either case."""
    return Comparison(name, yes, yes if ok else no, ok)


def none(name: str, found: Sequence[str]) -> Comparison:
    """Nothing must have been found; it names the first few things that were."""
    shown = ", ".join(found[:5]) + (f" and {len(found) - 5} more" if len(found) > 5 else "")
    return Comparison(name, "none", shown or "none", not found)


def exempt(name: str, observed: str, expected: str | None = ANYTHING) -> Comparison:
    """An exemption: it never fails, and a proof that has nothing else proves nothing."""
    return Comparison(name, expected, observed, ok=True, exempt=True)


def lacking(error: ValidationError, *place: str) -> Comparison:
    """A check that fails because the evidence (or its part at `place`) is not whole."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in (*place, *first["loc"]))
    return Comparison("evidence", "complete", f"{where}: {first['msg']}", ok=False)
