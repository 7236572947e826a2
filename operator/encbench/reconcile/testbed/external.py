"""Gathering what a decision over the testbed of an external database needs.

There is no pod to look at. What is asked: who else uses the database, and how to log in.
"""

import contextlib

from encbench.api.conditions import find, is_true
from encbench.api.instancetemplate import External
from encbench.api.kinds import CAMPAIGN, SECRET
from encbench.core.artefact import digest_of, encode
from encbench.core.evidence import ProofRecord
from encbench.database.connection import connection
from encbench.engines.external import PASSWORD, USERNAME, entries_of
from encbench.engines.facts import facts as engine_facts
from encbench.kube.parsing import Malformed
from encbench.ports import Unavailable
from encbench.proofs.clients import before_sessions
from encbench.reconcile import objects
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Campaign, Testbed
from encbench.reconcile.testbed.decide import FAILED, LOADED, PROVEN
from encbench.reconcile.testbed.facts import LoadFacts, Seen


async def observe(
    deps: Deps, testbed: Testbed, key: str, *, has_credentials: bool, load: LoadFacts | None
) -> Seen:
    """Everything that `decide` needs now; `key` is where the proof goes."""
    external, facts = testbed.spec.instance.external, testbed.status.conditions
    assert external is not None  # noqa: S101 - the caller chose us by it
    rival, login, problem = "", None, ""
    if not has_credentials and not is_true(facts, FAILED):
        rival = await _rival(deps, testbed)
        login, problem = await _login(deps, testbed, external)
    proof, digest, store_problem = None, None, ""
    if is_true(facts, LOADED) and find(facts, PROVEN) is None:
        spec = testbed.spec
        proof = before_sessions(external, spec.mode)
        content = encode(
            ProofRecord(
                testbed=testbed.name, cell=spec.cell, arm=spec.arm, mode=spec.mode, proof=proof
            )
        )
        try:
            await deps.store.put(key, content, "application/json")
            digest = digest_of(content)
        except Unavailable as error:
            store_problem = str(error)
    return Seen(
        now=deps.clock.now(),
        has_credentials=has_credentials,
        has_stateful_set=False,
        database=None,
        load=load,
        problem=problem,
        rival=rival,
        login=login,
        proof=proof,
        proof_digest=digest,
        store_problem=store_problem,
    )


async def _login(
    deps: Deps, testbed: Testbed, external: External
) -> tuple[dict[str, str] | None, str]:
    """The user's Secret, which `resolve` has found right; what is wrong if it has changed since."""
    name = external.credentials_secret_ref.name
    secret = await deps.cluster.get(SECRET, testbed.namespace, name)
    if secret is None:
        return None, f"there is no Secret {name} any more: create it again"
    found = entries_of(secret)
    missing = [entry for entry in (USERNAME, PASSWORD) if not found.get(entry)]
    if missing:
        return None, f"Secret {name} has no {' and no '.join(missing)} any more: add it again"
    return found, ""


async def _rival(deps: Deps, testbed: Testbed) -> str:
    """The first campaign on this database, if it is not the testbed's own: it goes first."""
    found = [
        campaign
        for campaign in await _campaigns(deps, testbed.namespace)
        if _place_of(testbed) in _places(campaign)
    ]
    order = {one.uid: (one.status.start_time or "", one.uid) for one in found}
    first = min(found, key=lambda one: order[one.uid], default=None)
    own = testbed.spec.campaign_ref.uid
    return "" if first is None or first.uid == own else f"campaign {first.name}"


async def _campaigns(deps: Deps, namespace: str) -> list[Campaign]:
    """Those that are under way."""
    found = []
    for body in await deps.cluster.list(CAMPAIGN, namespace, {}):
        with contextlib.suppress(Malformed):
            one = objects.campaign(body)
            ended = any(is_true(one.status.conditions, kind) for kind in ("Complete", "Failed"))
            if not ended:
                found.append(one)
    return found


Place = tuple[str, int, str]
"""Host, port and database."""


def _place_of(testbed: Testbed) -> Place:
    where = connection(testbed.name, testbed.spec)
    return where.host.lower(), where.port, where.database


def _places(campaign: Campaign) -> set[Place]:
    """The external databases that a campaign may write to."""
    resolved = campaign.status.resolved
    if resolved is None:
        return set()
    return {
        (
            one.external.host.lower(),
            one.external.port or engine_facts(one.engine).port,
            one.external.database,
        )
        for one in resolved.instances.values()
        if one.external is not None
    }
