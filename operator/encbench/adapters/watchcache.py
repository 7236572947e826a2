"""A `ports.Cluster` that remembers what was read and written, and hears of changes by watches.

A pass over an object reads all that it needs. Most of that has not changed since the last pass, and
watches have brought the rest already, so the API server is asked only for what may be out of date:

- An object stays as it was read or written until a newer version of it comes. The resourceVersion
  says which is newer, so a late or repeated event changes nothing.
- A list stays as the names that it had. An object that leaves it is dropped from it. One that
  should be in it and is not has it read again, because an event may be older than a deletion.
- Everything is read again after `LONGEST` seconds, so that a lost event does no harm for longer,
  and at once when the API server was away. An object whose write was refused is read again too.

Only objects that the watches bring are remembered, and Secrets that the operator has made: nothing
else changes those. Callers do not change a body that this gives.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice

from encbench.api.kinds import CAMPAIGN, JOB, POD, SECRET, STATEFUL_SET, TESTBED, TRIAL, Kind
from encbench.kube import labels as marks
from encbench.ports import Body, Cluster, NotNow, Pages, Unavailable

LONGEST = 60.0
"""Seconds for which something is believed that nothing has confirmed."""
OURS = {marks.MANAGED_BY: marks.MANAGER}
WATCHED: Mapping[Kind, Mapping[str, str]] = {
    CAMPAIGN: {},
    TESTBED: {},
    TRIAL: {marks.ACTIVE: "true"},
    JOB: OURS,
    STATEFUL_SET: OURS,
    POD: OURS,
}
"""The kinds that watches bring, and the labels that an object of the kind needs for that."""

Key = tuple[Kind, str, str]
"""Kind, namespace, name."""
Selector = frozenset[tuple[str, str]]


@dataclass
class _Known:
    """An object; without a body there is none of that name."""

    body: Body | None
    since: float


@dataclass
class _Names:
    """A list as it was read."""

    names: set[str]
    since: float


@dataclass(eq=False)
class _Reading:
    """A request that is under way, and whether something changed meanwhile."""

    kind: Kind
    namespace: str
    concerns: Callable[[Body], bool]
    spoilt: bool = False


@dataclass
class WatchCache:
    """See above. `ticks` is a clock in seconds that is never set."""

    cluster: Cluster
    ticks: Callable[[], float]
    _known: dict[Key, _Known] = field(default_factory=dict)
    """In the order in which they were confirmed."""
    _lists: defaultdict[tuple[Kind, str], dict[Selector, _Names]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    _readings: list[_Reading] = field(default_factory=list)

    # -- reading

    async def get(self, kind: Kind, namespace: str, name: str) -> Body | None:
        """See `ports.Cluster`."""
        key = (kind, namespace, name)
        known = self._known.get(key)
        if known is not None and self._is_fresh(known.since):
            return known.body
        with self._reading(kind, namespace, lambda body: _name(body) == name) as reading:
            body = await self.cluster.get(kind, namespace, name)
        if not reading.spoilt:
            self._learn(key, body)
        return body

    async def list(
        self, kind: Kind, namespace: str | None, labels: Mapping[str, str] | None = None
    ) -> list[Body]:
        """See `ports.Cluster`. Only lists by labels in one namespace are remembered."""
        if namespace is None or not labels or not _is_watched(kind, labels):
            return await self.cluster.list(kind, namespace, labels)
        selector = frozenset(labels.items())
        known = self._lists[kind, namespace].get(selector)
        if known is not None and self._is_fresh(known.since):
            found = [self._known.get((kind, namespace, name)) for name in sorted(known.names)]
            bodies = [one.body for one in found if one is not None and one.body is not None]
            if len(bodies) == len(found):
                return bodies
        with self._reading(kind, namespace, lambda body: _bears(body, selector)) as reading:
            read = await self.cluster.list(kind, namespace, labels)
        if not reading.spoilt:
            for body in read:
                self._learn((kind, namespace, _name(body)), body)
            names = {_name(body) for body in read}
            self._lists[kind, namespace][selector] = _Names(names, self.ticks())
            for name in tuple(names):  # what has left goes out of the list
                # One that is known better may have left meanwhile.
                one = self._known.get((kind, namespace, name))
                if one is not None and one.body is not None:
                    self._leave(kind, namespace, name, _labels(one.body))
        return read

    def pages(self, kind: Kind, namespace: str, labels: Mapping[str, str] | None = None) -> Pages:
        """See `ports.Cluster`. Nothing of it is remembered."""
        return self.cluster.pages(kind, namespace, labels)

    async def logs(self, namespace: str, pod: str, container: str, lines: int) -> str:
        """See `ports.Cluster`."""
        return await self.cluster.logs(namespace, pod, container, lines)

    # -- writing

    async def create(self, kind: Kind, body: Body) -> Body:
        """See `ports.Cluster`."""
        with self._writing(kind, body):
            return self._written(kind, await self.cluster.create(kind, body))

    async def apply(self, kind: Kind, body: Body) -> Body:
        """See `ports.Cluster`."""
        with self._writing(kind, body):
            return self._written(kind, await self.cluster.apply(kind, body))

    async def apply_status(self, kind: Kind, body: Body) -> Body:
        """See `ports.Cluster`."""
        with self._writing(kind, body):
            return self._written(kind, await self.cluster.apply_status(kind, body))

    async def patch_metadata(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        *,
        labels: Mapping[str, str | None] | None = None,
        finalizers: Sequence[str] | None = None,
        resource_version: str | None = None,
    ) -> Body | None:
        """See `ports.Cluster`."""
        with self._writing(kind, {"metadata": {"namespace": namespace, "name": name}}):
            body = await self.cluster.patch_metadata(
                *(kind, namespace, name),
                labels=labels,
                finalizers=finalizers,
                resource_version=resource_version,
            )
            if body is None or body["metadata"].get("deletionTimestamp") is not None:
                self._forget(kind, namespace, name)
            else:
                self._written(kind, body)
            return body

    async def delete(self, kind: Kind, namespace: str, name: str, uid: str) -> None:
        """See `ports.Cluster`."""
        try:
            await self.cluster.delete(kind, namespace, name, uid)
        finally:
            self._forget(kind, namespace, name)

    async def event(
        self, kind: Kind, regarding: Body, reason: str, note: str, *, warning: bool = False
    ) -> None:
        """See `ports.Cluster`."""
        await self.cluster.event(kind, regarding, reason, note, warning=warning)

    # -- watches

    def changed(self, kind: Kind, body: Body, *, gone: bool = False) -> None:
        """A watch shows a change; `gone` also if it no longer has the labels of the watch."""
        meta = body["metadata"]
        space, name = meta.get("namespace", ""), meta["name"]
        self._spoil(kind, space, body)
        known = self._known.get((kind, space, name))
        if known is None or known.body is None or gone:
            if gone and known is not None and known.body is not None:
                if known.body["metadata"]["uid"] != meta["uid"]:
                    return  # Of an earlier one of that name.
                if _has_left(kind, known.body) and not _is_newer(body, known.body):
                    return  # It is there, and has no longer what the watch asks for.
                self._leave(kind, space, name, Selector())
            self._known.pop((kind, space, name), None)
            if not gone:
                self._doubt(kind, space, name, body)
        elif _is_newer(body, known.body):
            self._learn((kind, space, name), body)
            self._leave(kind, space, name, _labels(body))
            self._doubt(kind, space, name, body)

    # -- inside

    def _is_fresh(self, since: float) -> bool:
        return self.ticks() - since < LONGEST

    def _learn(self, key: Key, body: Body | None) -> None:
        """Remember what the API server has answered, unless something newer is known."""
        if not _may_keep(key[0], body):
            self._known.pop(key, None)
            return
        known = self._known.pop(key, None)
        if known is not None and body is not None and known.body is not None:
            body = known.body if _is_newer(known.body, body) else body
        self._known[key] = _Known(body, self.ticks())
        for old in list(islice(self._known, 2)):
            # Ever the two that were confirmed first, so that what is not needed any more goes.
            if not self._is_fresh(self._known[old].since):
                del self._known[old]

    def _written(self, kind: Kind, body: Body) -> Body:
        space, name = body["metadata"].get("namespace", ""), _name(body)
        self._spoil(kind, space, body)
        self._learn((kind, space, name), body)
        self._leave(kind, space, name, _labels(body))
        for selector, known in self._lists[kind, space].items():
            if selector <= _labels(body):
                known.names.add(name)
        return body

    def _leave(self, kind: Kind, namespace: str, name: str, bears: Selector) -> None:
        """It is in those lists only whose labels it bears."""
        for selector, known in self._lists[kind, namespace].items():
            if not selector <= bears:
                known.names.discard(name)

    def _doubt(self, kind: Kind, namespace: str, name: str, body: Body) -> None:
        """Read those lists again that should have it and do not."""
        lists, bears = self._lists[kind, namespace], _labels(body)
        for selector, known in list(lists.items()):
            if (selector <= bears and name not in known.names) or not self._is_fresh(known.since):
                del lists[selector]

    def _forget(self, kind: Kind, namespace: str, name: str, body: Body | None = None) -> None:
        """Nothing is certain about it any more."""
        for reading in self._readings:
            reading.spoilt |= (reading.kind, reading.namespace) == (kind, namespace)
        self._known.pop((kind, namespace, name), None)
        lists, bears = self._lists[kind, namespace], _labels(body or {})
        for selector in [it for it, known in lists.items() if name in known.names or it <= bears]:
            del lists[selector]

    def _spoil(self, kind: Kind, namespace: str, body: Body) -> None:
        """What is being read may be older than this."""
        for reading in self._readings:
            if (reading.kind, reading.namespace) == (kind, namespace) and reading.concerns(body):
                reading.spoilt = True

    @contextmanager
    def _reading(
        self, kind: Kind, namespace: str, concerns: Callable[[Body], bool]
    ) -> Iterator[_Reading]:
        reading = _Reading(kind, namespace, concerns)
        self._readings.append(reading)
        try:
            yield reading
        except Unavailable as error:
            if _was_away(error):
                self._forget_all()
            raise
        finally:
            self._readings.remove(reading)

    @contextmanager
    def _writing(self, kind: Kind, body: Body) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            self._forget(kind, body["metadata"].get("namespace", ""), _name(body), body)
            if _was_away(error):
                self._forget_all()
            raise

    def _forget_all(self) -> None:
        """While the API server is away, its watches are as well."""
        for reading in self._readings:
            reading.spoilt = True
        self._known.clear()
        self._lists.clear()


def _was_away(error: BaseException) -> bool:
    """Whether the API server could not be asked; one that says "not now" has its watches still."""
    return isinstance(error, Unavailable) and not isinstance(error, NotNow)


def _name(body: Body) -> str:
    return str(body["metadata"]["name"])


def _labels(body: Body) -> Selector:
    return frozenset((body.get("metadata", {}).get("labels") or {}).items())


def _bears(body: Body, selector: Set[tuple[str, str]]) -> bool:
    return selector <= _labels(body)


def _is_watched(kind: Kind, labels: Mapping[str, str]) -> bool:
    """Whether watches bring all objects with these labels; only ours have labels of encbench."""
    watched = WATCHED.get(kind)
    return watched is not None and (watched is OURS or watched.items() <= labels.items())


def _has_left(kind: Kind, body: Body) -> bool:
    return not _bears(body, WATCHED.get(kind, {}).items())


def _may_keep(kind: Kind, body: Body | None) -> bool:
    if kind == CAMPAIGN:
        return True
    if body is None:
        return kind in WATCHED
    return (kind in WATCHED or kind == SECRET) and _bears(body, OURS.items())


def _is_newer(one: Body, other: Body) -> bool:
    return _version(one) > _version(other)


def _version(body: Body) -> int:
    """The API server counts them up; without a number, only what was read afresh is believed."""
    version = body["metadata"].get("resourceVersion", "")
    return int(version) if version.isdecimal() else 0
