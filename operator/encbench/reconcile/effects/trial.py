"""The effects of a trial's decisions: its Job, its proofs, its clients, its server, its record."""

import asyncio
import logging
import math
from contextlib import suppress
from dataclasses import replace
from typing import Any

from encbench.api.conditions import format_time
from encbench.api.kinds import JOB
from encbench.api.scalars import parse_duration
from encbench.core.artefact import RecordError
from encbench.core.evidence import AgentClockFacts, TrialProofsRecord
from encbench.core.naming import credentials_name
from encbench.core.records import TrialRecord
from encbench.database.connection import connection
from encbench.logs import about
from encbench.ports import Access, Body, Rejected, Unavailable
from encbench.reconcile import agents
from encbench.reconcile.effects import agent
from encbench.reconcile.effects import effect as do
from encbench.reconcile.effects.nodes import NodeEffects
from encbench.reconcile.fullness import look, nearly_full
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial import clocks, collect, recovery, solitude
from encbench.reconcile.trial.facts import (
    ClientPod,
    Proven,
    Question,
    TrialFound,
    TrialGathered,
    clock_offset,
)
from encbench.reconcile.trial.first_stored import keep, key_of, settle, settled
from encbench.reconcile.trial.gather import CONDITIONS, MetricsAway, gather, proof_name
from encbench.reconcile.trial.record import RECORD
from encbench.reconcile.trial.running import longest
from encbench.tools.context import TrialContext
from encbench.tools.registry import tool
from encbench.tools.turns import load_seconds, own_slots, slot_times
from encbench.wire.agent import SettleRequest
from encbench.wire.slices import SlotsOrder

log = logging.getLogger(__name__)

WITHOUT_READINGS = 3.0
"""Seconds before a block's start at which its clients are released without the agent's readings."""
AGENT_SECONDS = 1.5
"""For an agent to hear of a start, of which the clients are to hear within five seconds."""
URL_SPARE, URL_LONGEST = 3600, 7 * 24 * 3600
"""Seconds for which an upload URL outlives the planned end of its run, and the most that S3 signs.
Whoever has the URL may store under its key, so it is no longer valid than it must be. While a store
is away for longer, the recorder is given new URLs (`trial.ended`)."""


