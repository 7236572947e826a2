"""What the agent read of the server at the edges of an interleaved block's slots.

The first readings that are stored count, as of everything that a record rests on.
"""

from dataclasses import dataclass

from encbench.core.records import SlotsRecord
from encbench.core.slices import Slices, with_server
from encbench.ports import Rejected, Unavailable
from encbench.reconcile import agents
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Trial
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.trial.facts import TrialSeen, clock_offset
from encbench.reconcile.trial.first_stored import settle, settled
from encbench.wire.foreign import printable
from encbench.wire.recorder import ClockOffset
from encbench.wire.slices import SAME_START, SlotsAnswer

SLOTS = "slots.json"
"""The agent's readings of an interleaved block, relative to the trial's folder."""


@dataclass(frozen=True)
class ServerSlices:
    """A trial's slices with what its server used in them, as far as that was read."""

    slices: Slices
    digest: str | None = None
    """Of the stored readings; None if there are none."""
    problem: str = ""
    """Why readings are missing."""
    away: Unavailable | None = None
    """Why they may still come: the agent does not answer, and its database is ready."""


class _NoReadings(Exception):
    """The agent has none of the block's. The text says why."""


async def read(deps: Deps, trial: Trial, seen: TrialSeen, slices: Slices) -> ServerSlices:
    """The slices with the readings in the store, or with the agent's, which are stored then."""
    stored = await settled(deps.store, trial, SLOTS, SlotsRecord)
    if stored is None:
        if seen.database is None:
            return ServerSlices(slices)
        try:
            answer = await _asked(deps, trial, seen.database)
        except Unavailable as error:
            away = error if seen.database.ready else None
            return ServerSlices(slices, problem=printable(str(error)), away=away)
        except (Rejected, _NoReadings) as error:
            return ServerSlices(slices, problem=printable(str(error)))
        record = SlotsRecord.model_validate({"answer": answer})
        stored = await settle(deps.store, trial, SLOTS, record)
    record, digest = stored
    known: SlotsAnswer = record.answer
    return ServerSlices(with_server(slices, known), digest, printable(known["error"] or ""))


async def _asked(deps: Deps, trial: Trial, database: PodFacts) -> SlotsAnswer:
    """The agent's readings of the block; _NoReadings, Rejected or Unavailable."""
    name = trial.spec.testbed_ref.name
    where, access = await agents.agent(deps.cluster, trial.namespace, name, database)
    asked = deps.clock.now()
    answer = await deps.agent.slots(where, access, trial.uid)
    if answer["state"] == "unknown":
        raise _NoReadings("the agent has none of this block")
    clock = clock_offset(answer["clock"], asked, deps.clock.now())
    if _is_another_start(trial, answer, clock):
        raise _NoReadings("the agent's are of a start that the block did not have")
    return answer


def _is_another_start(trial: Trial, answer: SlotsAnswer, clock: ClockOffset) -> bool:
    """Whether the agent read at the edges of slots that the block has never had.

    So does one that did not hear that its block had agreed on another start.
    """
    start = (answer["startAt"] or 0.0) - clock["seconds"]
    return abs(start - (trial.status.release_at or 0.0)) > SAME_START + clock["roundTrip"]
