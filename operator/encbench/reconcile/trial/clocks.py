"""Whether our clock was set between a trial's first proof and the reading of its samples.

A window is by our clock of the release, and Prometheus is asked by our clock of now. The recorders
that were asked when the runs had ended are gone by then, and so may be the process that asked them.
The agent's clock is still there.
"""

from datetime import datetime

from encbench.core.evidence import AgentClockFacts
from encbench.ports import Rejected, Unavailable
from encbench.reconcile import agents
from encbench.reconcile.deps import Deps
from encbench.reconcile.objects import Trial
from encbench.reconcile.pods import PodFacts
from encbench.reconcile.trial.facts import TrialSeen

SLEW = 0.0005
"""The share of the time by which a daemon that adjusts a clock may move it, which sets nothing."""


def reading(told: float, asked: datetime, answered: datetime) -> AgentClockFacts:
    """The agent's clock, from what it showed between our question and its answer.

    Even an offset that the round trip explains is kept: two that are taken for 0 may differ by a
    whole round trip, because the agent looks at its clock last.
    """
    took = max(0.0, (answered - asked).total_seconds())
    seconds = told - asked.timestamp() - took / 2
    return AgentClockFacts(seconds=round(seconds, 4), round_trip=round(took, 4), time=told)


async def apart(
    deps: Deps, trial: Trial, seen: TrialSeen, before: AgentClockFacts | None
) -> float | None:
    """Seconds by which our clock has moved against the agent's since the first proof.

    `before` is the agent's clock at that proof; None where that is lost. The result is 0 where
    round trips may explain it, or a daemon that adjusted a clock all the time since then, and None
    where there is nothing to compare. An agent that does not answer is Unavailable while it may
    yet, unless the clients have shown it of their runs.
    """
    if before is None or seen.database is None:
        return None
    try:
        after = await _now(deps, trial, seen.database)
    except (Unavailable, Rejected) as error:
        if not needs_agent(seen):
            return None
        lack = "whether the operator's clock was set since the release is not known"
        raise Unavailable(f"{lack}: {error}") from error
    moved = before.seconds - after.seconds
    explained = (before.round_trip + after.round_trip) / 2 + SLEW * abs(after.time - before.time)
    return moved if abs(moved) > explained else 0.0


def needs_agent(seen: TrialSeen) -> bool:
    """Whether the agent alone may yet say it: the clients have not shown it of their runs."""
    return not seen.found.clocks and seen.database is not None and seen.database.ready


async def _now(deps: Deps, trial: Trial, database: PodFacts) -> AgentClockFacts:
    space, testbed = trial.namespace, trial.spec.testbed_ref.name
    where, access = await agents.agent(deps.cluster, space, testbed, database)
    asked = deps.clock.now()
    try:
        told = (await deps.agent.room(where, access))["clock"]
    except Rejected:
        # An agent of an earlier version says it with the server's facts alone.
        asked = deps.clock.now()
        told = (await deps.agent.server(where, access))["clock"]
    return reading(float(told), asked, deps.clock.now())
