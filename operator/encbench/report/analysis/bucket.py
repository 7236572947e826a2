"""Reading a campaign's records: everything through the index, and checked against its digest.

`load(key)` returns an object's content and raises ObjectMissing when the bucket has none. A record
or a full proof that the index names must neither be missing nor altered. The per-second series
behind the plots may be missing (the report then shows the trial's mean alone), but not altered.
"""

import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from io import BytesIO
from typing import TypeVar

from encbench.core.artefact import RecordError, check, decode
from encbench.core.evidence import ProvenanceRecord
from encbench.core.naming import proof_key
from encbench.core.records import IndexRecord, IndexTestbed, IndexTrial, TrialRecord
from encbench.wire.files import MOST_LINES, SERIES, SERIES_TIME, SERIES_TPS

Load = Callable[[str], bytes]
S = TypeVar("S")
T = TypeVar("T")

_SERIES = re.compile(rf"client-(\d+)/{re.escape(SERIES)}")
IN_FLIGHT = 16
"""Records that are read at once."""
_MAX_POINTS = 60
_MAX_POINTS_IN_ALL = 9000


class ObjectMissing(LookupError):
    """The bucket has no object of that key. Any other LookupError is a fault of the program."""


@dataclass(frozen=True)
class Attempt:
    """A trial of the index with its record."""

    entry: IndexTrial
    record: TrialRecord
    series: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class ProvenanceSource:
    """One provenance record with its key and digest, and the UIDs of the trials that rest on it."""

    key: str
    digest: str
    record: ProvenanceRecord
    trials: set[str] = field(default_factory=set)


