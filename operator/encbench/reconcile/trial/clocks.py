"""Whether our clock was set between a trial's first proof and the reading of its samples.

A window is by our clock of the release, and Prometheus is asked by our clock of now. The recorders
that were asked when the runs had ended are gone by then, and so may be the process that asked them.
The agent's clock is still there.
"""

from encbench.core.evidence import ClockOffsetFacts
from encbench.ports import Rejected, Unavailable
from encbench.reconcile import agents
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Trial
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.trial.facts import TrialSeen, clock_offset


async def apart(
    deps: Deps, trial: Trial, seen: TrialSeen, before: ClockOffsetFacts | None
) -> float | None:
    """Seconds by which our clock has moved against the agent's since the first proof.

    `before` is the agent's clock at that proof; None where that is lost. The result is 0 where
    round trips may explain it, and None where there is nothing to compare. An agent that does not
    answer is Unavailable while it may yet, unless the clients have shown it of their runs.
    """
    if before is None or seen.database is None:
        return None
    try:
        after = await _now(deps, trial, seen.database)
    except (Unavailable, Rejected) as error:
        if seen.found.clocks or not seen.database.ready:
            return None
        lack = "whether the operator's clock was set since the release is not known"
        raise Unavailable(f"{lack}: {error}") from error
    moved = before.seconds - after.seconds
    return moved if abs(moved) > (before.round_trip + after.round_trip) / 2 else 0.0


async def _now(deps: Deps, trial: Trial, database: PodFacts) -> ClockOffsetFacts:
    space, testbed = trial.namespace, trial.spec.testbed_ref.name
    where, access = await agents.agent(deps.cluster, space, testbed, database)
    asked = deps.clock.now()
    try:
        told = (await deps.agent.room(where, access))["clock"]
    except Rejected:
        # An agent of an earlier version says it with the server's facts alone.
        asked = deps.clock.now()
        told = (await deps.agent.server(where, access))["clock"]
    return ClockOffsetFacts.model_validate(clock_offset(float(told), asked, deps.clock.now()))
