"""The report as a function of the index and what it names; no clock, no network, nothing else.

Data passes from the index through `bucket` (records, checked), `views` (figures of one trial) and
`groups` (one condition: its valid blocks) to `headline`, `caveats` and `provenance`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from encbench.api.overheadreport import (
    MAX_HEADLINE,
    MAX_ROWS,
    Artefact,
    CaveatTitle,
    InvalidCount,
    OverheadReportStatus,
)
from encbench.core.artefact import decode, digest_of, encode
from encbench.core.naming import INDEX
from encbench.core.records import (
    IndexCell,
    IndexCondition,
    IndexEarlier,
    IndexProof,
    IndexRecord,
    IndexTrial,
)
from encbench.report.analysis import bucket
from encbench.report.analysis.bucket import Load
from encbench.report.analysis.caveats import Facts, caveats
from encbench.report.analysis.encrypted import encrypted_columns
from encbench.report.analysis.groups import group
from encbench.report.analysis.latency import distributions
from encbench.report.analysis.observations import observations
from encbench.report.analysis.pace import block_times
from encbench.report.analysis.pooled import unlike
from encbench.report.analysis.provenance import beds, provenance
from encbench.report.analysis.studies import studies
from encbench.report.analysis.views import view
from encbench.report.document import Provenance, Report, TestbedProof
from encbench.report.document.group import Group
from encbench.report.document.pooled import Pooling
from encbench.report.document.trial import TrialView
from encbench.report.figures import JUDGED
from encbench.report.words import judgement, text
from encbench.report.words.headline import headlines
from encbench.text.words import listed, plural

T = TypeVar("T", TrialView, IndexTrial)


def build(index: IndexRecord, load: Load) -> Report:
    """The report of a campaign.

    `load(key)` returns the content of an object and raises ObjectMissing when there is none.
    RecordError when an object that the index names is missing, altered or invalid: a report never
    rests on half of its data.
    """
    views, sources = bucket.read(index, load, _viewer(index))
    bucket.check_proofs(index, load)
    bucket.check_scripts(index, load)
    proofs = _proofs(index)
    origin = provenance(sources, beds(views))
    before = [_earlier(one, load) for one in index.extends]
    pooling = _pooling(index, origin, before)
    gone = tuple(trial for trial in index.trials if not trial.is_recorded)
    pooled = before if pooling is not None and not pooling.why_not else []
    observed = [*_groups(index, views, gone, pooled)]
    groups = tuple(one for one, _ in observed)
    earlier = [trial for _, of in observed for trial in of]
    counted = {name for g in groups for b in g.blocks if b.counted for name in b.trials}
    trials = tuple(_marked(views, counted))
    floors = [g.noise_floor for g in groups if g.noise_floor is not None]
    facts = Facts(
        *(index.spec, index.resolved, groups, trials, gone, origin, sources, earlier),
        testbeds=index.testbeds,
        orphans=[one for of in (index, *(it.index for it in pooled)) for one in of.orphans or ()],
        end=index.end,
        lost_sets=index.lost_sets or (),
    )
    report = Report(
        campaign=index.campaign,
        spec=index.spec,
        resolved=index.resolved,
        storage=index.storage,
        index=Artefact(key=f"{index.storage.prefix}/{INDEX}", digest=digest_of(encode(index))),
        scripts=index.scripts,
        start_time=index.start_time,
        generated_time=index.generated_time,
        operator_version=index.operator_version,
        groups=groups,
        trials=trials,
        unrecorded=gone,
        end=index.end,
        lost_sets=index.lost_sets,
        invalid=_invalid((*trials, *gone)),
        noise_floor=max(floors, default=None),
        colocated=any(trial.colocated for trial in (*trials, *earlier)),
        proofs=proofs,
        encrypted_columns=encrypted_columns(groups, index.resolved),
        studies=studies(groups, index.resolved),
        provenance=origin,
        caveats=caveats(facts),
        pooling=pooling,
    )
    return report.model_copy(update={"headlines": headlines(report)})


def to_status(report: Report) -> OverheadReportStatus:
    """The part of the status that the report knows; the caller adds conditions and artefacts.

    It shows at most MAX_ROWS rows, in the order of the plan.
    """
    first = report.headlines[0]
    # For `kubectl get`: the loss of TPS, or another figure with its name.
    shown = f"{text.estimate(first.loss, report.spec.margin)} {JUDGED[first.figure].tag}".rstrip()
    return OverheadReportStatus(
        headline=_within(MAX_HEADLINE, [headline.text for headline in report.headlines]),
        overhead=shown if first.loss else "",
        verdict=first.verdict,
        margin=report.spec.margin,
        noise_floor=report.noise_floor,
        rows=report.rows[:MAX_ROWS],
        invalid=list(report.invalid[:64]),
        colocated=report.colocated,
        caveats=[CaveatTitle(weight=one.weight, title=one.title) for one in report.caveats[:64]],
        generated_time=report.generated_time,
    )


def _within(letters: int, headlines: Sequence[str]) -> str:
    """As many whole headlines as fit, and how many are left out: a part could be misread."""
    for count in range(len(headlines), 0, -1):
        left = len(headlines) - count
        more = [f"The page has what is known of {left} more."] if left else []
        whole = " ".join([*headlines[:count], *more])
        if len(whole) <= letters:
            return whole
    return f"The page has the answer on {plural(len(headlines), 'mode')}, which is long."


@dataclass(frozen=True)
class _Earlier:
    """A campaign that a follow-up extends."""

    index: IndexRecord
    views: list[TrialView]
    origin: Provenance


def _earlier(one: IndexEarlier, load: Load) -> _Earlier:
    index = decode(IndexRecord, bucket.checked(load, one.key, one.digest), one.key)
    views, sources = bucket.read(index, load, _viewer(index))
    return _Earlier(index, views, provenance(sources, beds(views)))


def _pooling(index: IndexRecord, origin: Provenance, before: Sequence[_Earlier]) -> Pooling | None:
    """Decided by the machines alone, before a figure is read."""
    if not before:
        return None
    versions = [index.operator_version, *(one.index.operator_version for one in before)]
    why_not = [
        f"{one.index.campaign.name}: {it}" for one in before for it in unlike(one.origin, origin)
    ]
    if len(set(versions)) > 1:
        why_not.append(f"encbench: {listed(sorted({str(it) for it in versions}))}")
    return Pooling(
        earlier=tuple(one.index.campaign for one in before),
        extensions=index.spec.blocks.extensions,
        why_not=tuple(why_not),
    )


def _viewer(index: IndexRecord) -> Callable[[bucket.Attempt], TrialView]:
    homes = {testbed.name: testbed for testbed in index.testbeds}
    return lambda attempt: view(attempt, homes.get(attempt.record.spec.testbed_ref.name))


def _marked(views: list[TrialView], counted: Collection[str]) -> Iterator[TrialView]:
    """The views, emptied as they are passed on: two copies of all would be much memory."""
    views.reverse()
    while views:
        one = views.pop()
        yield one.model_copy(update={"counted": one.name in counted})


def _groups(
    index: IndexRecord,
    views: list[TrialView],
    gone: Sequence[IndexTrial],
    before: Sequence[_Earlier],
) -> Iterable[tuple[Group, list[TrialView]]]:
    """Each with the trials of earlier campaigns that it rests on as well."""
    for cell in index.cells:
        in_cell = [trial for trial in views if trial.cell == cell.name]
        times = block_times(in_cell)
        for condition in cell.conditions:
            trials = _under(in_cell, cell, condition)
            earlier = [
                (one.index.campaign.name, _under(one.views, cell, condition)) for one in before
            ]
            lost = _under(gone, cell, condition)
            seen = observations(index, cell, condition, trials, lost, earlier)
            found = group(index, cell, condition, seen, times)
            latency = distributions(found, {trial.name: trial for trial in trials})
            yield found.model_copy(update={"latency": latency}), seen.earlier


def _under(trials: Iterable[T], cell: IndexCell, condition: IndexCondition) -> list[T]:
    """Those of that cell under that condition."""
    own = (cell.name, condition.workload, condition.concurrency)
    return [t for t in trials if (t.cell, t.workload, t.concurrency) == own]


def _invalid(trials: Iterable[TrialView | IndexTrial]) -> tuple[InvalidCount, ...]:
    reasons = judgement.counted(t.reason for t in trials if t.outcome != "Succeeded")
    return tuple(InvalidCount(reason=reason, count=count) for reason, count in reasons)


def _proofs(index: IndexRecord) -> tuple[TestbedProof, ...]:
    instances = {cell.name: cell.instance for cell in index.cells}
    none = IndexProof(ok=False, summary="no proof was made")
    return tuple(
        TestbedProof(
            testbed=testbed.name,
            instance=instances.get(testbed.cell, testbed.cell),
            arm=testbed.arm,
            **{**dict(proof), "on_trust": proof.is_on_trust or None},
        )
        for testbed in index.testbeds
        for proof in [testbed.proof or none]
    )