class TrialEffects(NodeEffects[Trial, do.OwnTrialEffect, TrialFound]):
    """Does them, and keeps what they find."""

    nothing = TrialFound()
    unit = staticmethod(solitude.unit)
    member = staticmethod(solitude.member)

    def longest(self, trial: Trial) -> float:
        """See `NodeEffects`."""
        return longest(trial.spec)

    async def perform_own(self, trial: Trial, effect: do.OwnTrialEffect) -> bool:
        """See `NodeEffects`."""
        match effect:
            case do.CreateJob():
                return await self._make(trial, lambda: [do.Create(JOB, self._job(trial, effect))])
            case do.ReleaseClients():
                return await self._release(trial, effect)
            case do.NoteClocks(clients):
                known = {one.pod.index: one.run.clock for one in clients if one.run}
                clocks = {index: clock for index, clock in known.items() if clock is not None}
                self.keep(trial, replace(self.found(trial), clocks=clocks))
                return False
            case do.StopServer():
                return await self._stop(trial, effect)
            case do.KeepRecovery(record):
                counts = await keep(self._deps.store, trial, recovery.RECORD, record)
                return self._add(trial, recovery=counts)
            case do.Prove() | do.AskChecks() | do.DisarmServer() | do.Gather() | do.Archive():
                return await self._try(trial, effect)
            case _:
                return await self._on_cluster(trial, effect)

    async def _try(
        self,
        trial: Trial,
        effect: do.Prove | do.AskChecks | do.DisarmServer | do.Gather | do.Archive,
    ) -> bool:
        """Do what may come to nothing for now; then the next decision sees why."""
        try:
            match effect:
                case do.Prove():
                    return await self._prove(trial, effect)
                case do.AskChecks():
                    self._note_asked(trial, "checks")
                    checked = await agent.ask_checks(self._deps, effect)
                    return self._add(trial, checked=checked) and checked is not None
                case do.DisarmServer(database):
                    space, bed = trial.namespace, trial.spec.testbed_ref.name
                    cluster = self._deps.cluster
                    where, access = await agents.agent(cluster, space, bed, database)
                    await self._deps.agent.disarm(where, access, trial.uid)
                    return self._add(trial)
                case do.Gather():
                    return await self._gather(trial, effect)
                case do.Archive(record):
                    stored = await settle(self._deps.store, trial, RECORD, record)
                    return await self._stored(trial, stored)
        except (Unavailable, Rejected) as error:
            self.blame(trial, effect, str(error))
            return False
        except RecordError as error:
            return self._add(trial, gathered=TrialGathered(unreadable=str(error)))

    def blame(self, trial: Trial, effect: do.NodeEffect | do.OwnTrialEffect, problem: str) -> None:
        """See `Effects`."""
        ours = isinstance(effect, do.Prove | do.AskChecks | do.DisarmServer)
        self._add(trial, **{"problem" if ours else "store_problem": problem})

    def _add(self, trial: Trial, **found: Any) -> bool:
        fresh = {"problem": "", "store_problem": "", **found}
        self.keep(trial, replace(self.found(trial), **fresh))
        return True

    def _note_asked(self, trial: Trial, what: Question) -> None:
        """Its deadline does not count for how long it waited for a slot."""
        found, now = self.found(trial), format_time(self._deps.clock.now())
        self.keep(trial, replace(found, asked={what: now, **found.asked}))

    def _job(self, trial: Trial, effect: do.CreateJob) -> Body:
        settings, testbed = self._deps.settings, effect.testbed
        context = TrialContext(
            name=trial.name,
            namespace=trial.namespace,
            owner=trial.owner,
            spec=trial.spec,
            connection=connection(testbed.name, testbed.spec),
            database_node=testbed.status.machine.node if testbed.status.machine else None,
            database_keeps_off=effect.keeps_off,
            credentials_secret=credentials_name(trial.spec.testbed_ref.name),
            programs=settings.programs,
            store=settings.store,
            store_authority=settings.store_authority(),
        )
        return tool(trial.spec.workload).trial_job(context)

    async def _prove(self, trial: Trial, effect: do.Prove) -> bool:
        self._note_asked(trial, effect.when)
        testbed, database = effect.testbed, effect.database
        started: float | None = None
        clock: AgentClockFacts | None = None
        if database is None:
            now = format_time(self._deps.clock.now())
            proof = agent.declared(testbed).model_copy(update={"time": now})
        else:
            space, name = testbed.namespace, testbed.name
            where, access = await agents.agent(self._deps.cluster, space, name, database)
            begun = self._deps.clock.now()
            try:
                server = await self._deps.agent.server(where, access)
            except Unavailable:
                known = self.found(trial).full
                full = await look(self._deps, space, name, database, known=known)
                self.keep(trial, replace(self.found(trial), full=full))
                raise
            started = float(server["startedAt"])
            if effect.when == "before":
                clock = clocks.reading(float(server["clock"]), begun, self._deps.clock.now())
            full = nearly_full(server.get("room"), database.name)
            # Before the rest, which a full volume may keep from coming to anything.
            self.keep(trial, replace(self.found(trial), full=full))
            asked = SettleRequest(run=trial.uid, ended=effect.when == "after")
            unwritten = await agent.settle(self._deps, where, access, asked)
            # An agent of an earlier version finds nothing left when it is asked again.
            if effect.when == "after" and self.found(trial).unwritten is None:
                self.keep(trial, replace(self.found(trial), unwritten=unwritten))
            proof = await agent.prove(self._deps, testbed, database, full=False)
            proof = proof.model_copy(update={"dirty_bytes": self.found(trial).unwritten})
        made = TrialProofsRecord.model_validate({effect.when: proof, "clock": clock})
        counts = await keep(self._deps.store, trial, proof_name(effect.when), made)
        found = Proven(getattr(counts, effect.when) or proof, started, counts.clock)
        return self._add(trial, **{effect.when: found})

    async def _gather(self, trial: Trial, effect: do.Gather) -> bool:
        stored = await settled(self._deps.store, trial, RECORD, TrialRecord)
        if stored is not None:
            return await self._stored(trial, stored)
        waits, away = effect.patience == "waits", self._deps.services.problem
        if self.found(trial).awaits_metrics and away and waits:
            # It would be read for nothing, in the place of proofs that could be made.
            raise Unavailable(away)
        try:
            found = await gather(self._deps, trial, effect.seen, effect.patience)
        except (Unavailable, Rejected) as error:
            # Else the samples may be in the store, and nothing is asked of Prometheus any more.
            self._add(trial, awaits_metrics=isinstance(error, MetricsAway))
            raise
        return self._add(trial, gathered=found)

    async def _stored(self, trial: Trial, stored: tuple[TrialRecord, str]) -> bool:
        """The record is there, so the single proofs go; they do no harm if they stay."""
        names = [key_of(trial, proof_name(when)) for when in CONDITIONS]
        with suppress(Unavailable, Rejected):
            await self._deps.store.delete(names)
        return self._add(trial, stored=stored)

    async def _stop(self, trial: Trial, effect: do.StopServer) -> bool:
        wanted, testbed = trial.spec.workload.recovery, trial.spec.testbed_ref.name
        assert wanted is not None  # noqa: S101 - no other server is stopped
        cluster, database = self._deps.cluster, effect.database
        where, access = await agents.agent(cluster, trial.namespace, testbed, database)
        await self._deps.agent.stop(
            where,
            access,
            trial.uid,
            how=wanted.stop,
            after=max(0.0, effect.at - self._deps.clock.now().timestamp()),
            seconds=parse_duration(trial.spec.step_deadlines.recovery),
        )
        return False

    async def _release(self, trial: Trial, effect: do.ReleaseClients) -> bool:
        """Release the clients, and before that order an interleaved block's agent to read.

        While the agent does not know and there is time, the clients are not released, and the next
        pass tries both again. Without time a trial goes on without the readings, which costs less
        than the block.
        """
        has_read = effect.reading is None
        if not has_read and self._left(effect.at) > WITHOUT_READINGS:
            has_read = await self._read_slots(trial, effect)
            if not has_read and self._left(effect.at) > WITHOUT_READINGS:
                return False
        await self._release_all(trial, effect)
        if not has_read:
            await self._read_slots(trial, effect)
        return False

    def _left(self, at: float) -> float:
        return at - self._deps.clock.now().timestamp()

    async def _release_all(self, trial: Trial, effect: do.ReleaseClients) -> None:
        testbed = trial.spec.testbed_ref.name
        access = await agents.access(self._deps.cluster, trial.namespace, testbed, "recorder")
        authority = self._deps.settings.store_authority()  # perhaps renewed since the Job was made
        # Side by side, because all have to know before the first one starts; one that cannot be
        # reached does not keep the others.
        told = await asyncio.gather(
            *(
                self._release_one(trial, client, access, effect.at, authority)
                for client in effect.clients
            ),
            return_exceptions=True,
        )
        for error in told:
            if isinstance(error, BaseException):
                raise error

    async def _release_one(
        self, trial: Trial, client: ClientPod, access: Access, at: float, authority: str | None
    ) -> None:
        """Tell one client when to start, by its own clock, and where its artefacts go."""
        turns, now = trial.spec.turns, self._deps.clock.now().timestamp()
        left = max(0, math.ceil(at + load_seconds(trial.spec) - now))
        seconds = min(left + URL_SPARE, URL_LONGEST)
        uploads = {
            name: await self._deps.store.presign_put(
                collect.client_key(trial, client.pod.index, name), seconds
            )
            for name in collect.files(trial.spec)
        }
        clock = client.run.clock if client.run else None
        slots = None if turns is None else own_slots(trial.spec, turns, trial.name)
        where = agents.recorder(client.pod)
        start_at = at + (clock["seconds"] if clock else 0.0)
        release = self._deps.recorder.release
        await release(where, access, start_at, uploads, slots, clock, authority)

    async def _read_slots(self, trial: Trial, effect: do.ReleaseClients) -> bool:
        """Whether the agent is to read its server at the edges of all slots, by its own clock.

        The clients wait for its answer, but not for long.
        """
        try:
            async with asyncio.timeout(AGENT_SECONDS):
                await self._begin_slots(trial, effect)
        except (TimeoutError, Unavailable, Rejected) as error:
            place = trial.kind, trial.namespace, trial.name
            text = "the agent of %s/%s does not read its slots: %s"
            log.warning(text, *place[1:], error, extra=about(*place))
            return False
        return True

    async def _begin_slots(self, trial: Trial, effect: do.ReleaseClients) -> None:
        turns, database = trial.spec.turns, effect.reading
        assert turns is not None and database is not None  # noqa: S101 - of interleaved blocks
        testbed = trial.spec.testbed_ref.name
        where, access = await agents.agent(self._deps.cluster, trial.namespace, testbed, database)
        asked = self._deps.clock.now()
        known = await self._deps.agent.slots(where, access, trial.uid)
        clock = clock_offset(known["clock"], asked, self._deps.clock.now())
        start_at = effect.at + clock["seconds"]
        order = SlotsOrder(**slot_times(trial.spec, turns), run=trial.uid, startAt=start_at)
        await self._deps.agent.begin_slots(where, access, order)
