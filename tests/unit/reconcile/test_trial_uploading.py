"""A trial whose tool has ended and whose logs are on their way to the bucket."""

from typing import Any

from encbench.api.conditions import find
from encbench.reconcile.effects.effect import Gather
from encbench.reconcile.pods import PodFacts, pod_facts
from encbench.reconcile.trial.decide import decide
from encbench.reconcile.trial.facts import ClientPod, RunFacts
from tests.unit.reconcile.pods import container
from tests.unit.reconcile.seen import a_client, a_trial, ago, saw, wants
from tests.unit.reconcile.trials import PROVEN_TWICE


def uploading(name: str = "run-0", **meta: Any) -> PodFacts:
    """A client's pod between the end of its tool and that of its recorder.

    Its kubelet says that it is not ready, so the node controller has nothing to add.
    """
    told = {"name": name, "uid": name, "creationTimestamp": ago(300), **meta}
    over = {"exitCode": 0, "reason": "Completed"}
    states = [container("tool", terminated=over), container("recorder", ready=True, running={})]
    facts = [{"type": kind, "status": "False"} for kind in ("Ready", "ContainersReady")]
    status = {"phase": "Running", "conditions": facts, "containerStatuses": states}
    return pod_facts({"metadata": told, "spec": {"nodeName": "n2"}, "status": status})


def test_a_recorder_on_a_lost_node_is_awaited_until_its_pod_had_its_time() -> None:
    trial = a_trial({**PROVEN_TWICE, "Measured": ("True", 400.0)})
    for since, archives in ((None, False), (9.0, False), (11.0, True)):
        meta = {} if since is None else {"deletionTimestamp": ago(since)}
        silent = uploading(**meta)
        assert not silent.is_silent
        decision = decide(trial, saw(ClientPod(silent)))
        assert wants(decision, Gather) is archives
        if not archives:
            fact = find(decision.status.conditions, "Hindered")
            assert fact is not None
            assert fact.reason == "NoAnswer"
            assert fact.message == "the recorder of pod run-0 on node n2 does not answer"
    heard = ClientPod(uploading(deletionTimestamp=ago(11)), RunFacts("finished", exit_code=0))
    assert not wants(decide(trial, saw(heard)), Gather), "it still uploads"


def test_a_clock_that_was_set_back_after_the_run_holds_no_trial() -> None:
    back = {**PROVEN_TWICE, "Measured": ("True", -3600.0)}
    assert wants(decide(a_trial(back), saw(a_client("uploaded"))), Gather)
    failed = a_trial(back, outcome="Invalid", reason="ErrorRate")
    assert wants(decide(failed, saw(a_client("finished"))), Gather)


def test_why_a_store_takes_nothing_is_what_the_recorder_says() -> None:
    run = RunFacts("finished", exit_code=0, away="Connection refused")
    tries = saw(ClientPod(uploading(), run))
    decision = decide(a_trial({**PROVEN_TWICE, "Measured": ("True", 400.0)}), tries)
    fact = find(decision.status.conditions, "Hindered")
    assert fact is not None
    assert fact.message == (
        "the object store has not taken the clients' logs yet (pod run-0: Connection refused)"
    )
    late = decide(a_trial({**PROVEN_TWICE, "Measured": ("True", 90_000.0)}), tries)
    assert late.status.message is not None
    assert late.status.message.endswith("in time (pod run-0: Connection refused)")