def read(
    index: IndexRecord, load: Load, shown: Callable[[Attempt], T]
) -> tuple[list[T], list[ProvenanceSource]]:
    """What `shown` makes of each trial with a record, and each provenance once.

    RecordError if one is missing or altered. A record takes many times the memory of what is shown
    of it, so only those are there at the same time that are being read; `load` and `shown` are
    called by as many threads.
    """
    points = max(6, min(_MAX_POINTS, _MAX_POINTS_IN_ALL // max(1, len(index.trials))))
    found: list[T] = []
    sources: dict[str, ProvenanceSource] = {}

    def shorten(entry: IndexTrial) -> tuple[T, str, str, str | None] | None:
        attempt = _attempt(index, load, points, entry)
        if attempt is None:
            return None
        record = attempt.record
        digest = record.artefacts.get("provenance.json")
        return shown(attempt), record.trial.uid, record.key_of("provenance.json"), digest

    for short in ahead(shorten, index.trials):
        if short is None:
            continue
        view, uid, key, digest = short
        found.append(view)
        if digest is None:
            continue
        if digest not in sources:
            provenance = decode(ProvenanceRecord, checked(load, key, digest), key)
            sources[digest] = ProvenanceSource(key, digest, provenance)
        sources[digest].trials.add(uid)
    return found, list(sources.values())


def _attempt(index: IndexRecord, load: Load, points: int, entry: IndexTrial) -> Attempt | None:
    if entry.key is None or entry.digest is None:
        return None
    record = decode(TrialRecord, checked(load, entry.key, entry.digest), entry.key)
    _belongs(index, entry, record)
    return Attempt(entry, record, over_time(record, load, points))


def _check_proof(testbed: IndexTestbed, load: Load) -> None:
    proof = testbed.proof
    if proof is not None and proof.key is not None and proof.digest is not None:
        checked(load, proof.key, proof.digest)


def ahead(work: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
    """The work of each item in their order, with a few under way."""
    with ThreadPoolExecutor(IN_FLIGHT, "records") as pool:
        waiting: deque[Future[T]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) == IN_FLIGHT:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def checked(load: Load, key: str, digest: str) -> bytes:
    """An object that the index names; RecordError if it is missing or altered."""
    try:
        content = load(key)
    except ObjectMissing as error:
        raise RecordError(f"the bucket has no {key}, which the index names") from error
    return check(content, key, digest)


def check_proofs(index: IndexRecord, load: Load) -> None:
    """RecordError if a full proof that the index names is missing or altered.

    Those of extended campaigns may have been cleaned away (docs/stores.md); their index has the
    digests.
    """
    for _ in ahead(lambda testbed: _check_proof(testbed, load), index.testbeds):
        pass


def check_scripts(index: IndexRecord, load: Load) -> None:
    """RecordError if a script that the index names is missing or altered."""
    for script in index.scripts or ():
        if script.key is not None and script.digest is not None:
            checked(load, script.key, script.digest)


def _belongs(index: IndexRecord, entry: IndexTrial, record: TrialRecord) -> None:
    own = (record.campaign.uid, record.trial.name, record.outcome)
    if own != (index.campaign.uid, entry.name, entry.outcome):
        raise RecordError(
            f"{entry.key} is {record.outcome} trial {record.trial.name} of campaign "
            f"{record.campaign.uid}, the index says {entry.outcome} trial {entry.name} of "
            f"{index.campaign.uid}"
        )
    _rests_on_its_proof(index, record)


def _rests_on_its_proof(index: IndexRecord, record: TrialRecord) -> None:
    """The index has the digest of what lay there at the end, the trial that of its own proof."""
    name, digest = record.spec.testbed_ref.name, record.spec.testbed_proof
    if digest is None:
        return
    named = next((one.proof for one in index.testbeds if one.name == name), None)
    if named is not None and named.digest == digest:
        return
    key, trial = proof_key(record.spec.storage_prefix, name), record.trial.name
    if named is None:
        raise RecordError(f"the index names no {key}, which trial {trial} rests on")
    raise RecordError(
        f"{key} is not the proof that trial {trial} rests on: digest {named.digest}, "
        f"expected {digest}"
    )


def over_time(record: TrialRecord, load: Load, points: int) -> tuple[tuple[float, float], ...]:
    """TPS over the window by seconds since its start; of a slice, or of a second of all clients."""
    if record.window is None:
        return ()
    start, end = record.window.start, record.window.end
    if record.slices is not None:
        # The tool's own seconds have stops in them.
        rows = record.slices.rows
        return thin([(row.counted - start, row.transactions / row.seconds) for row in rows], points)
    clients: list[dict[int, float]] = []
    for index, (name, digest) in series_of(record).items():
        key = record.key_of(name)
        try:
            content = check(load(key), key, digest)
        except ObjectMissing:
            return ()
        skew = clock_ahead(record, index)
        lines = ((moment - skew - start, tps) for moment, tps in parse_series(content, key))
        clients.append(_by_second(lines, end - start))
    known = set[int]().union(*clients).intersection(*clients)
    return thin([(n, sum(one[n] for one in clients)) for n in sorted(known)], points)


def clock_ahead(record: TrialRecord, client: int) -> float:
    """Seconds by which a client's clock, which its series is by, was ahead of the operator's."""
    known = [it.clock_offset for it in record.clients[client : client + 1] if it.clock_offset]
    return known[0].seconds if known else 0.0


def series_of(record: TrialRecord) -> dict[int, tuple[str, str]]:
    """Name and digest of each client's series, by the client's index and in that order."""
    named = ((_SERIES.fullmatch(name), digest) for name, digest in record.artefacts.items())
    return dict(sorted((int(name[1]), (name[0], digest)) for name, digest in named if name))


def _by_second(lines: Iterable[tuple[float, float]], length: float) -> dict[int, float]:
    """TPS by the second of the window, from 0; a line's time is the end of its own second.

    Lines come a second apart, give or take what their writer was late, so they are counted from the
    first of them.
    """
    first: float | None = None
    found: dict[int, float] = {}
    for at, tps in lines:
        if not 0 < at - 0.5 < length or math.isnan(tps):
            continue
        first = at if first is None else first
        found[round(first) + round(at - first) - 1] = tps
    return found


def parse_series(content: bytes, key: str) -> Iterable[tuple[float, float]]:
    """Unix time and TPS of each line of a series.csv; RecordError if it is not one.

    A client's image can have written it, so no more than a line of it is split at a time.
    """
    count = content.count(b"\n")
    if count > MOST_LINES:
        raise RecordError(f"{key} has {count:,} lines, more than {MOST_LINES:,}")
    lines = (line.decode("utf-8", errors="replace").rstrip("\r\n") for line in BytesIO(content))
    if next(lines, "").split(",", 2)[:2] != [SERIES_TIME, SERIES_TPS]:
        raise RecordError(f"{key} does not begin with the columns {SERIES_TIME},{SERIES_TPS}")
    for number, line in enumerate(lines, 2):
        time, tps, *_ = (*line.split(",", 2), "")
        try:
            moment, rate = float(time), float(tps or "nan")
        except ValueError as error:
            raise RecordError(f"{key}, line {number} is not a number") from error
        if not math.isfinite(moment) or math.isinf(rate):
            raise RecordError(f"{key}, line {number} has a number without end")
        yield moment, rate


def thin(samples: Sequence[tuple[float, float]], points: int) -> tuple[tuple[float, float], ...]:
    """At most that many points, each the mean of a run of equally many samples."""
    width = max(1, -(-len(samples) // points))
    runs = [samples[i : i + width] for i in range(0, len(samples), width)]
    return tuple(
        (
            round(sum(t for t, _ in run) / len(run), 1),
            float(f"{sum(v for _, v in run) / len(run):.5g}"),
        )
        for run in runs
    )
