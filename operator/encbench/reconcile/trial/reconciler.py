"""One pass over a trial: observe, decide, write the status once, act."""

from functools import partial

from encbench.api.conditions import is_true
from encbench.api.kinds import TRIAL
from encbench.api.lifecycle import ARCHIVED
from encbench.reconcile import objects
from encbench.reconcile.decision import carry_out
from encbench.reconcile.deps import Deps
from encbench.reconcile.effects.trial import TrialEffects
from encbench.reconcile.trial.decide import decide
from encbench.reconcile.trial.observe import observe


class TrialReconciler:
    """Drives trials; its only state is what effects have found and no status says yet."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._effects = TrialEffects(deps)

    async def reconcile(self, namespace: str, name: str) -> float | None:
        """One pass; seconds after which to look again."""
        kept = self._effects.kept
        body = await self._deps.cluster.get(TRIAL, namespace, name)
        trial = None if body is None else objects.trial(body)
        if trial is None or trial.deleting:
            kept.forget(namespace, name)
            return None
        seen = await observe(self._deps.read, trial, kept.of(trial))
        decision = decide(trial, seen)
        perform = partial(self._effects.perform, trial)
        again = await carry_out(self._deps.cluster, trial, decision, perform)
        if is_true(decision.status.conditions, ARCHIVED):
            kept.forget(namespace, name)
        return again
