"""What the agent read of the server at the edges of an interleaved block's slots.

The first readings that are stored count, as of everything that a record rests on.
"""

import asyncio
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass

from encbench.core.artefact import encode
from encbench.core.records import SlotsRecord
from encbench.core.slices import Slices, with_server
from encbench.ports import Rejected, Unavailable
from encbench.reconcile import agents
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Trial
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.trial.facts import TrialSeen, clock_offset
from encbench.reconcile.trial.first_stored import settle_content, settled
from encbench.tools.turns import slot_times
from encbench.wire.foreign import printable
from encbench.wire.recorder import ClockOffset
from encbench.wire.slices import SAME_START, SlotsAnswer

SLOTS = "slots.json"
"""The agent's readings of an interleaved block, relative to the trial's folder."""
MANY_SLOTS, MANY_CLIENTS = 1000, 8
"""More of either make a block a long one. A slot takes 8 KiB of memory while its readings are
stored: eight trials of the longest blocks would need more than a GiB at once."""


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


def alone(deps: Deps, trial: Trial) -> AbstractAsyncContextManager[None]:
    """Entered by one trial of a long block at a time, and by all others at once."""
    turns, clients = trial.spec.turns, trial.spec.workload.client.replicas
    if turns is None:
        return nullcontext()
    is_long = turns.rounds * len(turns.trials) > MANY_SLOTS or clients > MANY_CLIENTS
    return deps.long_block if is_long else nullcontext()


async def read(deps: Deps, trial: Trial, seen: TrialSeen, slices: Slices) -> ServerSlices:
    """The slices with the readings in the store, or with the agent's, which are stored then."""
    stored = await settled(deps.store, trial, SLOTS, SlotsRecord)
    if stored is None:
        if seen.database is None:
            return ServerSlices(slices)
        try:
            content = await _asked(deps, trial, seen.database)
        except Unavailable as error:
            away = error if seen.database.ready else None
            return ServerSlices(slices, problem=printable(str(error)), away=away)
        except (Rejected, _NoReadings) as error:
            return ServerSlices(slices, problem=printable(str(error)))
        stored = await settle_content(deps.store, trial, SLOTS, SlotsRecord, content)
    record, digest = stored
    answer: SlotsAnswer = record.answer
    turns = trial.spec.turns
    assert turns is not None  # noqa: S101 - a trial without turns has no slices
    planned, start = slot_times(trial.spec, turns), trial.status.release_at or 0.0
    whole = await asyncio.to_thread(with_server, slices, answer, planned, start)
    return ServerSlices(whole, digest, printable(answer["error"] or ""))


async def _asked(deps: Deps, trial: Trial, database: PodFacts) -> bytes:
    """The record of the agent's readings, encoded; _NoReadings, Rejected or Unavailable."""
    name = trial.spec.testbed_ref.name
    where, access = await agents.agent(deps.cluster, trial.namespace, name, database)
    asked = deps.clock.now()
    answer = await deps.agent.slots(where, access, trial.uid)
    if answer["state"] == "unknown":
        raise _NoReadings("the agent has none of this block")
    clock = clock_offset(answer["clock"], asked, deps.clock.now())
    if _is_another_start(trial, answer, clock):
        raise _NoReadings("the agent's are of a start that the block did not have")
    return await asyncio.to_thread(encode, SlotsRecord(answer=answer))


def _is_another_start(trial: Trial, answer: SlotsAnswer, clock: ClockOffset) -> bool:
    """Whether the agent read at the edges of slots that the block has never had.

    So does one that did not hear that its block had agreed on another start.
    """
    start = (answer["startAt"] or 0.0) - clock["seconds"]
    return abs(start - (trial.status.release_at or 0.0)) > SAME_START + clock["roundTrip"]
