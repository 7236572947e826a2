"""What an index leads to: every object that it or one of its records names, by its digest."""

import itertools
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from encbench.core.artefact import decode, digest_of
from encbench.core.records import IndexRecord, IndexTrial, TrialRecord
from encbench.report.analysis.bucket import Load, ObjectMissing, ahead
from encbench.wire.foreign import parsed

_RAW = threading.Semaphore(4)
"""So many raw files are held at once, because readings of a long block may take 90 MiB each."""

Kind = Literal["lost", "altered", "differs", "unnamed"]


@dataclass(frozen=True)
class Flaw:
    """What is wrong with one object."""

    kind: Kind
    key: str
    why: str = ""


@dataclass(frozen=True)
class Examined:
    """One object that something names; `finding` is None where it is as it was archived."""

    key: str
    finding: Flaw | None


def look(load: Load, key: str, digest: str | None) -> tuple[bytes, Flaw | None]:
    """The object's content, and what is wrong with it; without a digest it may be any."""
    try:
        content = load(key)
    except ObjectMissing:
        return b"", Flaw("lost", key)
    found = digest_of(content)
    if digest is None or found == digest:
        return content, None
    return content, Flaw("altered", key, f"its digest is {found}, and not {digest}")


def walk(index: IndexRecord, load: Load) -> Iterator[Examined]:
    """Every object of one campaign that its index leads to, beside the index.

    RecordError where a record that is as it was archived is of another version.
    """
    for testbed in index.testbeds:
        # Absent where no proof was made, and its key and digest where they are not known.
        if (proof := testbed.proof) and proof.key:
            yield Examined(proof.key, look(load, proof.key, proof.digest)[1])
    named = [(one.key, one.digest) for one in index.scripts or ()]
    for key, digest in (*named, *((one.key, one.digest) for one in index.orphans or ())):
        # Of a script whose copy was gone the digest alone is known.
        if key is not None:
            yield Examined(key, look(load, key, digest)[1])

    def trial(entry: IndexTrial) -> list[Examined]:
        return [*_trial(entry, load)]

    yield from itertools.chain.from_iterable(ahead(trial, index.trials))


def _trial(entry: IndexTrial, load: Load) -> Iterator[Examined]:
    if entry.key is None or entry.digest is None:
        return
    content, finding = look(load, entry.key, entry.digest)
    yield Examined(entry.key, finding)
    if finding is None:
        record = decode(TrialRecord, content, entry.key)
        for name, digest in record.artefacts.items():
            key = record.key_of(name)
            with _RAW:
                checked = Examined(key, look(load, key, digest)[1])
            yield checked


def unnamed(index: IndexRecord, keys: Sequence[str], load: Load) -> Iterator[Flaw]:
    """Records of trials among objects that nothing names: the report has nothing of them.

    That of a trial which the index lists without a record was stored too late to be named.
    """
    late = {trial.name for trial in index.trials if not trial.is_recorded}
    for key in keys:
        if not key.endswith("/trial.json"):
            continue
        name, outcome = _of_trial(load(key))
        if name not in late:
            yield Flaw("unnamed", key, f"{outcome} trial {name} is not in the index")


def _of_trial(content: bytes) -> tuple[str, str]:
    """Name and outcome by a record that may be anything."""
    try:
        body = parsed(content)
    except ValueError:
        body = None
    body = body if isinstance(body, Mapping) else {}
    trial = body.get("trial")
    name = trial.get("name") if isinstance(trial, Mapping) else None
    return str(name or "without a name"), str(body.get("outcome") or "unfinished")
