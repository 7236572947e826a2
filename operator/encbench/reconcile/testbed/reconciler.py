"""One pass over a testbed: observe, decide, write the status once, act."""

from functools import partial

from encbench.api.kinds import TESTBED
from encbench.reconcile import objects
from encbench.reconcile.decision import carry_out
from encbench.reconcile.deps import Deps
from encbench.reconcile.effects.testbed import TestbedEffects
from encbench.reconcile.testbed.decide import decide
from encbench.reconcile.testbed.observe import observe


class TestbedReconciler:
    """Drives testbeds; its only state is what effects have found and no status says yet."""

    __test__ = False

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._effects = TestbedEffects(deps)

    async def reconcile(self, namespace: str, name: str) -> float | None:
        """One pass; seconds after which to look again."""
        kept = self._effects.kept
        body = await self._deps.cluster.get(TESTBED, namespace, name)
        testbed = None if body is None else objects.testbed(body)
        if testbed is None or testbed.deleting:
            kept.forget(namespace, name)
            return None
        seen = await observe(self._deps.read, testbed, kept.of(testbed))
        decision = decide(testbed, seen)
        perform = partial(self._effects.perform, testbed)
        again = await carry_out(self._deps.cluster, testbed, decision, perform)
        if decision.status.proof_digest is not None:
            kept.forget(namespace, name)
        return again
