"""An in-memory API server for unit tests of everything that takes a `ports.Cluster`.

It passes the same contract tests as the real adapter (tests/support/cluster_contract.py). What it
does like the real one: uid, resourceVersion, generation and creationTimestamp; 409 on a taken name,
a stale resourceVersion or another uid; writes that change nothing keep the resourceVersion; status
is written only by `apply_status`; strict validation of our own kinds; finalizers; label selection.

What is simpler, on purpose:
- Server-side apply knows two managers, the operator and all others: fields that the operator
  applied earlier and leaves out now are removed, maps are merged, and **lists are replaced whole**.
- Garbage collection happens within `delete`; an object goes with the last of its owners.
- Jobs and StatefulSets are not run: a test plays the other controllers with `add` and `set_status`.
- Any namespace exists.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

from encbench.api.conditions import format_time
from encbench.api.kinds import POD, Kind
from encbench.ports import Body, Conflict, Pages, Rejected
from tests.support.fake_admission import check_change, check_content, check_name, with_defaults
from tests.support.fake_faults import Call, Fault, Faults, RecordedEvent

__all__ = ["Call", "FakeCluster", "RecordedEvent"]

PAGE = 3
"""Objects in a page: few, so that there are several."""
Key = tuple[Kind, str, str]
"""Kind, namespace (empty for cluster-wide kinds), name."""


class FakeCluster:
    """A `ports.Cluster` in memory; the methods below the port's are for tests.

    `now` gives the time of creation and deletion stamps.
    """

    def __init__(
        self, *, now: Callable[[], datetime] = lambda: datetime(2030, 1, 1, tzinfo=UTC)
    ) -> None:
        self.events: list[RecordedEvent] = []
        self.calls: list[Call] = []
        """Every request in order, reads included, failed ones as well."""
        self._now = now
        self.grace_seconds = 0
        """How long a deleted pod may take until `end`; 0: it is gone at once."""
        self._objects: dict[Key, Body] = {}
        self._applied: dict[Key, Body] = {}
        self._logs: dict[tuple[str, str, str], str] = {}
        self._faults = Faults()
        self._versions = count(1)
        self._uids = count(1)

    # -- ports.Cluster

    async def get(self, kind: Kind, namespace: str, name: str) -> Body | None:
        key = _key(kind, namespace, name)
        with self._call("get", key):
            return copy.deepcopy(self._objects.get(key))

    async def list(
        self, kind: Kind, namespace: str | None, labels: Mapping[str, str] | None = None
    ) -> list[Body]:
        with self._call("list", (kind, namespace or "", "")):
            everywhere = namespace is None or not kind.namespaced
            return [
                copy.deepcopy(body)
                for (other, inside, _), body in sorted(
                    self._objects.items(), key=lambda item: item[0][1:]
                )
                if other == kind and (everywhere or inside == namespace) and _bears(body, labels)
            ]

    async def pages(
        self, kind: Kind, namespace: str, labels: Mapping[str, str] | None = None
    ) -> Pages:
        found = await self.list(kind, namespace, labels)
        for first in range(0, max(1, len(found)), PAGE):
            yield found[first : first + PAGE]

    async def create(self, kind: Kind, body: Body) -> Body:
        key = _key_of(kind, body)
        with self._call("create", key):
            check_name(body)
            if key in self._objects:
                raise Conflict(f"{kind.plural} {key[2]!r} already exists")
            return self._insert(key, body)

    async def apply(self, kind: Kind, body: Body) -> Body:
        key = _key_of(kind, body)
        with self._call("apply", key):
            check_name(body)
            live = self._objects.get(key)
            _check_incarnation(body.get("metadata", {}), live)
            wanted = copy.deepcopy(body)
            wanted.pop("status", None)
            if live is None:
                self._applied[key] = copy.deepcopy(wanted)
                return self._insert(key, wanted)
            merged = _apply(live, self._applied.get(key, {}), wanted)
            stored = self._replace(key, merged)
            self._applied[key] = copy.deepcopy(wanted)
            return stored

    async def apply_status(self, kind: Kind, body: Body) -> Body:
        key = _key_of(kind, body)
        with self._call("apply_status", key):
            live = self._objects.get(key)
            meta = body["metadata"]
            if not meta.get("resourceVersion"):
                raise Rejected("metadata.resourceVersion: must be specified for an update")
            if live is None:
                raise Conflict(f"{kind.plural} {key[2]!r} not found")
            _check_incarnation(meta, live)
            return self._replace(key, {**live, "status": copy.deepcopy(body["status"])})

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
        key = _key(kind, namespace, name)
        with self._call("patch_metadata", key):
            live = self._objects.get(key)
            if live is None:
                return None
            if resource_version is not None:
                _check_incarnation({"resourceVersion": resource_version}, live)
            changed = copy.deepcopy(live)
            merged = {**changed["metadata"].get("labels", {}), **(labels or {})}
            kept = {label: value for label, value in merged.items() if value is not None}
            _set_or_drop(changed["metadata"], "labels", kept)
            if finalizers is not None:
                _set_or_drop(changed["metadata"], "finalizers", list(finalizers))
            stored = self._replace(key, changed)
            if "deletionTimestamp" in changed["metadata"] and not finalizers:
                self._vanish(key)
            return stored

    async def delete(self, kind: Kind, namespace: str, name: str, uid: str) -> None:
        key = _key(kind, namespace, name)
        with self._call("delete", key):
            live = self._objects.get(key)
            if live is not None and live["metadata"]["uid"] == uid:
                self._delete(key)

    async def logs(self, namespace: str, pod: str, container: str, lines: int) -> str:
        text = self._logs.get((namespace, pod, container), "")
        return "".join(text.splitlines(keepends=True)[-lines:])

    async def event(
        self, kind: Kind, regarding: Body, reason: str, note: str, *, warning: bool = False
    ) -> None:
        _, namespace, name = _key_of(kind, regarding)
        self.events.append(RecordedEvent(kind, namespace, name, reason, note, warning))

    # -- for tests: play the user and the other controllers; none of these is recorded or fails

    def add(self, kind: Kind, body: Body) -> Body:
        """Put an object as another client would, status included. Returns it as stored."""
        key = _key_of(kind, body)
        check_name(body)
        assert key not in self._objects, f"{key} exists already"
        stored = self._insert(key, body)
        if "status" in body:
            stored = self._replace(key, {**self._objects[key], "status": body["status"]})
        return stored

    def set_status(self, kind: Kind, namespace: str, name: str, status: Body) -> Body:
        """Replace an object's status as its own controller would."""
        key = _key(kind, namespace, name)
        return self._replace(key, {**self._objects[key], "status": copy.deepcopy(status)})

    def set_spec(self, kind: Kind, namespace: str, name: str, **fields: Any) -> Body:
        """Change fields of the spec as a user would, such as `suspend=True`."""
        key = _key(kind, namespace, name)
        live = self._objects[key]
        return self._replace(key, {**live, "spec": {**live["spec"], **copy.deepcopy(fields)}})

    def remove(self, kind: Kind, namespace: str, name: str) -> None:
        """Delete as a user would: finalizers are waited for, dependents go along."""
        self._delete(_key(kind, namespace, name))

    def end(self, pod: Body) -> None:
        """The kubelet says that a deleted pod has ended."""
        key = _key_of(POD, pod)
        found = self._objects.get(key)
        if found is not None and found["metadata"]["uid"] == pod["metadata"]["uid"]:
            self._vanish(key)

    def one(self, kind: Kind, namespace: str, name: str) -> Body:
        """The object as it is now; KeyError when there is none."""
        return copy.deepcopy(self._objects[_key(kind, namespace, name)])

    def all(self, kind: Kind, namespace: str | None = None) -> Sequence[Body]:
        """Every object of a kind, by namespace and name."""
        found = [(key[1:], body) for key, body in self._objects.items() if key[0] == kind]
        return [
            copy.deepcopy(body)
            for (inside, _), body in sorted(found, key=lambda item: item[0])
            if namespace in (None, inside)
        ]

    def set_log(self, namespace: str, pod: str, container: str, text: str) -> None:
        """What `logs` reads."""
        self._logs[namespace, pod, container] = text

    @property
    def writes(self) -> Sequence[Call]:
        """The requests that write, in order."""
        return [call for call in self.calls if call.writes]

    def fail_next(
        self,
        error: BaseException,
        *,
        after: bool = False,
        verb: str | None = None,
        kind: Kind | None = None,
        skip: int = 0,
    ) -> None:
        """Let the next write raise `error`, before it happens or `after` it has.

        `verb` (such as "create" or "list") and `kind` narrow down which request; without a verb it
        is any write. `skip` lets that many matching ones pass first. Several calls queue up.
        """
        self._faults.add(Fault(error, after, verb, kind, skip))

    # -- inside

    def _call(self, verb: str, key: Key) -> AbstractContextManager[None]:
        call = Call(verb, *key)
        self.calls.append(call)
        return self._faults.guard(call)

    def _insert(self, key: Key, body: Body) -> Body:
        stored = copy.deepcopy(body)
        stored.pop("status", None)
        stored = with_defaults(key[0], stored)
        meta = stored["metadata"]
        meta["uid"] = str(UUID(int=next(self._uids)))
        meta["creationTimestamp"] = format_time(self._now())
        if "spec" in stored:
            meta["generation"] = 1
        stored["apiVersion"], stored["kind"] = key[0].api_version, key[0].kind
        check_content(key[0], stored)
        self._store(key, stored)
        return copy.deepcopy(stored)

    def _replace(self, key: Key, body: Body) -> Body:
        live = self._objects[key]
        stored = with_defaults(key[0], copy.deepcopy(body))
        if stored == live:
            return copy.deepcopy(live)
        check_change(key[0], live, stored)
        check_content(key[0], stored, live)
        if stored.get("spec") != live.get("spec"):
            stored["metadata"]["generation"] = live["metadata"]["generation"] + 1
        self._store(key, stored)
        return copy.deepcopy(stored)

    def _store(self, key: Key, body: Body) -> None:
        body["metadata"]["resourceVersion"] = str(next(self._versions))
        self._objects[key] = body

    def _delete(self, key: Key) -> None:
        meta = self._objects[key]["metadata"]
        grace = self.grace_seconds if key[0] == POD else 0
        if not meta.get("finalizers") and not grace:
            self._vanish(key)
        elif "deletionTimestamp" not in meta:
            body = copy.deepcopy(self._objects[key])
            until = self._now() + timedelta(seconds=grace)
            body["metadata"]["deletionTimestamp"] = format_time(until)
            body["metadata"]["deletionGracePeriodSeconds"] = grace
            self._store(key, body)

    def _vanish(self, key: Key) -> None:
        gone = self._objects.pop(key)["metadata"]["uid"]
        self._applied.pop(key, None)
        alive = {body["metadata"]["uid"] for body in self._objects.values()}
        for dependent in list(self._dependents(gone)):
            if dependent in self._objects:
                owners = self._objects[dependent]["metadata"]["ownerReferences"]
                if not any(owner["uid"] in alive for owner in owners):
                    self._delete(dependent)

    def _dependents(self, uid: str) -> Iterator[Key]:
        for key, body in self._objects.items():
            if any(owner["uid"] == uid for owner in body["metadata"].get("ownerReferences", [])):
                yield key


