"""The effects of a testbed's decisions: its Secrets, its database, its load, its proof."""

import asyncio
from dataclasses import replace
from datetime import datetime

from encbench.api import kinds
from encbench.api.conditions import format_time, parse_time
from encbench.api.scalars import parse_duration
from encbench.core.certificates import KeyPair, entries, host_names
from encbench.core.evidence import Proof, ProofRecord
from encbench.core.naming import credentials_name, proof_key, storage_prefix
from encbench.database import children
from encbench.database.connection import loading
from encbench.database.context import DatabaseContext
from encbench.ports import Body, NotNow, Rejected, Unavailable
from encbench.reconcile import agents
from encbench.reconcile.effects import agent
from encbench.reconcile.effects import effect as do
from encbench.reconcile.effects.nodes import NodeEffects
from encbench.reconcile.objects import Testbed
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.testbed import full_proof, solitude
from encbench.reconcile.testbed.facts import FullProof, TestbedFound
from encbench.tools.context import LoadContext
from encbench.tools.registry import tool
from encbench.wire.sidecar import Sidecar, certified_name

ROUND_PAUSE = 1.0
"""Seconds between two rounds in which a server writes what the load left."""


class TestbedEffects(NodeEffects[Testbed, do.OwnTestbedEffect, TestbedFound]):
    """Does them, and keeps what they find."""

    __test__ = False
    nothing = TestbedFound()
    unit = staticmethod(solitude.unit)
    member = staticmethod(solitude.member)

    def longest(self, _: Testbed) -> float:
        """See `NodeEffects`."""
        return solitude.SECONDS

    async def perform_own(self, testbed: Testbed, effect: do.OwnTestbedEffect) -> bool:
        """See `NodeEffects`."""
        match effect:
            case do.IssueCredentials():
                return await self._make(testbed, lambda: self._secrets(testbed, effect))
            case do.CopyCredentials():
                return await self._make(testbed, lambda: self._copies(testbed, effect))
            case do.ApplyDatabase():
                return await self._make(testbed, lambda: self._database(testbed))
            case do.CreateLoad():
                return await self._make(
                    testbed, lambda: [do.Create(kinds.JOB, self._load(testbed))]
                )
            case do.AskChecks():
                return await self._ask(testbed, effect)
            case do.Settle(database):
                return await self._settle(testbed, database)
            case do.ProveFully(database):
                return await self._prove(testbed, database)
            case _:
                return await self._on_cluster(testbed, effect)

    def blame(
        self, testbed: Testbed, effect: do.NodeEffect | do.OwnTestbedEffect, problem: str
    ) -> None:
        """See `Effects`. A proof that never began, by a fault of ours, has its deadline too."""
        found = replace(self.found(testbed), problem=problem)
        if isinstance(effect, do.ProveFully) and found.asked is None:
            found = replace(found, asked=format_time(self._deps.clock.now()))
        self.keep(testbed, found)

    def _context(self, testbed: Testbed) -> DatabaseContext:
        return DatabaseContext(
            name=testbed.name,
            namespace=testbed.namespace,
            owner=testbed.owner,
            spec=testbed.spec,
            programs=self._deps.settings.programs,
        )

    def _secrets(self, testbed: Testbed, effect: do.IssueCredentials) -> list[do.Create]:
        authority, keys = effect.authority, effect.keys
        token, context = self._deps.settings.random_token, self._context(testbed)
        hosts, now = host_names(testbed.name, testbed.namespace), self._deps.clock.now()
        issued = self._deps.certificates.issue(authority, testbed.name, hosts, now)
        secrets = [
            children.keys_secret(context, token, keys),
            # The credentials come last: that they exist says that the keys do.
            children.credentials_secret(
                context, token, entries(issued), self._sidecars(testbed, authority), keys
            ),
        ]
        return [do.Create(kinds.SECRET, secret) for secret in secrets if secret is not None]

    def _copies(self, testbed: Testbed, effect: do.CopyCredentials) -> list[do.Apply | do.Create]:
        spare = self._deps.certificates.unpresentable(self._deps.clock.now())
        context, token = self._context(testbed), self._deps.settings.random_token
        sidecars = self._sidecars(testbed, effect.authority)
        budget = children.jobs_budget(context)
        credentials = children.external_credentials(
            context, effect.login, spare, sidecars, token, effect.keys
        )
        return [
            do.Apply(kinds.POD_DISRUPTION_BUDGET, budget),
            # The credentials come last: that they exist says that the budget does.
            do.Create(kinds.SECRET, credentials),
        ]

    def _sidecars(self, testbed: Testbed, authority: KeyPair) -> children.SidecarCertificates:
        now, certify = self._deps.clock.now(), self._deps.certificates.certify

        def made(sidecar: Sidecar) -> KeyPair:
            return certify(authority, certified_name(sidecar, testbed.name), now)

        # Nothing of ours runs beside an external database.
        own = None if testbed.spec.instance.is_external else made("agent")
        return children.SidecarCertificates(authority.certificate, made("recorder"), own)

    def _load(self, testbed: Testbed) -> Body:
        context = LoadContext(
            testbed=testbed.name,
            namespace=testbed.namespace,
            owner=testbed.owner,
            spec=testbed.spec,
            connection=loading(testbed.name, testbed.spec),
            credentials_secret=credentials_name(testbed.name),
            programs=self._deps.settings.programs,
        )
        return tool(testbed.spec.dataset).load_job(context)

    def _database(self, testbed: Testbed) -> list[do.Apply]:
        context = self._context(testbed)
        return [
            do.Apply(kinds.CONFIG_MAP, children.config_map(context)),
            do.Apply(kinds.SERVICE, children.service(context)),
            do.Apply(kinds.PERSISTENT_VOLUME_CLAIM, children.volume_claim(context)),
            do.Apply(kinds.POD_DISRUPTION_BUDGET, children.database_budget(context)),
            do.Apply(kinds.POD_DISRUPTION_BUDGET, children.jobs_budget(context)),
            do.Apply(kinds.STATEFUL_SET, children.stateful_set(context)),
        ]

    async def _ask(self, testbed: Testbed, effect: do.AskChecks) -> bool:
        try:
            checked, problem = await agent.ask_checks(self._deps, effect), ""
        except (Unavailable, Rejected) as error:
            checked, problem = None, str(error)
        self.keep(testbed, replace(self.found(testbed), checked=checked, problem=problem))
        return checked is not None

    async def _settle(self, testbed: Testbed, database: PodFacts) -> bool:
        began, limit = self._deps.clock.now(), testbed.spec.step_deadlines.reset
        try:
            await self._rest(testbed, database, began, parse_duration(limit))
        except (Unavailable, Rejected) as error:
            self.keep(testbed, replace(self.found(testbed), problem=str(error)))
            return False
        self.keep(testbed, replace(self.found(testbed), rested=True, problem=""))
        return True

    async def _prove(self, testbed: Testbed, database: PodFacts | None) -> bool:
        try:
            proof, problem = await self._proven(testbed, database), ""
        except (Unavailable, Rejected) as error:
            proof, problem = FullProof(), str(error)
        self.keep(testbed, replace(self.found(testbed), proof=proof, problem=problem))
        return proof.digest is not None

    async def _proven(self, testbed: Testbed, database: PodFacts | None) -> FullProof:
        """Prove and store. Whether the store is away is found out before the expensive scan.

        What a process before this one stored counts, and what the store did not take is not made
        again.
        """
        store, spec, campaign = self._deps.store, testbed.spec, testbed.spec.campaign_ref
        prefix = storage_prefix(testbed.namespace, campaign.name, campaign.uid)
        key, proof = proof_key(prefix, testbed.name), self.found(testbed).proof.proof
        try:
            there = await full_proof.stored(store, key, testbed.uid)
            if there is not None:
                return there
        except (Unavailable, Rejected) as error:
            return FullProof(proof, store_problem=str(error))
        if proof is None:
            proof = await self._scan(testbed, database)
        record = ProofRecord(
            testbed=testbed.name,
            uid=testbed.uid,
            cell=spec.cell,
            arm=spec.arm,
            mode=spec.mode,
            proof=proof,
        )
        try:
            return await full_proof.settle(store, key, record)
        except (Unavailable, Rejected) as error:
            return FullProof(proof, store_problem=str(error))

    async def _scan(self, testbed: Testbed, database: PodFacts | None) -> Proof:
        """Prove it. The time for the rest begins now, and that for the proof after the rest."""
        resting = self._begin_rest(testbed)
        if database is None:
            self._begin_proof(testbed)
            return agent.declared(testbed)
        # It has as long as the proof itself.
        limit = parse_duration(testbed.spec.step_deadlines.proof)
        await self._rest(testbed, database, resting, limit)
        self._begin_proof(testbed)
        return await agent.prove(self._deps, testbed, database, full=True)

    def _begin_rest(self, testbed: Testbed) -> datetime:
        """Note when, anew where the store was away; it is no longer in the way."""
        found = self.found(testbed)
        resting = found.resting
        if resting is None or found.proof.store_problem:
            resting = format_time(self._deps.clock.now())
            found = replace(found, resting=resting, asked=None)
        self.keep(testbed, replace(found, proof=FullProof()))
        return parse_time(resting)

    def _begin_proof(self, testbed: Testbed) -> None:
        """Note when; whatever the rest came to is then no hindrance any more.

        A later attempt keeps what hindered the one before, until the agent answers.
        """
        found = self.found(testbed)
        if found.asked is None:
            found = replace(found, asked=format_time(self._deps.clock.now()), problem="")
        self.keep(testbed, found)

    async def _rest(
        self, testbed: Testbed, database: PodFacts, began: datetime, limit: float
    ) -> None:
        """Have the server write what the load left: files that lack pages show no echo, or hide it.

        All rounds have the one slot. Where the time for them, in seconds from when they began, is
        over, the caller goes on without rest; a proof exempts what it cannot see. Unavailable where
        no agent answers: that may last, and others wait for the slot.
        """
        space, name, clock = testbed.namespace, testbed.name, self._deps.clock
        while self._deps.presence.absences().waited(began, clock.now()) < limit:
            where, access = await agents.agent(self._deps.cluster, space, name, database)
            try:
                await agent.settle(self._deps, where, access)
            except NotNow as error:
                self.keep(testbed, replace(self.found(testbed), problem=str(error)))
                await asyncio.sleep(ROUND_PAUSE)
            else:
                self.keep(testbed, replace(self.found(testbed), problem=""))
                return
