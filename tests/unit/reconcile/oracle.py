"""What must hold at the end, however a campaign got there."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from encbench.api.conditions import is_true
from encbench.api.kinds import (
    JOB,
    OVERHEAD_REPORT,
    PERSISTENT_VOLUME_CLAIM,
    POD,
    POD_DISRUPTION_BUDGET,
    SECRET,
    SERVICE,
    STATEFUL_SET,
    TESTBED,
    TRIAL,
)
from encbench.core.artefact import check, decode
from encbench.core.certificates import authority_name
from encbench.core.records import IndexRecord, TrialRecord
from encbench.kube import labels
from encbench.reconcile.objects import OverheadReport, Trial, overhead_report
from tests.unit.reconcile.world import NAME, SPACE, World

CHILDREN = (
    *(TESTBED, STATEFUL_SET, SERVICE, PERSISTENT_VOLUME_CLAIM, SECRET, JOB, POD),
    POD_DISRUPTION_BUDGET,
)
"""What a campaign without failures leaves nothing of."""
MADE_ONCE = {kind.kind for kind in (TESTBED, TRIAL, STATEFUL_SET, SECRET, JOB, OVERHEAD_REPORT)}


@dataclass(frozen=True)
class FinalState:
    """What two runs of a campaign must have in common."""

    phase: str
    ends: frozenset[tuple[str, str]]
    progress: tuple[int, ...]
    trials: tuple[tuple[str, str | None, str | None], ...]
    """Name, outcome, reason."""
    stored: frozenset[str]
    """Keys in the bucket, with the trials' names in place of their UIDs."""
    leftovers: frozenset[tuple[str, str]]
    rows: tuple[tuple[str, int, str], ...]
    """Arm, blocks and verdict of the report's rows."""


def final_state(world: World) -> FinalState:
    """The comparable part of the world."""
    status = world.campaign().status
    counts = status.progress
    return FinalState(
        phase=status.phase,
        ends=frozenset((c.type, c.reason) for c in status.conditions if c.status == "True"),
        progress=(counts.planned, counts.active, counts.succeeded, counts.invalid, counts.failed),
        trials=tuple((t.name, t.status.outcome, t.status.reason) for t in world.trials()),
        stored=frozenset(_named(world)),
        leftovers=leftovers(world),
        rows=tuple((row.arm, row.blocks, row.verdict) for row in report(world).status.rows),
    )


def leftovers(world: World) -> frozenset[tuple[str, str]]:
    """Objects that should be gone when a campaign is over."""
    found = {
        (kind.kind, b["metadata"]["name"]) for kind in CHILDREN for b in world.cluster.all(kind)
    }
    # It goes with the campaign.
    found -= {(SECRET.kind, authority_name(NAME))}
    active = {("active", trial.name) for trial in world.trials() if labels.ACTIVE in trial.labels}
    return frozenset(found | active)


def report(world: World) -> OverheadReport:
    """The campaign's report."""
    return overhead_report(world.cluster.one(OVERHEAD_REPORT, SPACE, NAME))


def assert_sound(world: World) -> None:
    """The final oracle: counted once, made once, stored once, and every digest resolves."""
    assert world.cluster.strange == []
    counts = world.campaign().status.progress
    assert counts.active == 0
    assert counts.planned == counts.succeeded + counts.invalid + counts.failed
    assert counts.planned == len(world.trials())
    twice = {
        (kind, name): times
        for (kind, name), times in world.cluster.created.items()
        if kind in MADE_ONCE and times > 1
    }
    assert twice == {}
    records = [key for key in world.store.objects if key.endswith("/trial.json")]
    assert len(records) == len(world.trials())
    assert {world.store.written[key] for key in records} <= {1}
    assert_digests(world)


def assert_digests(world: World) -> None:
    """Every digest that the report leads to is that of what lies in the bucket."""
    found = report(world).status
    assert is_true(found.conditions, "Ready")
    assert found.verdict == world.campaign().status.verdict
    artefacts = found.artefacts
    assert artefacts is not None
    pages = (artefacts.html, artefacts.markdown, artefacts.csv, artefacts.json_, *artefacts.tables)
    for one in pages:
        _checked(world, one.key, one.digest)
    folder = artefacts.index.key.rpartition("/")[0]
    files = {key for key in world.store.objects if key.startswith(f"{folder}/")}
    assert files == {artefacts.index.key, *(one.key for one in pages)}
    content = _checked(world, artefacts.index.key, artefacts.index.digest)
    index = decode(IndexRecord, content, artefacts.index.key)
    for testbed in index.testbeds:
        if testbed.proof is not None:
            assert testbed.proof.key is not None
            assert testbed.proof.digest is not None
            _checked(world, testbed.proof.key, testbed.proof.digest)
    assert {trial.name for trial in world.trials()} <= {entry.name for entry in index.trials}
    assert index.end is not None
    facts = world.campaign().status.conditions
    ends = [fact for fact in facts if fact.type in ("Complete", "Failed") and fact.status == "True"]
    assert [(fact.reason, fact.message) for fact in ends] == [(index.end.reason, index.end.message)]
    assert [entry.name for entry in index.trials if entry.key is None] == []
    for entry in index.trials:
        assert entry.key is not None
        assert entry.digest is not None
        record = decode(TrialRecord, _checked(world, entry.key, entry.digest), entry.key)
        for name, digest in record.artefacts.items():
            _checked(world, record.key_of(name), digest)


def _checked(world: World, key: str, digest: str) -> bytes:
    return check(world.store.objects[key], key, digest)


def _named(world: World) -> Iterator[str]:
    """Keys in the bucket without the UIDs, which differ from run to run."""
    names = {trial.uid: trial.name for trial in world.trials()}
    prefix = world.campaign().status.storage_prefix or ""
    for key in world.store.objects:
        parts = key.removeprefix(prefix).split("/")
        yield "/".join(names.get(part, part) for part in parts)


def recorded_images(world: World, trial: Trial) -> set[str]:
    """The containers whose images are in a trial's provenance."""
    key = next(k for k in world.store.objects if k.endswith(f"{trial.uid}/provenance.json"))
    return set(json.loads(world.store.objects[key])["images"])


def proofs(world: World, trial: str) -> dict[str, bool]:
    """Verdicts that a trial's record gives of its proofs."""
    uid = next(t.uid for t in world.trials() if t.name == trial)
    key = next(k for k in world.store.objects if k.endswith(f"{uid}/proofs.json"))
    content = json.loads(world.store.objects[key])
    return {when: content[when]["ok"] for when in ("before", "after") if when in content}
