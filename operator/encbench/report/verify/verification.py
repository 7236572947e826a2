"""The whole of `kubectl encbench verify`: objects by their digests, then the report from them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from pydantic import ValidationError

from encbench import __version__
from encbench.core.artefact import RecordError, decode, encode
from encbench.core.naming import INDEX
from encbench.core.records import IndexRecord
from encbench.report.analysis.bucket import Load, ObjectMissing
from encbench.report.analysis.build import build
from encbench.report.document import Report
from encbench.report.formats.render import texts
from encbench.report.verify.figures import differences
from encbench.report.verify.objects import Examined, Flaw, look, unnamed, walk
from encbench.text.words import plural
from encbench.wire.foreign import parsed

_SHOWN = 10
"""Differences of report.json, and unnamed objects, that have a line of their own."""


@dataclass
class Verified:
    """What was checked, and what was found."""

    findings: list[Flaw] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What was not checked and why, and what proves nothing."""
    named: set[str] = field(default_factory=set)
    """Keys of the objects that were checked."""
    unchecked: set[str] = field(default_factory=set)
    """Keys of those that belong to the report as well."""

    def add(self, checked: Iterable[Examined]) -> None:
        """Note each object, and what is wrong with it, once."""
        known = set(self.findings)
        for one in checked:
            self.named.add(one.key)
            if one.finding is not None and one.finding not in known:
                known.add(one.finding)
                self.findings.append(one.finding)

    def __str__(self) -> str:
        """In one line."""
        objects = plural(len(self.named), "object")
        if self.findings:
            return f"{plural(len(self.findings), 'finding')} in {objects}"
        return (
            f"{objects} checked: none is lost or altered, and the records give the report's figures"
        )


def verify(prefix: str, keys: Sequence[str], load: Load, published: Mapping[str, str]) -> Verified:
    """What the objects under a campaign's prefix say about each other.

    `published` has the digests that the OverheadReport records, by key; without one, that of the
    index is report.json's. RecordError where objects are of another version.
    """
    found, key = Verified(), f"{prefix}/{INDEX}"
    written = _written(load, f"{prefix}/report/report.json")
    content, finding = look(load, key, published.get(key) or _index_of(written))
    found.add([Examined(key, finding)])
    found.add(Examined(one, look(load, one, digest)[1]) for one, digest in published.items())
    try:
        index = decode(IndexRecord, content, key)
    except RecordError:
        if finding is None:
            raise
        found.notes.append("without its index nothing else of the campaign can be checked")
        return found
    found.add(walk(index, load))
    if index.orphans:
        trials = plural(len(index.orphans), "trial")
        found.notes.append(
            f"the report leaves out {trials} that someone deleted (a caveat says so)"
        )
    found.add(_earlier(index, load))
    report = _made_again(found, index, load) if finding is None else None
    if report is None:
        found.notes.append("the report's own files are not compared: the records give no report")
        found.unchecked |= {one for one in keys if one.startswith(f"{prefix}/report/")}
    else:
        _compare(found, report, written, load)
        if not published:
            found.notes.append("report.html is not checked: only the OverheadReport has its digest")
    known = found.named | found.unchecked
    others = [one for one in keys if one not in known]
    records = [*unnamed(index, others, load)]
    found.findings += records
    found.notes += _nameless(sorted({*others} - {one.key for one in records}))
    return found


def _written(load: Load, key: str) -> object:
    """What is in report.json; None where it is lost, and its text where it is no JSON."""
    try:
        content = load(key)
    except ObjectMissing:
        return None
    try:
        return parsed(content)
    except ValueError:
        return content.decode(errors="replace")


def _index_of(written: object) -> str | None:
    """The digest of the index by report.json."""
    named = written.get("index") if isinstance(written, dict) else None
    digest = named.get("digest") if isinstance(named, dict) else None
    return digest if isinstance(digest, str) else None


def _earlier(index: IndexRecord, load: Load) -> Iterator[Examined]:
    """The campaigns that a follow-up extends, because its figures may contain theirs."""
    for one in index.extends:
        content, finding = look(load, one.key, one.digest)
        yield Examined(one.key, finding)
        if finding is None:
            yield from walk(decode(IndexRecord, content, one.key), load)


def _made_again(found: Verified, index: IndexRecord, load: Load) -> Report | None:
    """The report by its records; None where they do not give one."""
    try:
        return build(index, load)
    except RecordError as error:
        if isinstance(error.__cause__, ValidationError):
            raise
        if not found.findings:
            key = f"{index.storage.prefix}/{INDEX}"
            found.findings.append(Flaw("differs", key, f"it gives no report: {error}"))
        return None


def _compare(found: Verified, report: Report, written: object, load: Load) -> None:
    """The report that was made again with report.json, and its tables with those that are there."""
    folder = f"{report.storage.prefix}/report"
    key = f"{folder}/report.json"
    found.unchecked.add(f"{folder}/report.html")
    same = report.operator_version == __version__
    if not same:
        found.notes.append(
            f"the report was written by encbench {report.operator_version or 'unknown'}, and this "
            f"is {__version__}: figures, verdicts and names are compared, words and tables are not"
        )
    if written is None:
        found.add([Examined(key, Flaw("lost", key))])
        differing = []
    else:
        found.named.add(key)
        again = parsed(encode(report))
        differing = [*_shown(key, differences(written, again, same_version=same))]
        found.findings += differing
    if same:
        # From the figures as they were written: the last digit may differ between machines.
        agrees = written is not None and not differing
        found.add(_tables(folder, decode(Report, load(key), key) if agrees else report, load))
    else:
        found.unchecked |= {f"{folder}/{one.name}" for one in texts(report).values()}


def _shown(key: str, differing: Iterator[str]) -> Iterator[Flaw]:
    """The first of many, and how many more there are."""
    for one in islice(differing, _SHOWN):
        yield Flaw("differs", key, one)
    if more := sum(1 for _ in differing):
        yield Flaw("differs", key, f"there are {plural(more, 'more difference')}")


def _tables(folder: str, report: Report, load: Load) -> Iterator[Examined]:
    """The CSV files and report.md, which follow from report.json alone."""
    for rendering in texts(report).values():
        key = f"{folder}/{rendering.name}"
        if rendering.name == "report.json":
            continue
        content, finding = look(load, key, None)
        if finding is None and content != rendering.content:
            finding = Flaw("differs", key, "the records give another content")
        yield Examined(key, finding)


def _nameless(keys: Sequence[str]) -> Iterator[str]:
    """What no index or record names, such as what a trial without a record left."""
    for key in keys[:_SHOWN]:
        yield f"nothing names {key}"
    if len(keys) > _SHOWN:
        yield f"nothing names {plural(len(keys) - _SHOWN, 'more object')}"
