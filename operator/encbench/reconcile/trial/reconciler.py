"""One pass over a trial: observe, decide, write the status once, act."""

import asyncio
from dataclasses import replace

from encbench.api.conditions import format_time, is_true
from encbench.api.kinds import JOB, TRIAL
from encbench.api.trial import TrialStatus
from encbench.core.artefact import RecordError
from encbench.core.naming import credentials_name
from encbench.database.connection import connection
from encbench.kube.labels import ACTIVE
from encbench.ports import Rejected, Unavailable
from encbench.reconcile import agents, objects
from encbench.reconcile.backoff import backoff
from encbench.reconcile.deps import Deps
from encbench.reconcile.draft import Draft
from encbench.reconcile.effects import Announce, Create, Delete, Effect, Retire, perform
from encbench.reconcile.objects import Trial
from encbench.reconcile.trial import collect
from encbench.reconcile.trial.archive import Evidence, archive
from encbench.reconcile.trial.decide import decide
from encbench.reconcile.trial.decision import ARCHIVED, PROVEN_BEFORE, Decision, end, phase
from encbench.reconcile.trial.facts import ClientFacts, Seen
from encbench.reconcile.trial.observe import observe
from encbench.reconcile.trial.proofs import KeptProofs
from encbench.reconcile.trial.recovery import KeptRecoveries
from encbench.tools.context import TrialContext
from encbench.tools.registry import tool
from encbench.wire.files import FILES

URL_SECONDS = 7 * 24 * 3600
"""How long an upload URL holds: the longest that S3 signs, for a store may be away for long."""
STORE_RETRY = 3.0


class TrialReconciler:
    """Drives trials. The only state is the evidence that the store has not taken yet."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._proofs = KeptProofs(deps.store)
        self._recoveries = KeptRecoveries(deps.store)

    async def reconcile(self, namespace: str, name: str) -> float | None:
        """One pass; seconds after which to look again."""
        body = await self._deps.cluster.get(TRIAL, namespace, name)
        if body is None:
            return None
        trial = objects.trial(body)
        if trial.deleting:
            self._forget(trial)
            return None
        seen = await observe(self._deps, trial)
        if is_true(trial.status.conditions, ARCHIVED):
            await self._clear(trial, seen)
            return None
        if seen.proof is not None:
            before = is_true(trial.status.conditions, PROVEN_BEFORE)
            proof = await self._proofs.keep(trial, "after" if before else "before", seen.proof)
            seen = replace(seen, proof=proof)
        if seen.stopped is not None and seen.stopped.record is not None:
            counts = await self._recoveries.keep(trial, seen.stopped.record)
            seen = replace(seen, stopped=replace(seen.stopped, record=counts))
        decision = decide(trial, seen)
        status, waiting = await self._conclude(trial, seen, decision)
        if status != trial.status:
            await self._deps.cluster.apply_status(TRIAL, trial.with_status(status))
        if is_true(status.conditions, ARCHIVED):
            await self._clear(trial, seen, status)
            return None
        await self._act(trial, seen, decision)
        return waiting or decision.requeue

    async def _conclude(
        self, trial: Trial, seen: Seen, decision: Decision
    ) -> tuple[TrialStatus, float | None]:
        """The status to write; seconds to wait when the record could not be stored yet."""
        if not decision.archive:
            return decision.status, None
        try:
            kept = Evidence(self._proofs, self._recoveries)
            return await archive(self._deps, trial, seen, decision.status, kept), None
        except (Unavailable, Rejected) as error:
            draft = Draft(decision.status, now=seen.now, generation=trial.generation)
            draft.condition(ARCHIVED, False, "Waiting", f"nothing is lost, trying again: {error}")
            draft.set(phase=phase(draft))
            return draft.status, backoff(draft.since(ARCHIVED), STORE_RETRY)
        except RecordError as error:
            # What lies in the bucket is not what the recorder stored: no figure can come of it.
            draft = Draft(decision.status, now=seen.now, generation=trial.generation)
            end(draft, "Invalid", "ArtefactsLost", str(error))
            draft.set(completion_time=format_time(seen.now))
            draft.condition(ARCHIVED, True, "Rejected", str(error))
            draft.set(phase=phase(draft))
            return draft.status, None

    def _forget(self, trial: Trial) -> None:
        self._proofs.forget(trial)
        self._recoveries.forget(trial)

    async def _act(self, trial: Trial, seen: Seen, decision: Decision) -> None:
        if decision.create_job and seen.testbed is not None:
            settings = self._deps.settings
            context = TrialContext(
                name=trial.name,
                namespace=trial.namespace,
                owner=trial.owner,
                spec=trial.spec,
                connection=connection(seen.testbed.name, seen.testbed.spec),
                credentials_secret=credentials_name(trial.spec.testbed_ref.name),
                sidecar_image=settings.operator_image,
                sidecar_pull_policy=settings.image_pull_policy,
            )
            job = tool(trial.spec.workload).trial_job(context)
            await perform(self._deps.cluster, TRIAL, trial.body, [Create(JOB, job)])
        if decision.release:
            testbed = trial.spec.testbed_ref.name
            token = await agents.token(self._deps.cluster, trial.namespace, testbed)
            at = decision.status.release_at or 0.0
            # Side by side, for all are to know before the first one starts; one that cannot be told
            # keeps none of the others.
            told = await asyncio.gather(
                *(self._release(trial, client, token, at) for client in decision.release),
                return_exceptions=True,
            )
            for error in told:
                if isinstance(error, BaseException):
                    raise error

    async def _release(
        self, trial: Trial, client: ClientFacts, token: str, release_at: float
    ) -> None:
        """Tell one client when to start, by its own clock, and where its artefacts go."""
        uploads = {
            name: await self._deps.store.presign_put(
                collect.client_key(trial, client.pod.index, name), URL_SECONDS
            )
            for name in FILES
        }
        offset = client.run.clock_offset if client.run else 0.0
        where = agents.recorder(client.pod)
        await self._deps.recorder.release(where, token, release_at + offset, uploads)

    async def _clear(self, trial: Trial, seen: Seen, status: TrialStatus | None = None) -> None:
        """After the end: the Job and its pods go, and so does the label that keeps us watching."""
        self._forget(trial)
        effects: list[Effect] = []
        if seen.job is not None:
            effects.append(Delete(JOB, trial.namespace, trial.name, seen.job.uid))
        if status is not None and status.outcome != "Succeeded":
            note = f"{status.outcome}: {status.reason}: {status.message}"
            effects.append(Announce(status.outcome or "Failed", note, warning=True))
        if ACTIVE in trial.labels:
            effects.append(Retire())
        await perform(self._deps.cluster, TRIAL, trial.body, effects)
