"""The proofs of a trial from when they are made until its record names them.

Each is stored at once, in an object of its own that goes when the trial is archived. While the
store is away they are kept in memory; if the operator dies then, the evidence is lost and the
verdict stays in the trial's conditions.
"""

from typing import Literal

from encbench.api.conditions import find
from encbench.api.trial import TrialStatus
from encbench.core.evidence import Proof, TrialProofsRecord
from encbench.ports import Store, Unavailable
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial.decision import PROVEN_AFTER, PROVEN_BEFORE
from encbench.reconcile.trial.first_stored import key_of, settle, settled

When = Literal["before", "after"]
CONDITIONS: dict[When, str] = {"before": PROVEN_BEFORE, "after": PROVEN_AFTER}


class KeptProofs:
    """The proofs of all trials under way."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._unstored: dict[tuple[str, When], Proof] = {}

    async def keep(self, trial: Trial, when: When, proof: Proof) -> Proof:
        """The proof that counts: one that is stored already, else this."""
        record = TrialProofsRecord.model_validate({when: proof})
        try:
            record, _ = await settle(self._store, trial, _name(when), record)
        except Unavailable:
            self._unstored[trial.uid, when] = proof
        return getattr(record, when) or proof

    async def collect(self, trial: Trial, status: TrialStatus) -> TrialProofsRecord:
        """Both proofs, as far as they were made. Unavailable when the store is."""
        found = {when: await self._find(trial, status, when) for when in CONDITIONS}
        return TrialProofsRecord.model_validate(found)

    async def discard(self, trial: Trial) -> None:
        """The trial's record names the proofs now."""
        await self._store.delete([key_of(trial, _name(when)) for when in CONDITIONS])
        self.forget(trial)

    def forget(self, trial: Trial) -> None:
        """Nobody will ask any more."""
        for when in CONDITIONS:
            self._unstored.pop((trial.uid, when), None)

    async def _find(self, trial: Trial, status: TrialStatus, when: When) -> Proof | None:
        stored = await settled(self._store, trial, _name(when), TrialProofsRecord)
        kept = stored and getattr(stored[0], when)
        return kept or self._unstored.get((trial.uid, when)) or _from_condition(status, when)


def _name(when: When) -> str:
    return f"proof-{when}.json"


def _from_condition(status: TrialStatus, when: When) -> Proof | None:
    fact = find(status.conditions, CONDITIONS[when])
    if fact is None or fact.reason not in ("ModeInForce", "ModeNotInForce"):
        return None
    return Proof(ok=fact.status == "True", summary=fact.message, time=fact.last_transition_time)
