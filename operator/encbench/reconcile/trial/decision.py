"""What a stage of a trial has decided, and what all stages say alike."""

from datetime import UTC, datetime

from encbench.api import lifecycle as life
from encbench.api.conditions import format_time
from encbench.api.scalars import parse_duration
from encbench.api.trial import Outcome, TrialSpec, TrialStatus
from encbench.core.evidence import Proof
from encbench.reconcile import fullness
from encbench.reconcile.draft import Decision, Draft, backoff
from encbench.reconcile.effects.effect import Prove, TrialEffect
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.trial.facts import Question, TrialSeen, When
from encbench.reconcile.troubles import cut_off, node_lost

START_TOGETHER = 0.3
"""Seconds between the release and the start of a client, which hears of it by an HTTP call."""
EACH_CLIENT = 0.03
"""Seconds more for each other one: the operator signs three URLs for every client."""
TAKE_TURNS = 5.0
"""The same in an interleaved block, whose trials learn the start from each other."""
FARTHEST = 30.0
"""The same at most, once a block's trials did not learn it in time."""
UPLOAD_AFTER_FAILURE = 60.0
"""Seconds that a failed tool's log has to reach the bucket before the trial ends without it."""
POLL = 0.2
"""Seconds between looks while something is due at any moment."""
SLOW_POLL = 1.0
SELDOM = 15.0
"""The same while the tool runs."""
OTHER_ENDED = "another trial of its interleaved block ended without a result, or before this began"


TrialDecision = Decision[TrialStatus, TrialEffect]


def ahead(clients: int) -> float:
    """Seconds between the release and the common start of that many clients."""
    return START_TOGETHER + EACH_CLIENT * (clients - 1)


def until(left: float) -> float:
    """Look seldom while a tool runs, because looking costs CPU, and often around its end.

    The later it is, the less so. What happens to a pod wakes us anyway.
    """
    return max(POLL, min(left, SELDOM)) if left > 0 else backoff(-left, POLL, SLOW_POLL)


class TrialDraft(Draft[TrialSpec, TrialStatus, TrialSeen]):
    """The draft that each stage of a trial goes on with."""

    def decide(self, *effects: TrialEffect, requeue: float | None = None) -> TrialDecision:
        """What was decided, with the phase that follows from the conditions."""
        self.note_hindrance(over=self.is_true(life.ARCHIVED))
        self.set(phase=life.TRIAL_LIFE.phase(self.conditions, self.status.outcome))
        return Decision(self.status, effects, requeue)

    def defer(self, *effects: TrialEffect, requeue: float) -> TrialDecision:
        """What was found is written with what follows from it; the effects are announced."""
        return Decision(self.subject.status, effects, requeue)

    def end(self, outcome: Outcome, reason: str | None, message: str | None) -> TrialDecision:
        """Write down how the trial ends; a valid one needs no reason."""
        self.set(outcome=outcome, reason=reason, message=message and message[:4096])
        return self.decide(requeue=0.0)

    def prove(self, when: When) -> tuple[Prove, ...]:
        """Announce the proof and have it made; nothing yet where no server can be asked."""
        kind = life.PROVEN_BEFORE if when == "before" else life.PROVEN_AFTER
        self.condition(kind, None, life.PROVING, f"the mode is proven {when} the run")
        testbed, database = self.seen.testbed, self.seen.database
        if testbed is None or (database is None and not self.seen.is_external):
            return ()
        return (Prove(testbed, database, when),)

    def note_silence(self, problem: str = "") -> None:
        """Name whoever did not answer the last question, or the lost node that took it along."""
        said = self.seen.found.problem or problem
        if not self.note_lost(self.seen.database) and said:
            self.hinder(life.NO_ANSWER, said)

    def note_lost(self, pod: PodFacts | None) -> bool:
        """Name this pod's node if it is lost, and say whether it is."""
        if pod is None or not pod.is_lost:
            return False
        found = node_lost(pod)
        self.hinder(found.reason, found.message)
        return True

    def note_cut_off(self, pod: PodFacts, end: float) -> None:
        """Name a client on a node that does not answer, and until when its tool may run there."""
        at = format_time(datetime.fromtimestamp(end, UTC))
        found = cut_off(pod, f"load the database until {at}")
        self.hinder(found.reason, found.message)

    def set_proof(self, kind: str, proof: Proof) -> None:
        """Write down what a proof has found."""
        reason = life.IN_FORCE if proof.ok else life.NOT_IN_FORCE
        self.condition(kind, proof.ok, reason, proof.summary)
        if not proof.ok:
            self.end("Invalid", "ProofFailed", proof.summary)

    def is_overdue(self, what: Question, waited: float) -> bool:
        """Whether an answer takes too long that has been wanted for so many seconds.

        Others may be asked first. For that a question has as long again, and no longer: one that
        finds no turn, or that ever new operators ask anew, must not wait for ever.
        """
        limit, seen = parse_duration(self.spec.step_deadlines.proof), self.seen
        asked = self.age(seen.found.asked.get(what))
        is_there = seen.is_external or seen.database is not None
        return min(waited, asked) > limit or waited > limit * (2 if is_there else 1)

    def no_proof(self, when: When) -> str:
        """Why there is no proof though its time is over."""
        found = self.seen.found
        silence = "no answer" if when in found.asked else "it could not be asked for"
        message = f"the mode could not be proven in time: {found.problem or silence}"
        return fullness.after(message, found.full)