def _key(kind: Kind, namespace: str, name: str) -> Key:
    return kind, namespace if kind.namespaced else "", name


def _key_of(kind: Kind, body: Body) -> Key:
    meta = body.get("metadata", {})
    return _key(kind, meta.get("namespace", ""), meta.get("name", ""))


def _bears(body: Body, labels: Mapping[str, str] | None) -> bool:
    own = body["metadata"].get("labels", {})
    return all(own.get(label) == value for label, value in (labels or {}).items())


def _check_incarnation(meta: Mapping[str, Any], live: Body | None) -> None:
    """Conflict when uid or resourceVersion, where given, are not those of the live object."""
    for field in ("uid", "resourceVersion"):
        wanted = meta.get(field)
        if wanted and (live is None or live["metadata"][field] != wanted):
            raise Conflict(f"the object has been modified: {field} is not {wanted}")


def _set_or_drop(parent: Body, field: str, value: Any) -> None:
    if value:
        parent[field] = value
    else:
        parent.pop(field, None)


def _apply(live: Any, applied: Any, wanted: Any) -> Any:
    """Merge maps, replace all else, and remove what was applied before and is not wanted now."""
    if not isinstance(live, dict) or not isinstance(wanted, dict):
        return wanted
    before = applied if isinstance(applied, dict) else {}
    kept = {field: value for field, value in live.items() if field in wanted or field not in before}
    return kept | {
        field: _apply(live.get(field), before.get(field), value) for field, value in wanted.items()
    }
