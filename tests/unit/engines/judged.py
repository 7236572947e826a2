"""Looking at a proof, and at the evidence that a test changes before it is judged."""

from typing import Any

from encbench.core.evidence import Proof

OTHERS = "tables that are not InnoDB's"


def failed(proof: Proof) -> set[str]:
    """Names of the checks that do not hold."""
    return {check.name for check in proof.checks if not check.ok}


def file(facts: dict[str, Any], kind: str) -> dict[str, Any]:
    """The first file of that kind."""
    found: dict[str, Any] = next(entry for entry in facts["files"] if entry["kind"] == kind)
    return found
