"""One pass over a testbed: observe, decide, write the status once, act."""

from encbench.api.conditions import find
from encbench.api.kinds import (
    CONFIG_MAP,
    JOB,
    PERSISTENT_VOLUME_CLAIM,
    SECRET,
    SERVICE,
    STATEFUL_SET,
    TESTBED,
)
from encbench.core.certificates import entries, host_names
from encbench.core.naming import credentials_name, storage_prefix
from encbench.database import children, external
from encbench.database.connection import loading
from encbench.database.context import DatabaseContext
from encbench.reconcile import objects
from encbench.reconcile.deps import Deps
from encbench.reconcile.effects import Announce, Apply, Create, Effect, perform
from encbench.reconcile.objects import Testbed
from encbench.reconcile.testbed.decide import FAILED, PROVEN, Decision, decide
from encbench.reconcile.testbed.facts import Seen
from encbench.reconcile.testbed.observe import observe
from encbench.tools.context import LoadContext
from encbench.tools.registry import dataset_tool


class TestbedReconciler:
    """Drives testbeds; keeps no state of its own."""

    __test__ = False

    def __init__(self, deps: Deps) -> None:
        self._deps = deps

    async def reconcile(self, namespace: str, name: str) -> float | None:
        """One pass; seconds after which to look again."""
        body = await self._deps.cluster.get(TESTBED, namespace, name)
        if body is None:
            return None
        testbed = objects.testbed(body)
        if testbed.deleting:
            return None
        campaign = testbed.spec.campaign_ref
        prefix = storage_prefix(namespace, campaign.name, campaign.uid)
        seen = await observe(self._deps, testbed, prefix)
        decision = decide(testbed, seen)
        if decision.status != testbed.status:
            await self._deps.cluster.apply_status(TESTBED, testbed.with_status(decision.status))
        effects = [*self._effects(testbed, seen, decision), *_news(testbed, decision)]
        await perform(self._deps.cluster, TESTBED, testbed.body, effects)
        return decision.requeue

    def _effects(self, testbed: Testbed, seen: Seen, decision: Decision) -> list[Effect]:
        settings = self._deps.settings
        context = DatabaseContext(
            name=testbed.name,
            namespace=testbed.namespace,
            owner=testbed.owner,
            spec=testbed.spec,
            agent_image=settings.operator_image,
            agent_pull_policy=settings.image_pull_policy,
            volume_image=settings.volume_image,
            volume_pull_policy=settings.volume_pull_policy,
            proxy_image=settings.proxy_image,
            proxy_pull_policy=settings.proxy_pull_policy,
        )
        if decision.copy_credentials and seen.login is not None:
            spare = self._deps.certificates.unpresentable(seen.now)
            made = external.credentials_secret(context, seen.login, spare, settings.random_token)
            return [Create(SECRET, made)]
        if decision.create_credentials is not None:
            issued = self._deps.certificates.issue(
                decision.create_credentials,
                testbed.name,
                host_names(testbed.name, testbed.namespace),
                seen.now,
            )
            secrets = [
                children.keys_secret(context, settings.random_token),
                # The credentials come last: that they exist says that the keys do.
                children.credentials_secret(context, settings.random_token, entries(issued)),
            ]
            return [Create(SECRET, secret) for secret in secrets if secret is not None]
        if decision.scale is not None and seen.stateful_set is not None:
            return [Apply(STATEFUL_SET, seen.stateful_set.scaled(*decision.scale))]
        if decision.apply_database:
            return [
                Apply(CONFIG_MAP, children.config_map(context)),
                Apply(SERVICE, children.service(context)),
                Apply(PERSISTENT_VOLUME_CLAIM, children.volume_claim(context)),
                Apply(STATEFUL_SET, children.stateful_set(context)),
            ]
        if decision.create_load:
            load = LoadContext(
                testbed=testbed.name,
                namespace=testbed.namespace,
                owner=testbed.owner,
                spec=testbed.spec,
                connection=loading(testbed.name, testbed.spec),
                credentials_secret=credentials_name(testbed.name),
            )
            return [Create(JOB, dataset_tool(testbed.spec.dataset).load_job(load))]
        return []


def _news(testbed: Testbed, decision: Decision) -> list[Effect]:
    """Events for what a person wants to know of: a failure, or a mode that is not in force."""
    news: list[Effect] = []
    for kind, bad in ((FAILED, "True"), (PROVEN, "False")):
        now, before = find(decision.status.conditions, kind), find(testbed.status.conditions, kind)
        changed = now is not None and (before is None or before.status != now.status)
        if now is not None and changed and now.status == bad:
            news.append(Announce(now.reason, now.message, warning=True))
    return news
