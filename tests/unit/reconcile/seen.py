"""Builders of what a pass has seen, for tables over `decide`; a test says only what it is about."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from encbench.api.conditions import find, format_time
from encbench.api.kinds import TESTBED, TRIAL
from encbench.core.evidence import Proof
from encbench.ports import Body
from encbench.reconcile.absences import NEVER, Absences
from encbench.reconcile.claims import NodeStanding
from encbench.reconcile.draft import Decision
from encbench.reconcile.objects import Testbed, Trial, testbed, trial
from encbench.reconcile.pods import ContainerFacts, JobFacts, PodFacts
from encbench.reconcile.trial.facts import ClientPod, Proven, RunFacts, TrialFound, TrialSeen
from encbench.wire.recorder import RunStateName
from tests.support import manifests

NOW = datetime(2030, 1, 1, 12, 0, tzinfo=UTC)
UNIX = NOW.timestamp()
"""The same in seconds since 1970."""
PROVEN = Proof(ok=True, summary="the mode is in force")
NOT_PROVEN = Proof(ok=False, summary="the mode is not proven")

ALONE = NodeStanding(used=frozenset({"node-1"}), free=frozenset({"node-1"}))
"""Of a unit that has the node of all these pods."""

Facts = Mapping[str, tuple[str, float]]
"""Condition → its status, and for how many seconds it has had it."""


def ago(seconds: float) -> str:
    """RFC 3339 time that many seconds before NOW."""
    return format_time(NOW - timedelta(seconds=seconds))


def absent(since: float, until: float = 0.0) -> Absences:
    """One absence, from that many seconds before NOW until so many before it."""
    begin, end = (NOW - timedelta(seconds=seconds) for seconds in (since, until))
    return NEVER.and_one(begin, end)


def with_status(body: Body, facts: Facts, **status: Any) -> Body:
    """The object as it was read, with these conditions."""
    body["metadata"] |= {
        "uid": manifests.UID,
        "resourceVersion": "1",
        "generation": 1,
        "creationTimestamp": ago(3600),
    }
    body["status"] = {
        "conditions": [
            {
                "type": kind,
                "status": value,
                "reason": "Why",
                "message": f"{kind} is {value}",
                "lastTransitionTime": ago(seconds),
            }
            for kind, (value, seconds) in facts.items()
        ],
        **status,
    }
    return body


def a_testbed(facts: Facts | None = None, **status: Any) -> Testbed:
    """A testbed; ready when nothing else is said."""
    known = {"Ready": ("True", 60.0)} if facts is None else facts
    return testbed(with_status(manifests.body(TESTBED, "bed", "ns"), known, **status))


def tpcc_testbed() -> Testbed:
    """A ready testbed with TPC-C's tables."""
    bed = a_testbed()
    del bed.body["spec"]["dataset"]["sysbench"]
    bed.body["spec"]["dataset"]["tpcc"] = {"warehouses": 2}
    return testbed(bed.body)


def a_trial(facts: Facts | None = None, *, replicas: int = 1, **status: Any) -> Trial:
    """A trial that began two seconds ago."""
    body = manifests.body(TRIAL, "run", "ns")
    load = {"warmup": "10s", "duration": "60s", "concurrency": [max(16, replicas)]}
    body["spec"]["workload"]["load"] |= load
    body["spec"]["workload"]["client"]["replicas"] = replicas
    return trial(with_status(body, facts or {}, **{"startTime": ago(2), **status}))


def a_pod(name: str = "bed-0", *containers: ContainerFacts, **fields: Any) -> PodFacts:
    """A pod that runs; `containers` are its containers."""
    usual = PodFacts(
        name=name,
        uid=name,
        phase="Running",
        node="node-1",
        ip="10.0.0.1",
        deleting=False,
        unschedulable="",
        index=0,
        created=NOW.timestamp() - 60,
        containers={c.name: c for c in containers},
    )
    return replace(usual, **fields)


def ready(*names: str) -> tuple[ContainerFacts, ...]:
    """Containers that run and are ready."""
    return tuple(ContainerFacts(name, ready=True, running=True) for name in names)


def a_client(
    state: RunStateName | None = "waiting",
    *containers: ContainerFacts,
    exit_code: int | None = None,
    error: str = "",
    silence: str = "",
    **pod: Any,
) -> ClientPod:
    """A client whose recorder says `state`, or does not answer."""
    facts = a_pod("run-0", *(containers or ready("tool", "recorder")), **pod)
    run = RunFacts(state, exit_code=exit_code, error=error) if state is not None else None
    return ClientPod(facts, run, silence)


def saw(*clients: ClientPod, **fields: Any) -> TrialSeen:
    """A pass that saw a ready testbed, its database and these clients."""
    usual = TrialSeen(
        now=NOW,
        testbed=a_testbed(machine={"node": "node-1"}),
        database=a_pod("bed-0", *ready("server", "agent")),
        job=JobFacts("job", failed=False),
        clients=clients,
        found=found(),
    )
    return replace(usual, **fields)


def found(proof: Proof | None = None, started: float | None = None, **fields: Any) -> TrialFound:
    """What effects have found; `proof` is the one that is due."""
    made = None if proof is None else Proven(proof, started)
    return TrialFound(before=made, after=made, **{"nodes": ALONE, **fields})


def wants(decision: Decision[Any, Any], effect: type[Any]) -> bool:
    """Whether an effect of that type was decided."""
    return any(isinstance(one, effect) for one in decision.effects)


def status_of(decision: Decision[Any, Any], kind: str) -> tuple[str, str]:
    """The condition's status and reason, both empty while there is no such condition."""
    found = find(decision.status.conditions, kind)
    return (found.status, found.reason) if found else ("", "")
